"""An old file comes back over a memory that was forgotten or erased: no answer has its text, at no instant."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import helix, helix_json
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.waiting import wait_for

WORD = "zqword"
UNSEEN = "zqunseen typed on the phone.\n"
KINDS = ("forgotten", "erased")
# A daemon on a busy machine, which waits for two quiet seconds before it writes.
PATIENCE = 60.0


@pytest.fixture(autouse=True)
def vault(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    return place / "vault"


@dataclass(frozen=True)
class Hidden:
    """A memory that was forgotten or erased, with the file that it was before."""

    kind: str
    id: str
    file: Path
    old: bytes
    tombstone: bytes

    def ended_well(self, file: Path | None = None) -> bool:
        data = (file or self.file).read_bytes()
        if self.kind == "erased":
            return b"status: erased" in data and WORD.encode() not in data
        return b"status: deleted" in data and b"deleted_at" in data


def ask(daemon: Daemon, path: str, body: object = None) -> Any:
    request = urllib.request.Request(
        daemon.url + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


def keep(daemon: Daemon, vault: Path, name: str) -> tuple[str, Path]:
    said = {"title": f"Pump {name}", "text": f"The {WORD} of {name} is 4711.", "scope": "global"}
    made = ask(daemon, "/remember", {**said, "force": True})
    [file] = vault.rglob(f"{made['id']}.md")
    return made["id"], file


def forget(daemon: Daemon, kind: str, memory_id: str, file: Path) -> Hidden:
    old = file.read_bytes()
    mode = "hard" if kind == "erased" else "tombstone"
    assert ask(daemon, "/forget", {"id": memory_id, "mode": mode})["status"] == "forgotten"
    return Hidden(kind, memory_id, file, old, file.read_bytes())


def hide(daemon: Daemon, vault: Path, kind: str, name: str) -> Hidden:
    return forget(daemon, kind, *keep(daemon, vault, name))


def hide_both(daemon: Daemon, vault: Path) -> list[Hidden]:
    """One that was forgotten and one that was erased: what holds for them is looked at in one vault."""
    return [hide(daemon, vault, kind, kind) for kind in KINDS]


def ended_well(both: list[Hidden]) -> None:
    for one in both:
        wait_for(one.ended_well, seconds=PATIENCE)


def answers(daemon: Daemon, memory_ids: list[str]) -> Iterator[tuple[str, str]]:
    for path in (
        f"/recall?q={WORD}&scope=all",
        "/recall?q=pump&scope=all&format=detailed",
        "/recent?scope=all&format=detailed",
        "/graph?scope=all",
        "/today?scope=all&format=detailed",
        "/conflicts",
        *(f"/memory/{memory_id}" for memory_id in memory_ids),
    ):
        yield path, json.dumps(ask(daemon, path))
    yield "/context", json.dumps(ask(daemon, "/context", {"task": f"the {WORD} pump", "scope": "all"}))


@contextmanager
def never_told(daemon: Daemon, *hidden: Hidden, export: Path | None = None) -> Iterator[None]:
    """Ask for everything, again and again, and find the text in no answer."""
    told: list[str] = []
    rounds = 0
    stop = threading.Event()

    def look() -> None:
        nonlocal rounds
        while not stop.is_set():
            for path, answer in answers(daemon, [one.id for one in hidden]):
                # The question itself is repeated in some answers, and is no text of the memory.
                if f"{WORD} of " in answer or UNSEEN.strip() in answer:
                    told.append(f"{path}: {answer[:300]}")
            rounds += 1

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
        if export is not None:
            helix("export", str(export))
            with subprocess.Popen(["unzip", "-p", str(export)], stdout=subprocess.PIPE) as unzip:
                assert unzip.stdout is not None
                if WORD.encode() in unzip.stdout.read():
                    told.append("the export")
        seen = rounds
        wait_for(lambda: rounds > seen + 1 or not thread.is_alive(), seconds=PATIENCE)
    finally:
        stop.set()
        thread.join()
    assert told == []


def put_back(one: Hidden, *, unseen: bool = False) -> None:
    one.file.write_bytes(one.old + (UNSEEN.encode() if unseen else b""))


def copied_with_its_time(one: Hidden) -> None:
    aside = one.file.with_suffix(".bak")
    aside.write_bytes(one.old)
    os.utime(aside, (1_700_000_000, 1_700_000_000))
    shutil.copy2(aside, one.file)
    aside.unlink()


def from_the_future(one: Hidden) -> None:
    put_back(one)
    os.utime(one.file, (time.time() + 86_400,) * 2)


def under_another_name(one: Hidden) -> None:
    one.file.with_name(f"renamed {one.file.name}").write_bytes(one.old)


WAYS: dict[str, Callable[[Hidden], None]] = {
    "same": put_back,
    "longer": lambda one: put_back(one, unseen=True),
    "kept-time": copied_with_its_time,
    "future": from_the_future,
    "renamed": under_another_name,
}


def test_an_old_file_is_in_no_answer_however_it_comes_back(vault: Path, place: Path) -> None:
    with running_daemon() as daemon:
        hidden = {
            (kind, name): hide(daemon, vault, kind, f"{kind} {name}") for kind in KINDS for name in WAYS
        }
        with never_told(daemon, *hidden.values(), export=place / "out.strand"):
            for (_, name), one in hidden.items():
                WAYS[name](one)
            for (_, name), one in hidden.items():
                file = one.file.with_name(f"renamed {one.file.name}") if name == "renamed" else one.file
                wait_for(lambda one=one, file=file: one.ended_well(file), seconds=PATIENCE)  # type: ignore[misc]
        assert UNSEEN in hidden["forgotten", "longer"].file.read_text()
        assert hidden["forgotten", "same"].file.read_bytes() == hidden["forgotten", "same"].tombstone
        erased = {one.id for one in hidden.values() if one.kind == "erased"}
        ended = [file for file in vault.rglob("*.md") if any(one in file.name for one in erased)]
        assert len(ended) == len(WAYS) + 1, "the one under another name stands beside its tombstone"
        assert WORD not in "".join(file.read_text() for file in ended)


def test_an_old_file_that_came_while_no_daemon_ran_is_in_no_answer(vault: Path) -> None:
    with running_daemon() as daemon:
        both = hide_both(daemon, vault)
    for one in both:
        put_back(one)
    assert WORD not in helix("recent", "--all", "--json").stdout, (
        "nor does a command without a daemon tell it"
    )
    for one in both:
        assert WORD not in helix("get", one.id, "--json", ok=False).stdout
    with running_daemon() as daemon, never_told(daemon, *both):
        ended_well(both)


def test_a_backup_of_the_whole_folder_brings_back_nothing_that_was_forgotten_since(
    vault: Path, place: Path
) -> None:
    with running_daemon() as daemon:
        kept = {kind: keep(daemon, vault, f"backup {kind}") for kind in KINDS}
        shutil.copytree(vault, place / "backup")
        both = [forget(daemon, kind, *kept[kind]) for kind in KINDS]
        with never_told(daemon, *both):
            shutil.copytree(place / "backup", vault, dirs_exist_ok=True)
            ended_well(both)


def test_with_the_brake_pulled_an_old_file_stays_and_is_in_no_answer(vault: Path) -> None:
    others = [vault / f"n{number}.md" for number in range(40)]
    for file in others:
        file.write_text(f"---\nid: {file.stem}\n---\ntext\n")
    with running_daemon() as daemon:
        both = hide_both(daemon, vault)
        for file in others:
            file.unlink()
        wait_for(lambda: daemon.health()["state"] == "degraded", seconds=PATIENCE)
        with never_told(daemon, *both):
            for one in both:
                put_back(one)
            wait_for(lambda: daemon.health()["problems"] == 2, seconds=PATIENCE)
        for one in both:
            assert one.file.read_bytes() == one.old
        codes = {found["code"] for found in helix_json("doctor", ok=False)["findings"]}
        assert {"erased", "old-file"} <= codes


def test_where_nothing_can_be_written_an_old_file_is_in_no_answer_and_health_says_so(vault: Path) -> None:
    with running_daemon() as daemon:
        both = hide_both(daemon, vault)
        files = [str(one.file) for one in both]
        for one in both:
            put_back(one)
        frozen = subprocess.run(["chattr", "+i", *files], capture_output=True, check=False)
        if frozen.returncode:
            pytest.skip("this file system cannot make a file unwritable for its owner")
        try:
            with never_told(daemon, *both):
                wait_for(lambda: daemon.health()["problems"] == 2, seconds=PATIENCE)
            for one in both:
                assert one.file.read_bytes() == one.old
        finally:
            subprocess.run(["chattr", "-i", *files], check=True)
        ended_well(both)
        wait_for(lambda: daemon.health()["problems"] == 0, seconds=PATIENCE)


def test_with_the_state_folder_lost_what_the_vault_still_says_of_it_counts(vault: Path, place: Path) -> None:
    with running_daemon() as daemon:
        both = hide_both(daemon, vault)
    shutil.rmtree(place / "state")
    for one in both:
        put_back(one)
        copy = one.file.with_name(f"{one.file.stem}.sync-conflict-20260101-101010-ABCDEFG.md")
        copy.write_bytes(one.tombstone)
    with running_daemon() as daemon, never_told(daemon, *both):
        ended_well(both)


def git(vault: Path, *arguments: str) -> str:
    settings = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(
        ["git", *settings, *arguments], cwd=vault, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_checkout_of_an_older_commit_changes_no_answer_and_is_left_as_git_made_it(vault: Path) -> None:
    git(vault, "init", "-q", "-b", "main")
    with running_daemon() as daemon:
        kept = {kind: keep(daemon, vault, f"commit {kind}") for kind in KINDS}
        git(vault, "add", "-A")
        git(vault, "commit", "-qm", "before")
        both = [forget(daemon, kind, *kept[kind]) for kind in KINDS]
        git(vault, "commit", "-qam", "after")
        other = hide(daemon, vault, "forgotten", "other")
        with never_told(daemon, *both, other):
            git(vault, "checkout", "-q", "HEAD~1")
            assert [one.file.read_bytes() for one in both] == [one.old for one in both]
            put_back(other)  # once this one is replaced, the daemon had its time for the others, too
            wait_for(other.ended_well, seconds=PATIENCE)
            assert [one.file.read_bytes() for one in both] == [one.old for one in both]
            assert git(vault, "status", "--porcelain", "--untracked-files=no") == ""
            git(vault, "checkout", "-q", "main")
            assert [one.file.read_bytes() for one in both] == [one.tombstone for one in both]
            for one in both:
                put_back(one)  # the same bytes, and no commit was checked out: a copy
            ended_well(both)


def test_a_person_brings_a_forgotten_memory_back_in_its_file_or_by_command(vault: Path) -> None:
    with running_daemon() as daemon:
        flipped, rewritten, asked, late = (
            hide(daemon, vault, "forgotten", name) for name in ("flipped", "rewritten", "asked", "late")
        )
        flipped.file.write_bytes(flipped.tombstone.replace(b"status: deleted", b"status: active"))
        new = rewritten.tombstone.replace(b"status: deleted", b"status: active").replace(b"4711", b"0815")
        rewritten.file.write_bytes(new)
        helix("restore", asked.id)
        put_back(late)
        ask(daemon, "/restore", {"id": late.id})
        for one in (flipped, rewritten, asked, late):
            wait_for(lambda one=one: WORD in ask(daemon, f"/memory/{one.id}").get("text", ""))  # type: ignore[misc]
            wait_for(lambda one=one: b"restored_at" in one.file.read_bytes(), seconds=PATIENCE)  # type: ignore[misc]
        assert "0815" in ask(daemon, f"/memory/{rewritten.id}")["text"]
        assert {one["id"] for one in ask(daemon, f"/recall?q={WORD}&scope=all")["results"]} == {
            one.id for one in (flipped, rewritten, asked, late)
        }
