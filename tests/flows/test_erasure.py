"""One unmistakable word goes through every verb and is erased in many ways: no byte of it is left but in git."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from helix.vault import frontmatter
from helix.vault.hashes import content_hash
from helix.vault.leftovers import complete_name
from helix.vault.merge import erased_record
from tests.cli.commands import BIN, helix, helix_json
from tests.cli.forked import ForkedDaemon
from tests.flows.daemon import free_port
from tests.residue import residue
from tests.waiting import wait_for

WORD = "zqxylo"
_PATIENCE = 60.0


class Planted:
    """A vault in git with a memory that says the word in all its parts, and everything that Helix keeps of it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.vault, self.state = place / "vault", place / "state"
        self.memory_id = ""

    @property
    def file(self) -> Path:
        return self.vault / "global" / f"{self.memory_id}.md"

    @property
    def erased(self) -> bytes:
        return frontmatter.emit(erased_record(self.memory_id, "2026-06-18T09:00:00Z"))

    @contextmanager
    def daemon(self) -> Iterator[Running]:
        log = str(self.place / "logs" / "helixd.log")
        process = ForkedDaemon([str(BIN / "helixd")], env=os.environ, cwd=os.getcwd(), log=log)
        http = httpx.Client(base_url=f"http://127.0.0.1:{os.environ['HELIX_PORT']}", timeout=60)

        def is_up() -> bool:
            assert process.poll() is None, (self.place / "logs" / "helixd.log").read_text()
            try:
                return str(http.get("/healthz").json()["state"]) != "starting"
            except httpx.TransportError:
                return False

        try:
            wait_for(is_up, _PATIENCE)
            yield Running(process, http)
        finally:
            http.close()
            if process.poll() is None:
                process.terminate()
            process.wait(30)

    def left(self) -> list[str]:
        """Git is out of reach, and the docs say so. What was exported or typed elsewhere is not Helix's."""
        folders = (self.vault, self.state, self.place / "config", self.place / "logs")
        return residue(WORD, *folders, leave_out=(".git",))

    def is_clean(self) -> bool:
        return self.left() == []


@dataclass(frozen=True)
class Running:
    process: ForkedDaemon
    http: httpx.Client

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = self.http.request(method, path, json=body, headers=headers)
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()


