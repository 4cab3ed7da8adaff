"""The Python SDK: the memory of a running daemon, for programs. Knows httpx and nothing of the daemon."""
