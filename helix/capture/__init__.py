"""What coding agents wrote down of their sessions on this machine, taken into the logs of sessions."""
