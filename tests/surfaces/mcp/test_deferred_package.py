"""What the daemon imports of the protocol's library, in an interpreter of its own."""

from __future__ import annotations

import subprocess
import sys

_LEAVE_OUT = "from helix.surfaces.mcp.deferred_package import leave_out_client; leave_out_client(); "


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_surface_loads_neither_the_client_nor_what_only_that_needs() -> None:
    loaded = _run(_LEAVE_OUT + "import sys, helix.surfaces.mcp.surface; print(*sys.modules)").split()
    assert "mcp.server.lowlevel" in loaded
    assert not {"mcp.client", "mcp.server.mcpserver", "httpx2", "cryptography"} & set(loaded)


def test_who_asks_the_package_for_a_name_gets_it_all_the_same() -> None:
    code = (
        _LEAVE_OUT + "import helix.surfaces.mcp.surface, mcp, mcp.server\n"
        "from mcp.server.lowlevel import Server\n"
        "from mcp import ClientSession\n"
        "from mcp.server import MCPServer\n"
        "assert mcp.server.Server is Server is mcp.server.lowlevel.Server\n"
        "print(ClientSession.__name__, MCPServer.__name__, hasattr(mcp, 'no_such_name'))"
    )
    assert _run(code) == "ClientSession MCPServer False"


def test_a_package_that_was_imported_before_is_left_as_it_is() -> None:
    code = f"import mcp, sys; before = mcp; {_LEAVE_OUT} print(sys.modules['mcp'] is before)"
    assert _run(code) == "True"
