from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.scale import scaled
from tests.vault import kills

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the writer is forked")


def test_a_writer_killed_at_any_moment_tears_no_file_and_loses_no_acknowledged_write(tmp_path: Path) -> None:
    tally = kills.run(tmp_path, scaled(250), seed=1)
    print(tally)
    assert (tally.torn, tally.lost, tally.unexplained) == (0, 0, 0)
    assert tally.acknowledged > tally.kills
    assert tally.interrupted > 0, "no kill came in the middle of a write"
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"one.md", "two.md", "three.md"}
