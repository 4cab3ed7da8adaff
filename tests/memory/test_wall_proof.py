"""Nobody is told anything of a memory that they do not see, whatever they ask, and whatever others did before.

Every verb of the table is asked, with arguments made from its fields. Sessions have no logs here but for the owner.
"""

from __future__ import annotations

import difflib
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from helix.errors import HelixError
from helix.memory.place import Place
from helix.memory.principal import Principal
from helix.memory.tokens import serialize
from helix.memory.verbs.call import call
from helix.memory.verbs.table import VERBS as ABOUT_MEMORIES
from helix.memory.verbs.verb import Verb
from helix.vault import ids
from helix.verb_table import VERBS
from tests.memory.team_world import MARK, PRINCIPALS, Asking, marks_of, seen_files, some_team
from tests.memory.world import World, opened
from tests.scale import scaled

STEPS = 1_400
MIRRORED = 90


def filled(world: World, files: dict[str, str]) -> World:
    for path, text in files.items():
        file = world.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    world.helix.reconciler.reconcile(settled=True)
    return world


def asking(dice: random.Random, files: dict[str, str]) -> Asking:
    bodies = [text.rpartition("---\n")[2].strip() for text in files.values()]
    return Asking(dice, bodies, [f"mem_zqi{number}" for number in (*range(36), 80, 90, 91, 92)])


def answered(world: World, principal: Principal, place: Place, verb: Verb, given: dict[str, Any]) -> Any:
    """What comes back, also when it is a refusal."""
    try:
        return call(world.workspace.request(principal, place), verb, verb.request(**given))
    except HelixError as error:
        return {"error": error.message, "code": error.code}


def test_no_answer_holds_a_mark_of_what_is_not_seen(tmp_path: Path) -> None:
    asked: Counter[str] = Counter()
    for seed in range(scaled(1)):
        dice = random.Random(seed)
        files = some_team(dice)
        with opened(tmp_path / str(seed)) as opened_world:
            world = filled(opened_world, files)
            question, verbs = asking(dice, files), [*VERBS.values(), *ABOUT_MEMORIES.values()]
            seen = {one.id: marks_of(one, world.files()) for one in PRINCIPALS}
            for step in range(STEPS):
                principal, verb = dice.choice(PRINCIPALS), verbs[step % len(verbs)]
                place, given = question.place(), question.fields(verb)
                before = seen[principal.id]
                answer = answered(world, principal, place, verb, given)
                if verb.changes:
                    seen = {one.id: marks_of(one, world.files()) for one in PRINCIPALS}
                typed = set(MARK.findall(f"{serialize(given)} {place}"))
                told = set(MARK.findall(serialize(answer)))
                leaked = told - before - seen[principal.id] - typed
                assert not leaked, (seed, step, principal.id, verb.name, given, answer)
                if "error" not in answer:
                    asked[verb.name] += 1
                    question.learn(answer)
                if step % 50 == 0:
                    events = world.workspace.request(principal, place).activity.after(0, 5_000)[0]
                    assert set(MARK.findall(str(events))) <= seen[principal.id]
    silent = [verb.name for verb in ABOUT_MEMORIES.values() if not asked[verb.name]]
    assert len(silent) < len(ABOUT_MEMORIES) // 3, f"most verbs have something to say: {silent}"


# As if the others' memories did not exist

RANKED = {"create_project", "search", "context", "phases", "map", "history", "diff", "pause", "resume"}
"""where statistics over the whole vault decide what is near, there is nothing to be told, or a name is taken"""
DIFFERS = {"score", "reasons", "confidence", "tokens_used", "seq", "next_cursor", "vault", "truncated"}


@pytest.fixture
def numbered_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """New memories get the same ids in every world."""

    def new_id(title: str, now: object, taken: object) -> str:
        return f"mem_2026-11-16_new_{next(counter):06}"

    counter: Iterator[int] = itertools.count()
    monkeypatch.setattr(ids, "new_id", new_id)
    monkeypatch.setattr(ids, "counter_of_tests", lambda at: _restart(at), raising=False)

    def _restart(at: int) -> None:
        nonlocal counter
        counter = itertools.count(at)


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items() if name not in DIFFERS}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def difference(whole: Any, alone: Any) -> str:
    left, right = (json.dumps(one, indent=1, ensure_ascii=False).splitlines() for one in (whole, alone))
    return "\n".join(difflib.unified_diff(left, right, "whole", "alone", lineterm="", n=4))[-1800:]


@pytest.mark.usefixtures("numbered_ids")
def test_who_sees_a_part_is_answered_as_in_a_vault_of_that_part(tmp_path: Path) -> None:
    for seed in range(scaled(2)):
        dice = random.Random(1000 + seed)
        files = some_team(dice)
        for principal in dice.sample(PRINCIPALS, 2):
            with ExitStack() as stack:
                place = tmp_path / f"{seed}-{principal.id}"
                whole = filled(stack.enter_context(opened(place / "whole")), files)
                part = seen_files(principal, whole.files())
                alone = filled(stack.enter_context(opened(place / "alone")), part)
                question = asking(dice, files)
                verbs = [verb for verb in ABOUT_MEMORIES.values() if verb.name not in RANKED]
                for step in range(MIRRORED):
                    verb, where = verbs[step % len(verbs)], question.place()
                    given = question.fields(verb)
                    given.pop("cursor", None)
                    given.pop("limit", None)
                    told = []
                    for world in (whole, alone):
                        ids.counter_of_tests(step * 10)  # type: ignore[attr-defined]
                        told.append(plain(answered(world, principal, where, verb, given)))
                    assert told[0] == told[1], (seed, step, principal.id, verb.name, given, difference(*told))
                seen = seen_files(principal, whole.files())
                assert seen_files(principal, alone.files()) == seen
