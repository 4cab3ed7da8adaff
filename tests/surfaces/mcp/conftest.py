from __future__ import annotations

from collections.abc import Iterator

import pytest

from helix.surfaces.mcp.surface import McpSurface
from tests.surfaces.mcp.serving import VERSION, Served, Vaulted, served, vaulted


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vaulted]:
    with vaulted(tmp_path_factory.mktemp("vault")) as opened:
        yield opened


@pytest.fixture(scope="module")
def at(vault: Vaulted) -> Iterator[Served]:
    surface = McpSurface(vault.workspace, VERSION)
    vault.helix.on_change(surface.memories_changed)
    with served(surface) as serving:
        yield serving
