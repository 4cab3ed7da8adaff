"""With a daemon and without one, commands give the same answers and leave the same files."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from helix.cli.verbs import ROOM
from helix.memory.size_limits import MOST_TOKENS
from tests.cli.commands import BIN, helix, helix_json, listed
from tests.cli.forked import run_forked
from tests.flows.daemon import running_daemon
from tests.surfaces.conftest import surroundings

STORY = (
    "recent --all --limit 3",
    "recent --project example-app --kind decision",
    "recall 'how do we retry' --all",
    "recall 'how do we retry' --project example-app --tag retries --limit 2",
    "context 'add retries to the client' --all --max-tokens 700",
    "get mem_2026-06-18_backoff-snippet_ky6f5e",
    "get mem_nothing",
    "graph --all",
    "graph mem_2026-06-18_backoff-snippet_ky6f5e --depth 2",
    "history mem_2026-06-18_backoff-snippet_ky6f5e",
    "diff mem_2026-06-18_backoff-snippet_ky6f5e HEAD",
    "conflicts",
    "projects",
    "remember 'Deploys to production happen on Tuesdays at 10:00' --project zoo",
    "remember 'Deploys to production happen on Tuesdays at 10:00.' --project zoo",
    "remember 'Deploys to production happen on Tuesdays at 14:00' --project zoo",
    "remember 'AWS key AKIAIOSFODNN7EXAMPLQ is for staging' --project zoo",
    "remember ok",
    "relate mem_2026-06-18_backoff-snippet_ky6f5e refines mem_2026-06-02_ask-before-new-dependencies_6j2zc3",
    "recent --unfiled",
    "file mem_2026-06-20_count-retries_rfayqv mem_2026-06-18_backoff-snippet_ky6f5e --project zoo",
    "file mem_nothing --project zoo",
    "forget mem_2026-06-20_count-retries_rfayqv",
    "get mem_2026-06-20_count-retries_rfayqv",
    "restore mem_2026-06-20_count-retries_rfayqv",
    "forget mem_2026-06-20_count-retries_rfayqv --hard",
    "restore mem_2026-06-20_count-retries_rfayqv",
    "consolidate --dry-run",
    "recent --project zoo --include-deleted",
)


@pytest.mark.long
def test_a_story_told_with_a_daemon_and_without_one_is_the_same(tmp_path: Path) -> None:
    here, there = surroundings(tmp_path / "here"), surroundings(tmp_path / "there")
    helix("init", "--git", env=here)
    shutil.copytree(tmp_path / "here" / "vault", tmp_path / "there" / "vault")
    alone = _told(here, tmp_path)
    with running_daemon(there):
        served = _told(there, tmp_path)
    for line, first, second in zip(STORY, alone, served, strict=True):
        assert first == second, line
    assert _files(tmp_path / "here" / "vault") == _files(tmp_path / "there" / "vault")


def test_the_project_of_a_command_is_that_of_its_folder(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helix("init")
    (place / "somewhere").mkdir()
    (place / "somewhere" / ".helix-project").write_text("example-app\n")
    monkeypatch.chdir(place / "somewhere")
    assert "helix project trust" in helix("recent").stderr
    helix("project", "trust")
    monkeypatch.chdir(place)
    everything = {one["project"] for one in helix_json("recent")["results"]}
    monkeypatch.chdir(place / "somewhere")
    assert {one["project"] for one in helix_json("recent")["results"]} == everything == {"example-app", None}
    assert {one["project"] for one in helix_json("recent", "--global")["results"]} == {None}
    assert {one["project"] for one in helix_json("recent", "--project", "zoo")["results"]} == {None}
    monkeypatch.setenv("HELIX_PROJECT", "zoo")
    assert {one["project"] for one in helix_json("recent")["results"]} == {None}
    assert {one["project"] for one in listed()} == everything
    assert helix_json("recent", "--global", "--all", ok=False)["code"] == "bad-value"
    monkeypatch.delenv("HELIX_PROJECT")
    (place / "vault" / ".helix-project").write_text("zoo\n")
    monkeypatch.chdir(place / "vault" / "projects")
    assert {one["project"] for one in helix_json("recent")["results"]} == everything


def test_setting_the_project_replaces_a_link_and_never_what_it_leads_to(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository can bring `.helix-project` as a link to any file of the user's."""
    helix("init")
    theirs, clone = place / "settings.rc", place / "clone"
    theirs.write_text("export A=1\n")
    clone.mkdir()
    (clone / ".helix-project").symlink_to(theirs)
    monkeypatch.chdir(clone)
    helix("project", "set", "acme")
    assert theirs.read_text() == "export A=1\n"
    assert not (clone / ".helix-project").is_symlink()
    assert helix_json("project")["project"] == "acme"
    assert [one.name for one in clone.iterdir()] == [".helix-project"]


def test_an_answer_may_be_as_long_as_the_service_allows() -> None:
    assert ROOM == MOST_TOKENS


def _told(env: dict[str, str], folder: Path) -> list[Any]:
    answers = []
    for line in STORY:
        command = [str(BIN / "helix"), *shlex.split(line), "--json"]
        done = run_forked(command, env=env, cwd=str(folder), feed="", timeout=120)
        assert done.stdout, done.stderr
        answers.append((done.returncode, json.loads(_without_chance(done.stdout))))
    return answers


def _without_chance(text: str) -> str:
    """What two runs cannot have in common: the end of a new id, and the moment."""
    text = re.sub(r"(mem_20\d\d-\d\d-\d\d_(?:deploys|ok)[a-z0-9-]*_)[a-z0-9]+", r"\1", text)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME", text)
    return re.sub(r'"(hash|commit|score|confidence)": "?[^,\n]+', r'"\1": null', text)


def _files(vault: Path) -> dict[str, str]:
    return {
        _without_chance(str(file.relative_to(vault))): re.sub(
            r"rev: .*", "", _without_chance(file.read_text("utf-8"))
        )
        for file in sorted(vault.rglob("*.md"))
        if not os.path.basename(file).startswith(".~")
    }
