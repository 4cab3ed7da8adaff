"""The names of the formats that can be imported; alone here, so that a command can list them and still start fast."""

from __future__ import annotations

AUTO = "auto"
STRAND = "strand"
FORMATS = (STRAND, "markdown", "basic-memory", "mcp-memory", "mem0", "chatgpt", "claude", "instructions")