@pytest.fixture
def planted(place: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    monkeypatch.setenv("HELIX_LOG_LEVEL", "debug")
    (place / "logs").mkdir()
    helix("init")
    planted = Planted(place)
    _git(planted, "init", "-q")
    with planted.daemon() as running:
        _plant(planted, running)
        _leave_a_draft(planted, monkeypatch)
        kept = {Path(one).name for one in planted.left()}
        assert {"ancestry.db", "catalog.db", "journal.db", "pages.db", planted.file.name} <= kept
        assert [one for one in planted.left() if "/past/" in one]
        assert [one for one in planted.left() if "/drafts/" in one]
    return planted


def _plant(planted: Planted, running: Running) -> None:
    other = running.ask("POST", "/remember", {"text": "The boiler is in the cellar.", "scope": "global"})
    made = running.ask(
        "POST",
        "/remember",
        {
            "title": "Pump",  # the words of the first title stand in the id, and stay with it
            "text": f"The {WORD} pump, see [[{WORD} of things]] and [[{WORD} two]].",
            "tags": [f"{WORD}-tag"],
            "source": {"uri": f"https://{WORD}.example/"},
            "scope": "global",
        },
        **{"Idempotency-Key": f"{WORD}-key"},
    )
    planted.memory_id = memory = made["id"]
    _git(planted, "add", "-A")
    _git(planted, "commit", "-qm", f"{WORD} once")
    running.ask("PATCH", f"/memory/{memory}", {"title": f"The {WORD} pump"})
    running.ask("POST", "/relate", {"from": other["id"], "to": memory, "rel": "relates_to"})
    _git(planted, "commit", "-qam", f"{WORD} twice")
    for path in (
        "/graph?limit=1&scope=all",
        f"/memory/{memory}/neighbors?limit=1",
        f"/memory/{memory}/history?limit=1",
        "/stats?max_tokens=64&scope=all",
        "/recent?limit=1&scope=all",
        "/timeline?limit=1",
        "/inbox?limit=1",
        "/consolidate?limit=1",
        "/conflicts?limit=1",
        f"/recall?q={WORD}&limit=1&scope=all",
        f"/recall?q={WORD}&limit=1&scope=all&ref=HEAD",
        f"/memory/{memory}?ref=HEAD~1",
    ):
        running.ask("GET", path)
    running.ask("POST", "/context", {"task": f"mend the {WORD} pump", "scope": "all"})


def _leave_a_draft(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = planted.place / "editor"
    editor.write_text('#!/bin/sh\necho "a further line" >> "$1"\nexit 1\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    monkeypatch.delenv("VISUAL", raising=False)
    helix("edit", planted.memory_id, ok=False)


def _git(planted: Planted, *arguments: str) -> None:
    who = ("-c", "user.name=tester", "-c", "user.email=tester@example.org")
    subprocess.run(["git", *who, *arguments], cwd=planted.vault, check=True, capture_output=True)


def by_command(planted: Planted, running: Running) -> None:
    helix("forget", planted.memory_id, "--hard")


def by_route(planted: Planted, running: Running) -> None:
    running.ask("POST", "/forget", {"id": planted.memory_id, "mode": "hard"})


def by_tool(planted: Planted, running: Running) -> None:
    async def run() -> None:
        async with Client(f"{str(running.http.base_url).rstrip('/')}/mcp") as client:
            answer = await client.call_tool("memory_forget", {"id": planted.memory_id, "mode": "hard"})
            assert not answer.is_error

    asyncio.run(run())


def by_editor(planted: Planted, running: Running) -> None:
    """Somebody empties the note by hand, and leaves what an erased one looks like."""
    planted.file.write_bytes(planted.erased)


def by_sync(planted: Planted, running: Running) -> None:
    """A sync client writes beside the note and renames over it."""
    beside = planted.file.with_name(".syncthing.tmp")
    beside.write_bytes(planted.erased)
    beside.replace(planted.file)


def by_strand(planted: Planted, running: Running) -> None:
    """Another machine erased it, and its export is imported while the daemon runs."""
    strand = planted.place / "other.strand"
    mine = {name: os.environ[name] for name in ("HELIX_VAULT", "HELIX_STATE_DIR", "HELIX_PORT")}
    os.environ |= {
        "HELIX_VAULT": str(planted.place / "other-vault"),
        "HELIX_STATE_DIR": str(planted.place / "other-state"),
        "HELIX_PORT": str(free_port()),
    }
    try:
        helix("init")
        (planted.place / "other-vault" / "global" / "erased.md").write_bytes(planted.erased)
        helix("export", str(strand))
    finally:
        os.environ |= mine
    helix("import", str(strand))


def in_a_race(planted: Planted, running: Running) -> None:
    """Updates are under way while it is erased; each ends with an answer, and the last ones with a refusal."""
    ended: list[int] = []
    go = threading.Barrier(4)

    def update(number: int) -> None:
        go.wait()
        for count in range(40):
            body = {"text": f"The {WORD} pump, {number}, {count}."}
            with httpx.Client(base_url=running.http.base_url, timeout=60) as http:
                ended.append(http.patch(f"/memory/{planted.memory_id}", json=body).status_code)
            if ended[-1] == 410:
                return

    threads = [threading.Thread(target=update, args=[number]) for number in range(3)]
    for thread in threads:
        thread.start()
    go.wait()
    by_route(planted, running)
    for thread in threads:
        thread.join()
    assert set(ended) <= {200, 409, 410}
    assert 410 in ended


WITH_A_DAEMON: list[Callable[[Planted, Running], None]] = [
    by_command,
    by_route,
    by_tool,
    by_editor,
    by_sync,
    by_strand,
    in_a_race,
]


@pytest.mark.parametrize("erase", WITH_A_DAEMON, ids=lambda erase: erase.__name__)
def test_an_erased_text_is_nowhere_while_the_daemon_runs_nor_after_it(
    planted: Planted, erase: Callable[[Planted, Running], None]
) -> None:
    with planted.daemon() as running:
        erase(planted, running)
        wait_for(planted.is_clean, _PATIENCE)
        refused = running.http.get(f"/memory/{planted.memory_id}?ref=HEAD~1")
        assert WORD not in refused.text
    assert planted.left() == []


def test_an_erased_text_is_nowhere_after_a_command_without_a_daemon(planted: Planted) -> None:
    helix("forget", planted.memory_id, "--hard")
    assert planted.left() == []


def test_a_command_that_only_finds_the_erased_record_leaves_nothing_of_the_text(planted: Planted) -> None:
    before = planted.file.read_bytes()
    swapped_out = planted.file.with_name(complete_name("0" * 64, content_hash(before)))
    swapped_out.write_bytes(before)  # by a write of this moment, into which an editor may still save
    planted.file.write_bytes(planted.erased)
    helix("export", str(planted.place / "x.strand"))
    assert planted.left() == []


def test_what_a_killed_daemon_began_the_next_one_finishes(planted: Planted) -> None:
    with planted.daemon() as running:
        asking = threading.Thread(target=_forget_in_vain, args=[planted, running])
        asking.start()
        wait_for(lambda: WORD.encode() not in planted.file.read_bytes(), _PATIENCE)
        running.process.send_signal(signal.SIGKILL)
        running.process.wait(30)
        asking.join()
    with planted.daemon():
        wait_for(planted.is_clean, _PATIENCE)
    assert planted.left() == []


def _forget_in_vain(planted: Planted, running: Running) -> None:
    with suppress(httpx.TransportError), httpx.Client(base_url=running.http.base_url, timeout=60) as http:
        http.post("/forget", json={"id": planted.memory_id, "mode": "hard"})


def test_a_store_that_was_damaged_and_set_aside_keeps_nothing_of_what_is_erased_later(
    planted: Planted,
) -> None:
    for name in ("ancestry.db", "catalog.db", "journal.db", "pages.db", "requests.db"):
        [file] = planted.state.rglob(name)
        with file.open("r+b") as database:
            database.write(b"\0" * 16)
    with planted.daemon() as running:
        assert list(planted.state.rglob("*.damaged"))
        by_route(planted, running)
        wait_for(planted.is_clean, _PATIENCE)
        assert list(planted.state.rglob("*.damaged")) == []
    assert planted.left() == []


def test_an_erasure_is_known_again_when_the_ledger_is_lost(planted: Planted) -> None:
    helix("forget", planted.memory_id, "--hard")
    late = planted.file.read_bytes()
    for file in planted.state.rglob("ancestry.db*"):
        file.unlink()
    with planted.daemon() as running:
        planted.file.write_bytes(
            late.replace(b"status: erased\n", b"status: active\n") + f"The {WORD} pump.\n".encode()
        )
        wait_for(planted.is_clean, _PATIENCE)
        answer = running.ask("GET", f"/recall?q={WORD}&scope=all")
        assert planted.memory_id not in str(answer)
    assert helix_json("get", planted.memory_id, ok=False)["code"]
