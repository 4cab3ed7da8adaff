"""`python -m helix_mcp` is `helix-mcp`."""

from __future__ import annotations

from helix_mcp import main

main()
