from __future__ import annotations

import pytest

from helix.config import FollowConfig
from helix.follow.brake import Brake


@pytest.mark.parametrize(("missing", "known"), [(10, 10), (10, 33), (400, 1000)])
def test_many_missing_notes_stop_the_follower_and_the_reason_says_what_to_do(
    missing: int, known: int
) -> None:
    brake = Brake(FollowConfig())
    brake.look(missing, known)
    assert brake.reason is not None
    assert f"{missing} of {known}" in brake.reason
    assert "--accept-missing" in brake.reason


@pytest.mark.parametrize(("missing", "known"), [(0, 0), (9, 9), (10, 34), (300, 1000)])
def test_a_few_missing_notes_are_believed(missing: int, known: int) -> None:
    brake = Brake(FollowConfig())
    brake.look(missing, known)
    assert brake.reason is None


def test_it_lets_go_when_the_notes_are_back() -> None:
    brake = Brake(FollowConfig())
    brake.look(20, 20)
    brake.look(0, 20)
    assert brake.reason is None
