"""helix-mcp: MCP over standard input and output, passed on to the Helix daemon.

Standard library only, and nothing of `helix`: an agent starts one of these per session, and it must be there at
once. So this file imports nothing, and the other modules avoid what is slow to import (`typing`, `dataclasses`,
`argparse`, `urllib`, `http`, `ssl`, `subprocess`) until it is needed.
"""

from __future__ import annotations

__version__ = "0.1.0"  # a constant: importlib.metadata costs more than the whole shim


def main() -> None:
    import sys

    if sys.argv[1:2] == ["hook"]:  # it needs nothing of what speaks MCP
        from helix_mcp.hook import run as run_hook

        run_hook(sys.argv[2:])
        return
    from helix_mcp.command import run

    run()
