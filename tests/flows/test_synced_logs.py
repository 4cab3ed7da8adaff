"""Two to four machines that write to the same sessions: nothing lost, nothing doubled, chains verify, ends are told."""

from __future__ import annotations

import pytest

from tests.flows.synced_logs import simulate_logs
from tests.scale import scaled


@pytest.mark.parametrize("machines", [2, 3, 4])
def test_machines_that_write_to_the_same_sessions_come_to_rest_with_every_event_once(machines: int) -> None:
    outcomes = [simulate_logs(seed, machines, 60) for seed in range(scaled(4))]
    wrong = [f"seed {one.seed}, {machines} machines: {what}" for one in outcomes for what in one.wrong]
    assert not wrong, "\n".join(wrong)
    # Runs in which nothing was hard would prove nothing.
    assert sum(one.erased for one in outcomes) > 0
    assert sum(one.forks for one in outcomes) > 0
    assert sum(one.torn for one in outcomes) > 0
    assert sum(one.archived for one in outcomes) > 0
