from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.access.team import TeamServed, serving_team


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServed]:
    """Shared: a test makes the keys that it revokes."""
    with serving_team(tmp_path_factory.mktemp("team")) as one:
        yield one


@pytest.fixture(scope="session")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServed]:
    with serving_team(tmp_path_factory.mktemp("hybrid"), "hybrid") as one:
        yield one
