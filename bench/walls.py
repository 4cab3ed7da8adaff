"""What the wall costs a search: one user in a team's vault, beside a vault that holds nothing but what they see.

By words and by meaning, with vectors that are made up, so that no model hides what the search itself takes. Questions
are asked in turn of both, each with its own words, so that no answer is one that is remembered.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench.figures import judge, report, timed
from bench.made_up import MadeUpModels
from bench.notes import Notes
from helix.compose import open_vault, open_workspace
from helix.config import Config
from helix.memory.place import Place
from helix.memory.principal import LOCAL, Principal
from helix.memory.reading.search import search
from helix.memory.search_engine import open_recall
from helix.memory.workspace import Workspace

_WHO = Principal("u007", user="u007")
_NOWHERE = Place()
_GOAL = 1.3
_PATIENCE = 3_600.0


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.walls", description=__doc__)
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--projects", type=int, default=50)
    parser.add_argument("--questions", type=int, default=300)
    options = parser.parse_args(argv)
    notes, dice = Notes(), random.Random(1)
    team = dict(_team(notes, dice, options.memories, options.users, options.projects))
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        whole = _opened(stack, Path(place) / "whole", team)
        view = whole.request(_WHO, _NOWHERE).view()
        seen = {row.path for row in view.everything()}
        alone = _opened(stack, Path(place) / "alone", {path: team[path] for path in seen})
        print(f"{len(team)} memories of {options.users} users, {len(seen)} of them seen by one")
        _compare(whole, alone, notes, options)


def _compare(whole: Workspace, alone: Workspace, notes: Notes, options: argparse.Namespace) -> None:
    questions = notes.questions(options.questions, options.memories)
    behind: list[float] = []
    free: list[float] = []
    for text in questions:
        behind.append(timed(lambda text=text: search(whole.request(_WHO, _NOWHERE), text, scope="all")))
        free.append(timed(lambda text=text: search(alone.request(LOCAL, _NOWHERE), text, scope="all")))
    report("a search behind the wall", behind)
    report("a search of that part alone", free)
    ratio = statistics.median(one / other for one, other in zip(behind, free, strict=True))
    judge("a search behind the wall, by one of that part alone", ratio, _GOAL, "times")
    unknown = [timed(_get, whole, f"mem_2026-06-18_note_{number:06}") for number in range(900_000, 900_400)]
    hidden = _hidden(whole)
    unseen = [timed(_get, whole, memory_id) for memory_id in hidden]
    report("an id that is nobody's", unknown)
    report("an id that is not seen", unseen)


def _get(workspace: Workspace, memory_id: str) -> None:
    workspace.request(_WHO, _NOWHERE).view().find_typed(memory_id)


def _hidden(workspace: Workspace) -> list[str]:
    view = workspace.request(_WHO, _NOWHERE).view()
    rows = workspace.request(LOCAL, _NOWHERE).view().everything()
    return [row.id for row in rows if view.find_row(row.id) is None][-400:]


def _team(
    notes: Notes, dice: random.Random, count: int, users: int, projects: int
) -> Iterator[tuple[str, bytes]]:
    """Each project has some twenty members; most memories are of one, some private, a few for all."""
    names = [f"u{number:03}" for number in range(users)]
    members = {f"p{number:03}": dice.sample(names, min(20, users)) for number in range(projects)}
    for name, (owner, *others) in members.items():
        lines = (
            "---", f"id: mem_of_{name}", "kind: project", "scope: project", f"project: {name}",
            f"name: {name}", f"owner: {owner}", f"members: [{', '.join(others)}]", "---", f"Who is in {name}",
        )  # fmt: skip
        yield f"projects/{name}/members.md", "\n".join(lines).encode()
    for number in range(count):
        project = f"p{number % projects:03}"
        owner = dice.choice(members[project])
        visibility = dice.choices(["", "private", "team"], [70, 25, 5])[0]
        extra = f"owner: {owner}\n" + (f"visibility: {visibility}\n" if visibility else "")
        data = notes.data(number).replace(b"---\n", b"---\n" + extra.encode(), 1)
        old = f"project: p{number // 100:03}\n".encode()
        yield notes.path(number), data.replace(old, f"project: {project}\n".encode(), 1)


def _opened(stack: ExitStack, place: Path, files: dict[str, bytes]) -> Workspace:
    vault = place / "vault"
    for path, data in files.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_bytes(data)
    config = Config(vault=vault, state_dir=place / "state", config_dir=place / "config")
    helix = stack.enter_context(open_vault(config, must_follow=True))
    helix.catch_up()
    models = stack.enter_context(MadeUpModels(place / "state"))
    recall = stack.enter_context(open_recall(helix, models=models))
    assert recall.index.wait_until_embedded(_PATIENCE)
    recall.index.tend(tidy=True)
    return stack.enter_context(open_workspace(helix, lambda: recall))


if __name__ == "__main__":
    main(sys.argv[1:])
