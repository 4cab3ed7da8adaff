from __future__ import annotations

import os
from pathlib import Path
from random import Random

from helix.vault.new_memory import NewMemory
from tests.flows.cloud import Cloud, Style
from tests.flows.machine import Machine


def test_a_deletion_that_comes_long_after_its_new_file_takes_no_memory_with_it(tmp_path: Path) -> None:
    rng, now = Random(1), [0.0]
    cloud = Cloud(Style.DROPBOX, rng)
    one, two = (Machine(name, tmp_path, cloud, rng, lambda: now[0]) for name in ("M1", "M2"))
    note = one.memories.add(NewMemory("text\n", "Note")).note
    for machine in (one, two):
        machine.client.sync(1.0)
        machine.follow()
    os.rename(one.folder / note.path, one.folder / "global" / "renamed.md")
    one.client.sync(1.0)
    two.client.sync(1.0, only="global/renamed.md")

    for _ in range(3):  # the second machine folds the two together, and only then learns of the deletion
        now[0] += 3600
        two.follow()
    for _ in range(4):
        now[0] += 3600
        for machine in (one, two):
            machine.client.sync(1.0)
            machine.follow()

    assert [found.memory.body for found in one.notes()] == ["text\n"]
    assert one.client.files() == two.client.files()
