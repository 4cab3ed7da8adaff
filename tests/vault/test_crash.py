from __future__ import annotations

import os

import pytest

from tests.follow.rig import memory_folder
from tests.scale import scaled
from tests.vault import kills

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the writer is forked")


def test_a_writer_killed_at_any_moment_tears_no_file_and_loses_no_acknowledged_write() -> None:
    # In memory, where there is one: a kill does not test what a sync does, and the syncs would take most of the time.
    with memory_folder() as folder:
        tally = kills.run(folder, scaled(250), seed=1)
        left = {path.name for path in folder.rglob("*") if path.is_file()}
    print(tally)
    assert (tally.torn, tally.lost, tally.unexplained) == (0, 0, 0)
    assert tally.acknowledged > tally.kills
    assert tally.interrupted > 0, "no kill came in the middle of a write"
    assert left == {"one.md", "two.md", "three.md"}
