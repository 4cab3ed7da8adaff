"""The event log of sessions: its file format, and nothing above it. `docs/log-format.md` is its page."""
