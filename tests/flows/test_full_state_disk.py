"""The disk of the state folder is full or read-only, and that of the vault is not: memories are written."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import BIN, helix
from tests.flows.daemon import Daemon, free_port, running_daemon, starting_daemon
from tests.waiting import wait_for

_NO_MOUNT = "NOT PROVED HERE: nothing can be mounted, so no disk of the state folder was full or read-only"
_CODE = "state-unwritable"


@contextmanager
def mounted(at: Path, *how: str) -> Iterator[None]:
    at.mkdir(exist_ok=True)
    try:
        done = subprocess.run(["mount", *how, str(at)], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip(_NO_MOUNT)
    if done.returncode:
        pytest.skip(f"{_NO_MOUNT}: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(at)], check=True)


@pytest.fixture
def vault(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    with mounted(place / "state", "-t", "tmpfs", "-o", "size=4m", "tmpfs"):
        helix("init")
        yield place / "vault"


def fill(folder: Path) -> Path:
    """Take every byte that is left, of the smallest gaps too."""
    big = folder / "big"
    with big.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            with suppress(OSError):
                while file.write(b"\1" * size) == size:
                    pass
    return big


def post(daemon: Daemon, path: str, **body: Any) -> dict[str, Any]:
    return _said(httpx.post(f"{daemon.url}{path}", json=body, timeout=60))


def _said(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def write(daemon: Daemon, text: str, **more: Any) -> dict[str, Any]:
    return post(daemon, "/remember", text=text, force=True, **more)


def found(daemon: Daemon, question: str) -> set[str]:
    said = _said(httpx.get(f"{daemon.url}/recall", params={"q": question}, timeout=60))
    return {hit["id"] for hit in said["results"]}


def reasons(daemon: Daemon) -> dict[str, str]:
    return {reason["code"]: reason["message"] for reason in daemon.health()["reasons"]}


def mentioning(folder: Path, word: bytes) -> list[Path]:
    found = []
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # the index replaces its files meanwhile
            if path.is_file() and word in path.read_bytes():
                found.append(path)
    return found


def diagnosis() -> str:
    done = subprocess.run(
        [str(BIN / "helix"), "doctor", "--json"], capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in done.stderr
    return done.stdout


def file_of(vault: Path, memory_id: str) -> str:
    [path] = vault.rglob(f"{memory_id}.md")
    return path.read_text()


def test_writes_reach_the_vault_while_the_state_disk_is_full_and_are_caught_up_with(
    vault: Path, place: Path
) -> None:
    with running_daemon() as daemon:
        heron = write(daemon, "The heron of the north pond eats frogs.")["id"]
        otter = write(daemon, "The otter of the south river eats crayfish.")["id"]
        badger = write(daemon, "The badger of the east wood eats earthworms.")["id"]
        secret = write(daemon, "The weasel of the west barn hides quicksilver.", title="Weasel")["id"]
        assert daemon.health()["state"] == "ready"

        edge = {"from": badger, "to": heron, "rel": "depends_on", "idempotency_key": "badger-1"}
        big = fill(place / "state")
        plain = write(daemon, "The kestrel above the motorway eats voles.")
        keyed = write(daemon, "The marten in the attic eats eggs.", idempotency_key="marten-1")
        updated = _said(
            httpx.patch(
                f"{daemon.url}/memory/{heron}",
                json={"text": "The heron of the north pond eats newts.", "idempotency_key": "heron-1"},
                timeout=60,
            )
        )
        forgotten = post(daemon, "/forget", id=otter)
        erased = post(daemon, "/forget", id=secret, mode="hard", idempotency_key="weasel-1")
        related = post(daemon, "/relate", **{"from": heron, "to": badger, "rel": "relates_to"})
        again = post(daemon, "/relate", **edge)

        for answer in (plain, keyed, updated, forgotten, erased, related, again):
            assert str(place / "state") in answer["degraded"], answer
            assert "full" in answer["degraded"]
        for answer in (keyed, updated, erased, again):
            assert "idempotency key" in answer["degraded"], answer
        assert "what was erased" in erased["degraded"]
        assert "voles" in file_of(vault, plain["id"])
        assert "eggs" in file_of(vault, keyed["id"])
        assert "newts" in file_of(vault, heron)
        assert badger in file_of(vault, heron)
        assert heron in file_of(vault, badger)
        assert "status: deleted" in file_of(vault, otter)
        assert not any("quicksilver" in path.read_text() for path in vault.rglob("*.md"))

        # What the index still knows of them is not shown: an answer quotes the files.
        for question, word in (("otter river", "crayfish"), ("weasel barn", "quicksilver")):
            said = httpx.get(f"{daemon.url}/recall", params={"q": question}, timeout=60)
            assert said.status_code == 200
            assert word not in said.text

        # While it is full: a retry is known, and health and doctor say what is wrong and where.
        retried = write(daemon, "The marten in the attic eats eggs.", idempotency_key="marten-1")
        assert (retried["status"], retried["id"]) == ("noop", keyed["id"])
        assert daemon.health()["state"] == "degraded"
        assert set(reasons(daemon)) == {_CODE}
        assert str(place / "state") in reasons(daemon)[_CODE]
        assert _CODE in diagnosis()
        assert httpx.get(f"{daemon.url}/recent", params={"limit": 1}, timeout=60).status_code == 200

        big.unlink()
        wait_for(lambda: daemon.health()["state"] == "ready", 60)
        assert plain["id"] in found(daemon, "kestrel voles")
        assert keyed["id"] in found(daemon, "marten eggs")
        assert heron in found(daemon, "heron newts")
        assert otter not in found(daemon, "otter crayfish")
        assert secret not in found(daemon, "weasel quicksilver")
        assert "degraded" not in write(daemon, "The lynx of the far hill eats hares.")

    # What was kept in memory meanwhile is on disk: a daemon that starts anew answers the retries.
    with running_daemon() as daemon:
        retried = write(daemon, "The marten in the attic eats eggs.", idempotency_key="marten-1")
        assert (retried["status"], retried["id"]) == ("noop", keyed["id"])
        once_more = post(daemon, "/relate", **edge)
        assert once_more["status"] == "noop"
        timeline = httpx.get(f"{daemon.url}/timeline", timeout=60).text
        assert plain["id"] in timeline
        wait_for(lambda: not mentioning(place / "state", b"quicksilver"), 60)


def test_a_state_disk_that_turns_read_only_does_not_stop_a_write(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As ext4 does by itself after an error: no remount, every write to an open file is refused from then on."""
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    image = place / "disk.img"
    with image.open("wb") as file:
        file.truncate(16 << 20)
    try:
        subprocess.run(["mkfs.ext4", "-q", str(image)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(_NO_MOUNT)
    with mounted(place / "state", "-o", "loop", str(image)):
        helix("init")
        with running_daemon() as daemon:
            heron = write(daemon, "The heron of the north pond eats frogs.", title="Heron")["id"]
            subprocess.run(
                ["mount", "-o", "remount,abort", str(place / "state")], check=False, capture_output=True
            )
            with pytest.raises(OSError, match="Read-only"):
                (place / "state" / "probe").write_text("x")
            plain = write(daemon, "The kestrel above the motorway eats voles.", idempotency_key="kestrel-1")
            erased = post(daemon, "/forget", id=heron, mode="hard")
            assert str(place / "state") in plain["degraded"]
            assert "what was erased" in erased["degraded"]
            assert "voles" in file_of(place / "vault", plain["id"])
            assert "frogs" not in file_of(place / "vault", heron)
            assert set(reasons(daemon)) == {_CODE}
            assert _CODE in diagnosis()


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_a_daemon_that_starts_on_such_a_disk_says_what_is_wrong(vault: Path, place: Path, how: str) -> None:
    state = place / "state"
    if how == "full":
        fill(state)
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(state)], check=True)
    with starting_daemon() as daemon:
        said = daemon.last_words()
    assert daemon.process.returncode not in (0, None)
    assert str(state) in said
    assert how in said
    assert "Traceback" not in said
    assert _CODE in diagnosis()
    assert os.access(vault, os.W_OK)


def test_a_commit_that_the_state_disk_cannot_hold_is_refused_and_takes_no_room_afterwards(
    vault: Path, place: Path
) -> None:
    """Its notes are the disk's size together; the commit is small, since they say one thing again and again."""
    many = vault / "global"
    for number in range(40):
        (many / f"long{number}.md").write_text(f"{number}\n" + "the same again\n" * 15_000)
    _commit_all(vault)
    for number in range(40):
        (many / f"long{number}.md").unlink()
    with running_daemon() as daemon:
        before = _free(place / "state")
        refused = httpx.get(f"{daemon.url}/recent?scope=all&ref=HEAD", timeout=60)
        assert (refused.status_code, refused.json()["code"]) == (507, _CODE)
        wait_for(lambda: _free(place / "state") > before - (1 << 20))
        assert write(daemon, "The boiler is in the cellar.")["status"] == "created"


def _commit_all(vault: Path) -> None:
    who = ("-c", "user.name=tester", "-c", "user.email=tester@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
        subprocess.run(["git", *who, *arguments], cwd=vault, check=True, capture_output=True)


def _free(folder: Path) -> int:
    told = os.statvfs(folder)
    return told.f_bavail * told.f_frsize
