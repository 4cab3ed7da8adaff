"""What a program relies on: the signatures, what is loaded, threads, tokens, a daemon that comes back."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import helix
from helix import AsyncHelix, BadRequest, BadSettings, Helix, NotFound, Timeout, Unauthorized
from tests.client.conftest import BadLine, Running, daemon_at
from tests.flows.daemon import free_port, running_daemon

# The public signatures, as they were first described. More may be taken by name; these stay as they are.
_SIGNATURES: dict[str, dict[str, object]] = {
    "__init__": {"url": None, "scope": "project"},
    "search": {
        "query": ..., "limit": 8, "max_tokens": 1500, "response_format": "concise", "scope": None, "filters": None,
    },
    "context": {"task": ..., "max_tokens": 4000, "response_format": "concise"},
    "write": {
        "text": ..., "kind": "fact", "scope": None, "tags": None, "idempotency_key": None, "supersede_hint": None,
    },
    "get": {"id": ..., "response_format": "detailed"},
    "forget": {"id": ..., "mode": "tombstone"},
    "relate": {"frm": ..., "to": ..., "rel": ...},
}  # fmt: skip
_POSITIONAL = {"url", "query", "task", "text", "id", "frm", "to"}


@pytest.mark.parametrize("kind", [Helix, AsyncHelix])
@pytest.mark.parametrize("verb", _SIGNATURES)
def test_the_described_signatures_hold(kind: type, verb: str) -> None:
    found = inspect.signature(getattr(kind, verb)).parameters
    for name, default in _SIGNATURES[verb].items():
        assert found[name].default == (inspect.Parameter.empty if default is ... else default)
        wanted = (
            inspect.Parameter.POSITIONAL_OR_KEYWORD if name in _POSITIONAL else inspect.Parameter.KEYWORD_ONLY
        )
        assert found[name].kind is wanted, name
    required = {
        name for name, one in found.items() if one.default is inspect.Parameter.empty and name != "self"
    }
    assert required == {name for name, default in _SIGNATURES[verb].items() if default is ...}


def test_both_clients_have_the_same_verbs_with_the_same_words() -> None:
    def verbs(kind: type) -> dict[str, tuple[str, str | None]]:
        found = inspect.getmembers(kind, inspect.isfunction)
        return {
            name: (str(inspect.signature(one)).rpartition("->")[0], one.__doc__)
            for name, one in found
            if not name.startswith("_")
        }

    assert verbs(Helix) == verbs(AsyncHelix)


def _modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(done.stdout.split())


def test_the_package_alone_loads_nothing_and_the_sdk_none_of_the_daemon() -> None:
    bare = _modules_after("import helix")
    assert {name for name in bare if name.startswith("helix.")} == set()
    assert "httpx" not in bare
    loaded = _modules_after("from helix import Helix")
    own = {name for name in loaded if name.split(".")[0] == "helix"} - {"helix"}
    assert {name for name in own if not f"{name}.".startswith("helix.client.")} == set()
    heavy = {
        "fastapi",
        "starlette",
        "pydantic",
        "uvicorn",
        "mcp",
        "numpy",
        "lancedb",
        "whoosh",
        "yaml",
        "anyio",
    }
    assert loaded & heavy == set()


def test_the_daemon_and_the_commands_do_not_load_the_sdk() -> None:
    loaded = _modules_after("import helix.daemon.serve, helix.cli.main")
    assert {name for name in loaded if name.startswith("helix.client")} == set()


def test_every_public_name_is_there_and_others_are_not() -> None:
    assert all(getattr(helix, name).__name__ == name for name in helix.__all__)
    assert set(helix.__all__) <= set(dir(helix))
    with pytest.raises(AttributeError, match="no attribute 'Helicopter'"):
        _ = helix.Helicopter  # type: ignore[attr-defined]


def test_one_client_serves_many_threads(running: Running) -> None:
    with Helix(running.url, project="threads") as mem, ThreadPoolExecutor(8) as threads:

        def one(number: int) -> tuple[str, str]:
            mark = f"zq{number}"
            made = mem.write(f"Crane {number} lifts the load marked {mark}", title=mark, force=True)
            return made.id, mem.get(made.id).title or ""

        done = list(threads.map(one, range(48)))
        assert len({memory_id for memory_id, _ in done}) == 48
        assert [title for _, title in done] == [f"zq{number}" for number in range(48)]
        assert len(list(mem.recent_all(limit=7, project="threads"))) == 48


def test_a_client_outlives_a_restart_of_the_daemon(tmp_path: Path) -> None:
    (tmp_path / "apart").mkdir()
    with daemon_at(tmp_path / "apart") as running, Helix(running.url) as mem:
        made = mem.write("The dredger works at night", idempotency_key="dredger")
        running.daemon.process.terminate()
        running.daemon.process.wait(timeout=20)
        with running_daemon(running.env):
            assert mem.get(made.id).text == "The dredger works at night"
            again = mem.write("The dredger works at night", idempotency_key="dredger")
            assert (again.id, again.status) == (made.id, "noop")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    place = tmp_path_factory.mktemp("guarded")
    with daemon_at(place, settings="require_token = true\n") as running:
        yield running


def test_a_token_is_shown_when_it_is_known(guarded: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    with Helix(guarded.url) as mem, pytest.raises(Unauthorized, match="HELIX_TOKEN") as caught:
        mem.stats()
    assert (caught.value.status, caught.value.code) == (401, "unauthorized")

    from helix.config import load
    from helix.token_file import TokenFile

    token = TokenFile(load(guarded.env, guarded.place)).get()
    with Helix(guarded.url, token=token) as mem:
        assert mem.stats().memories >= 0
    monkeypatch.setenv("HELIX_TOKEN", token)
    with Helix(guarded.url) as mem:
        assert mem.stats().memories >= 0
    monkeypatch.delenv("HELIX_TOKEN")
    monkeypatch.setenv("HELIX_CONFIG_DIR", guarded.env["HELIX_CONFIG_DIR"])
    with Helix(guarded.url) as mem:
        assert mem.stats().memories >= 0, "the local token file is read for a daemon on this machine"


def test_the_address_and_the_project_come_from_the_environment(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_URL", running.url)
    monkeypatch.setenv("HELIX_PROJECT", "salvage")
    with Helix() as mem:
        made = mem.write("The wreck lies at twelve metres")
        assert mem.get(made.id).project == "salvage"


def test_a_proxy_for_the_world_is_not_asked_for_this_machine(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    with Helix(running.url, retries=0) as mem:
        assert mem.stats().memories >= 0


@pytest.mark.parametrize("options", [{"timeout": 0}, {"timeout": float("inf")}, {"retries": -1}])
def test_patience_that_makes_no_sense_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(BadSettings, match=f"{next(iter(options))} is"):
        Helix(**options)


def test_other_options_on_the_same_connections(running: Running, bad_line: BadLine) -> None:
    with Helix(running.url, project="north") as mem:
        made = mem.with_options(project="south", scope="global").write("Ice comes early", force=True)
        assert mem.get(made.id).scope == "global"
    with Helix(bad_line.to("stall").url) as mem, pytest.raises(Timeout):
        mem.with_options(timeout=0.2).stats()


def test_every_text_can_be_said(running: Running) -> None:
    with Helix(running.url, project="Größe 7", client="Анна\n") as mem:
        grain: dict[str, Any] = {"title": "穂", "tags": ["穀物"], "idempotency_key": "clé\u202f№ 1 — 🗝"}
        made = mem.write("Ähre, 穂, 🌾: all of it is grain", **grain)
        assert mem.write("Ähre, 穂, 🌾: all of it is grain", **grain).id == made.id
        memory = mem.get(made.id)
        assert (memory.project, memory.title, memory.tags) == ("Größe 7", "穂", ("穀物",))
        assert made.id in [hit.id for hit in mem.search("穂 🌾 & grain?")]
        with pytest.raises(BadRequest):
            mem.write("half of a pair: \ud83c")
        with pytest.raises(NotFound):
            mem.get("mem_\ud83c")
        with pytest.raises(BadRequest, match="based_on"):
            mem.update(made.id, title="x", based_on="né\n")


@pytest.mark.parametrize("memory_id", ["..", "a/b", "../../etc/passwd", "x?y=1#z", "über uns", "%2e%2e"])
def test_no_id_leads_to_another_path(running: Running, memory_id: str) -> None:
    with Helix(running.url) as mem, pytest.raises(NotFound) as caught:
        mem.get(memory_id)
    if "/" not in memory_id:  # to the daemon's router a slash is one, however it was written
        assert caught.value.code == "not-found"
        assert memory_id in caught.value.message


def test_a_long_memory_is_read_whole_and_in_pieces_when_asked(running: Running) -> None:
    text = "\n\n".join(
        f"Log of hour {hour}: wind from the north, {hour} knots, sea calm." for hour in range(1500)
    )
    with Helix(running.url) as mem:
        made = mem.write(text, title="Log book", kind="document")
        assert mem.get(made.id).text == text
        piece = mem.get(made.id, max_tokens=500)
        assert piece.truncated
        assert mem.get(made.id, max_tokens=500, cursor=piece.next_cursor).text in text


def test_what_is_written_meanwhile_makes_a_walk_neither_repeat_nor_skip(running: Running) -> None:
    with Helix(running.url, project="walk") as mem:
        old = {
            mem.write(f"Buoy {number} is lit", title=f"Buoy {number}", force=True).id for number in range(6)
        }
        walk = mem.recent_all(limit=2, project="walk")
        found = [next(walk).id]
        for number in range(6, 9):
            mem.write(f"Buoy {number} is lit", title=f"Buoy {number}", force=True)
        found += [memory.id for memory in walk]
    assert sorted(found) == sorted(old)


def test_a_cancelled_call_leaves_the_client_usable(running: Running, bad_line: BadLine) -> None:
    async def run() -> int:
        async with AsyncHelix(bad_line.to("stall").url) as mem:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(mem.stats(), 0.2)
            several = await asyncio.gather(*(mem.stats() for _ in range(10)))
            return len(several)

    assert asyncio.run(run()) == 10
