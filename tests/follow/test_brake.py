from __future__ import annotations

import pytest

from helix.config import FollowConfig
from helix.follow.brake import Brake


@pytest.mark.parametrize(("missing", "known"), [(10, 10), (10, 33), (400, 1000)])
def test_many_missing_notes_stop_the_follower_and_the_reason_says_what_to_do(
    missing: int, known: int
) -> None:
    brake = Brake(FollowConfig())
    brake.look(missing, known, 0.0)
    assert brake.reason is not None
    assert f"{missing} of {known}" in brake.reason
    assert "--accept-missing" in brake.reason


@pytest.mark.parametrize(("missing", "known"), [(0, 0), (9, 9), (10, 34), (300, 1000)])
def test_a_few_missing_notes_are_believed(missing: int, known: int) -> None:
    brake = Brake(FollowConfig())
    brake.look(missing, known, 0.0)
    assert brake.reason is None


def test_it_lets_go_when_the_notes_are_back() -> None:
    brake = Brake(FollowConfig())
    brake.look(20, 20, 0.0)
    brake.look(0, 20, 1.0)
    assert brake.reason is None


def test_a_disappearance_that_is_spread_over_minutes_counts_as_one() -> None:
    brake = Brake(FollowConfig())
    for step in range(9):
        brake.look(1, 20 - step, step * 20.0)
        assert brake.reason is None
        brake.dropped([f"{step}.md"], step * 20.0)
    brake.look(1, 11, 180.0)
    assert brake.reason is not None
    assert "10 of 20 notes disappeared within 5 minutes" in brake.reason
    brake.look(1, 11, 10_000.0)
    assert brake.reason is not None, "waiting does not bring them back"
    brake.returned(["0.md", "1.md"])
    brake.look(1, 13, 10_001.0)
    assert brake.reason is None


def test_a_few_deletions_now_and_then_are_never_added_up() -> None:
    brake = Brake(FollowConfig())
    for hour in range(19):
        brake.look(1, 20 - hour, hour * 3600.0)
        assert brake.reason is None
        brake.dropped([f"{hour}.md"], hour * 3600.0)
