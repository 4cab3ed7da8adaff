"""Two to four machines on one synced vault: same bytes everywhere, nothing lost, nothing resurrected.

`python -m bench.sync` runs the same simulation for as long as one likes.
"""

from __future__ import annotations

import pytest

from tests.flows.many_machines import simulate
from tests.scale import scaled

_OPERATIONS = 200


@pytest.mark.parametrize("machines", [2, 3, 4])
def test_machines_come_to_rest_with_one_vault_that_says_what_was_meant(machines: int) -> None:
    for seed in range(scaled(5)):
        outcome = simulate(seed, machines, _OPERATIONS)
        told = "\n".join([f"seed {seed}, {machines} machines:", *outcome.wrong, *outcome.story])
        assert not outcome.wrong, told


def test_a_run_can_be_repeated_by_its_seed() -> None:
    assert simulate(1, 3, 60) == simulate(1, 3, 60)
