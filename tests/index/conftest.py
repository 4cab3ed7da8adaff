from __future__ import annotations

from pathlib import Path

import pytest

from helix.index.embed import Embedder, find_embedder


@pytest.fixture(scope="session")
def bundled() -> Embedder:
    """The real model, loaded once for all tests of a run."""
    embedder = find_embedder("bundled", Path("unused"), threads=1).embedder
    assert embedder is not None
    return embedder
