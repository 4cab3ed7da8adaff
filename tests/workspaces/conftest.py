from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.workspaces.orgs import Orgs, serving_orgs


@pytest.fixture(scope="session")
def orgs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Orgs]:
    """Shared by tests that close, archive and break nothing."""
    with serving_orgs(tmp_path_factory.mktemp("orgs")) as one:
        yield one
