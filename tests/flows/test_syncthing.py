"""Two vaults, two followers and a real Syncthing between them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from helix.compose import open_vault
from helix.config import Config
from helix.memory.followed_vault import FollowedVault
from helix.vault.new_memory import NewMemory
from helix.vault.note import Note
from helix.vault.vault import Edit
from helix.vault.vault_id import IDENTITY_FILE, new_identity
from tests.flows.syncthing import CannotStart, Instance, is_installed
from tests.waiting import wait_for

pytestmark = pytest.mark.skipif(not is_installed(), reason="NOT PROVED HERE: syncthing is not installed")

_PATIENCE = 25.0


class Side:
    """One machine: its vault, its Syncthing, its Helix."""

    def __init__(self, place: Path, identity: bytes) -> None:
        self.folder = place / "vault"
        (self.folder / IDENTITY_FILE).parent.mkdir(parents=True)
        (self.folder / IDENTITY_FILE).write_bytes(identity)
        (self.folder / ".stignore").write_text(".~helix-*\n")
        self.syncthing = Instance(place / "syncthing", self.folder)
        self.config = Config(self.folder, place / "state", place / "config")
        self.helix: FollowedVault

    def files(self) -> dict[str, bytes]:
        found = [path for path in self.folder.rglob("*.md") if not path.name.startswith(".")]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in found}

    def versions(self, memory_id: str) -> list[Note]:
        notes = [Note.parse(path, data) for path, data in self.files().items() if data]
        return [note for note in notes if note.id == memory_id]

    def lines(self, memory_id: str) -> set[str]:
        return {line for note in self.versions(memory_id) for line in note.document.body.splitlines()}

    def add_line(self, memory_id: str, line: str) -> None:
        note = self.helix.store.get(memory_id)
        body = f"{note.document.body}{line}\n"
        self.helix.store.edit(memory_id, Edit(body=body), based_on=note.hash)


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    identity = new_identity()
    with ExitStack() as stack:
        try:
            one, other = (Side(tmp_path / name, identity) for name in ("a", "b"))
            for side, peer in ((one, other), (other, one)):
                stack.callback(side.syncthing.stop)
                side.syncthing.start(peer.syncthing)
        except (CannotStart, OSError) as error:
            pytest.skip(f"NOT PROVED HERE: syncthing cannot start: {error}")
        for side in (one, other):
            side.helix = stack.enter_context(open_vault(side.config, must_follow=True))
            follower = side.helix.follower()
            follower.start()
            stack.callback(follower.stop)
            assert follower.wait_until_started(10)
        _connect(one, other)
        yield one, other


def _connect(one: Side, other: Side) -> None:
    if not one.syncthing.is_connected(other.syncthing):
        wait_for(lambda: one.syncthing.is_connected(other.syncthing), _PATIENCE)


def _part(one: Side, other: Side) -> None:
    one.syncthing.pause(other.syncthing)
    wait_for(lambda: not one.syncthing.is_connected(other.syncthing), _PATIENCE)


def _meet(one: Side, other: Side) -> None:
    one.syncthing.resume(other.syncthing)
    _connect(one, other)


def _agree(one: Side, other: Side, memory_id: str) -> bool:
    """One file with this id, and the same bytes everywhere."""
    return one.files() == other.files() and len(one.versions(memory_id)) == 1


def test_two_machines_share_one_memory_through_edits_apart_and_a_forget(sides: tuple[Side, Side]) -> None:
    one, other = sides
    memory_id = one.helix.store.add(NewMemory("created on a\n", "Shared")).note.id
    wait_for(lambda: other.helix.catalog.find(memory_id) is not None, _PATIENCE)
    assert other.helix.store.get(memory_id).document.body == "created on a\n"

    _part(one, other)
    one.add_line(memory_id, "from a")
    other.add_line(memory_id, "from b")
    _meet(one, other)
    both = {"created on a", "from a", "from b"}
    wait_for(lambda: _agree(one, other, memory_id) and both <= one.lines(memory_id), _PATIENCE)
    stubs = [path for path in one.files() if "sync-conflict" in path]
    assert stubs, "Syncthing made no conflict copy"
    assert all(Note.parse(path, one.files()[path]).is_stub for path in stubs)

    _part(one, other)
    one.helix.store.forget(memory_id)
    other.add_line(memory_id, "later, and offline")
    _meet(one, other)
    wait_for(
        lambda: _agree(one, other, memory_id) and "later, and offline" in one.lines(memory_id), _PATIENCE
    )
    for side in sides:
        wait_for(lambda at=side: _status(at, memory_id) == "deleted", _PATIENCE)  # type: ignore[misc]


def _status(side: Side, memory_id: str) -> str:
    row = side.helix.catalog.find(memory_id)
    return "" if row is None else row.status
