from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.access.team import TeamServed, serving_team
from tests.oauth.program import Program


@pytest.fixture(scope="session")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServed]:
    """Shared: a test makes the programs and grants that it ends."""
    with serving_team(tmp_path_factory.mktemp("logins")) as served:
        yield served


@pytest.fixture
def program(team: TeamServed) -> Program:
    return Program.known_to(team)
