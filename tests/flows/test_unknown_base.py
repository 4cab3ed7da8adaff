"""A machine that never saw the last common state of two versions leaves their merge to one that did."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from helix.vault.new_memory import NewMemory
from helix.vault.vault import Edit
from tests.flows.cloud import Cloud, Style
from tests.flows.machine import Machine


class Three:
    """Two machines that edited apart, and a third that was away when the state they share was written."""

    def __init__(self, place: Path) -> None:
        rng = Random(3)
        self.now = 0.0
        cloud = Cloud(Style.DROPBOX, rng)
        self.one, self.two, self.three = (
            Machine(name, place, cloud, rng, lambda: self.now) for name in ("M1", "M2", "M3")
        )
        self.id = self.one.memories.add(NewMemory("keep\ndrop\n", "Note")).note.id
        self.three.client.online = False
        self.carry(self.one, self.two)
        self.edit(self.one, "keep\n")
        self.edit(self.two, "keep\ndrop\nadded\n")
        for machine in (self.one, self.two, self.two, self.one):  # a conflict; nobody's daemon has looked yet
            machine.client.sync(1.0)
        self.three.client.online = True
        self.three.client.sync(1.0)

    def edit(self, machine: Machine, body: str) -> None:
        machine.memories.edit(self.id, Edit(body=body), based_on=machine.memories.get(self.id).hash)

    def carry(self, *machines: Machine) -> None:
        for machine in machines:
            machine.client.sync(1.0)
            machine.follow()

    def follow(self, machine: Machine, seconds: float) -> None:
        self.now += seconds
        machine.follow()


@pytest.fixture
def three(tmp_path: Path) -> Three:
    return Three(tmp_path)


def test_a_machine_that_does_not_know_the_base_waits_for_one_that_does(three: Three) -> None:
    for _ in range(4):
        three.follow(three.three, 10)
    assert len(three.three.notes()) == 2

    for _ in range(2):
        three.follow(three.one, 10)
    for _ in range(2):
        three.carry(three.one, three.three, three.two)
    assert [note.document.body for note in three.three.notes()] == ["keep\nadded\n"]


def test_it_does_not_wait_for_ever_and_then_keeps_every_line(three: Three) -> None:
    for _ in range(3):
        three.follow(three.three, 200)
    [note] = three.three.notes()
    assert sorted(note.document.body.splitlines()) == ["added", "drop", "keep"]
