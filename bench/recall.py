"""How often search finds what answers a question: `make bench-recall [DATA=file]`.

Two sets: the team's memories in bench/team, and with --data a file of conversations (one vault per conversation,
one memory per turn), read three times: as an agent keeps them, with sessions and times; as plain notes, which share
one date, know no order, and have their day in the text; and as bare notes without that. Each question is put to:
words only, vectors only, fused (the default), fused and reranked.

Both sets are split in halves, question by question: what is tuned is tuned on `dev`, and `test` says what it is worth.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from pathlib import Path
from statistics import mean
from typing import Any

from helix.compose import open_vault
from helix.config import Config
from helix.index.engine import CandidateColumns, Wording
from helix.index.filters import Where
from helix.index.query import parse
from helix.index.search import Question, SearchHit
from helix.memory.followed_vault import FollowedVault
from helix.memory.reading.presentation import passage
from helix.memory.reading.search import nearest_shown
from helix.memory.search_engine import Recall, open_recall
from helix.memory.tokens import token_counter
from helix.vault import frontmatter
from helix.vault.links import to_link
from helix.vault.yaml_load import Value

TEAM = Path(__file__).parent / "team"
DEPTHS = (5, 10, 20)
_EMBED_PATIENCE = 1800.0
_ONE_DATE = "2024-06-01T09:00:00Z"


class Reading(Enum):
    """What notes keep of a conversation."""

    KEPT = ""
    PLAIN = ", plain notes"
    BARE = ", bare notes"


@dataclass(frozen=True)
class JudgedQuestion:
    text: str
    evidence: frozenset[str]
    category: str
    split: str = ""
    asked_at: datetime | None = None
    include_hidden: bool = False
    sentence: str = ""
    """of a long document, the sentence that answers"""


@dataclass(frozen=True)
class Case:
    name: str
    notes: Mapping[str, bytes]
    questions: Sequence[JudgedQuestion]


@dataclass
class Tally:
    recall: dict[int, list[float]] = field(default_factory=lambda: {depth: [] for depth in DEPTHS})
    reciprocal: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    unsure: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, found: Sequence[str], evidence: frozenset[str], tokens: float) -> None:
        for depth in DEPTHS:
            self.recall[depth].append(len(evidence.intersection(found[:depth])) / len(evidence))
        places = [place for place, one in enumerate(found, start=1) if one in evidence]
        self.reciprocal.append(1 / places[0] if places else 0.0)
        self.tokens.append(tokens)


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.recall", description=__doc__)
    parser.add_argument(
        "--data", type=Path, help="a file of conversations; without it only the team's memories"
    )
    parser.add_argument(
        "--rerank", action="store_true", help="also with the second stage, which takes minutes"
    )
    parser.add_argument("--split", choices=("dev", "test"), help="only this half of the questions")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "helix-bench-state")
    options = parser.parse_args(argv)
    modes = ["words", "vectors", "fused", *(["reranked"] if options.rerank else [])]
    if options.data is not None:
        for reading in (Reading.KEPT, Reading.PLAIN, Reading.BARE):
            cases = list(_conversations(options.data, options.split, reading))
            _report(f"conversations{reading.value}", cases, modes, options.cache)
    _report("team", [team_case(options.split)], modes, options.cache)


def _report(name: str, cases: Sequence[Case], modes: Sequence[str], cache: Path) -> None:
    tallies: dict[tuple[str, str], Tally] = {}
    for case in cases:
        with indexed(case, cache) as (helix, recall):
            for mode in modes:
                ask = _asker(mode, helix, recall)
                for question in case.questions:
                    _put(question, ask, mode, tallies)
    print(f"\n{name}: {sum(len(case.questions) for case in cases)} questions")
    print(
        f"{'':10}{'category':20}"
        + "".join(f"R@{depth:<6}" for depth in DEPTHS)
        + "MRR     tokens  unsure  p50 ms"
    )
    for mode in modes:
        for category in ("all", *sorted({category for one, category in tallies if one == mode} - {"all"})):
            print(_line(mode, category, tallies[mode, category]))


def _put(
    question: JudgedQuestion,
    ask: Callable[[JudgedQuestion], tuple[list[str], float, bool]],
    mode: str,
    tallies: dict[tuple[str, str], Tally],
) -> None:
    started = time.perf_counter()
    found, tokens, unsure = ask(question)
    elapsed = time.perf_counter() - started
    group = "all" if question.evidence else question.category
    for name in {group, f"{group} ({question.split})", question.category}:
        tally = tallies.setdefault((mode, name), Tally())
        tally.unsure.append(unsure)
        tally.seconds.append(elapsed)
        if question.evidence:
            tally.add(found, question.evidence, tokens)


def _line(mode: str, category: str, tally: Tally) -> str:
    figures = "".join(f"{mean(values):<8.3f}" if values else f"{'':8}" for values in tally.recall.values())
    rest = f"{mean(tally.reciprocal):<8.3f}{mean(tally.tokens):<8.0f}" if tally.reciprocal else " " * 16
    p50 = sorted(tally.seconds)[len(tally.seconds) // 2] * 1000
    return f"{mode:10}{category:20}{figures}{rest}{mean(tally.unsure):<8.2f}{p50:.0f}"


def _asker(
    mode: str, helix: FollowedVault, recall: Recall
) -> Callable[[JudgedQuestion], tuple[list[str], float, bool]]:
    index = recall.index
    count = token_counter()

    def candidates(question: JudgedQuestion, limit: int) -> CandidateColumns:
        wording = Wording(question.text, parse(question.text).words)
        return index.candidates(wording, Where(active_only=not question.include_hidden), limit).found

    def by_words(question: JudgedQuestion) -> tuple[list[str], float, bool]:
        found = [one for one in candidates(question, 20) if one.words]
        ordered = sorted(found, key=lambda one: (-one.words, one.id))
        return [one.id for one in ordered[:20]], 0.0, False

    def by_vectors(question: JudgedQuestion) -> tuple[list[str], float, bool]:
        found = [(one.cosine, one.id) for one in candidates(question, 400) if one.cosine is not None]
        ordered = sorted(found, key=lambda one: (-one[0], one[1]))
        return [memory_id for _, memory_id in ordered[:20]], 0.0, False

    def fused(question: JudgedQuestion) -> tuple[list[str], float, bool]:
        asked = Question(
            question.text,
            limit=20,
            now=question.asked_at,
            where=Where(active_only=not question.include_hidden),
            rerank=mode == "reranked",
        )
        answer = recall.searcher.search(asked)
        # As an asker sees it: of what is merely nearest, the first few.
        hits = answer.hits if answer.fits else answer.hits[: nearest_shown(answer)]
        tokens = sum(count(_shown(helix, hit)) for hit in hits[:5])
        return [hit.memory_id for hit in hits], tokens, bool(answer.note) or not answer.hits

    return {"words": by_words, "vectors": by_vectors}.get(mode, fused)


def _shown(helix: FollowedVault, hit: SearchHit) -> str:
    row = helix.catalog.find(hit.memory_id)
    assert row is not None
    return passage(helix.vault.read(row.path), hit.ordinal)


@contextmanager
def indexed(case: Case, cache: Path) -> Iterator[tuple[FollowedVault, Recall]]:
    """A vault of real files, followed and indexed as the daemon does it. Embeddings are kept between runs."""
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder, "vault")
        vault.mkdir()
        for name, data in case.notes.items():
            (vault / f"{name}.md").write_bytes(data)
        config = Config(vault=vault, state_dir=cache, config_dir=Path(folder, "config"))
        with open_vault(config, must_follow=True) as helix:
            helix.catch_up()
            with open_recall(helix) as recall:
                assert recall.index.wait_until_embedded(_EMBED_PATIENCE)
                yield helix, recall


def team_case(split: str | None) -> Case:
    memories = [json.loads(line) for line in (TEAM / "memories.jsonl").read_text("utf-8").splitlines()]
    notes = {one["key"]: team_note(one) for one in memories}
    return Case("team", notes, [one for one in team_questions() if split in (None, one.split)])


def team_questions() -> list[JudgedQuestion]:
    asked = [json.loads(line) for line in (TEAM / "questions.jsonl").read_text("utf-8").splitlines()]
    return [
        JudgedQuestion(
            one["question"],
            frozenset(one["evidence"]),
            one["category"],
            one["split"],
            datetime.fromisoformat(one["asked_at"])
            if "asked_at" in one
            else datetime(2026, 10, 20, tzinfo=UTC),
            bool(one.get("history")),
            one.get("sentence", ""),
        )
        for one in asked
    ]


def team_note(one: Mapping[str, object]) -> bytes:
    meta: dict[str, Value] = {"id": str(one["key"]), "title": str(one["title"]), "kind": str(one["kind"])}
    if one.get("project"):
        meta["project"] = str(one["project"])
    meta |= {"status": str(one["status"]), "tags": list(one["tags"])}  # type: ignore[call-overload]
    meta |= {"created_at": str(one["created_at"]), "updated_at": str(one["created_at"])}
    for edge in ("supersedes", "depends_on", "relates_to"):
        if targets := one.get(edge):
            meta[edge] = [to_link(str(target)) for target in targets]  # type: ignore[attr-defined]
    if one.get("session"):
        meta["source"] = {"session": str(one["session"])}
    return frontmatter.create(meta, f"{one['text']}\n")


def _conversations(path: Path, split: str | None, reading: Reading) -> Iterator[Case]:
    for talk in json.loads(path.read_text("utf-8"))["conversations"]:
        notes, places = {}, {}
        for place, turn in enumerate(talk["notes"]):
            name = f"t{place:05}" if reading is Reading.KEPT else _anywhere(f"{talk['id']} {turn['key']}")
            places[turn["key"]] = name
            notes[name] = turn_note(turn, name, place, reading)
        answerable = [
            (one, evidence)
            for one in talk["questions"]
            if (evidence := frozenset(places[key] for key in one["evidence"] if key in places))
        ]
        questions = [
            JudgedQuestion(one["q"], evidence, f"category {one['category']}", ("dev", "test")[number % 2])
            for number, (one, evidence) in enumerate(answerable)
        ]
        yield Case(
            f"{talk['id']}{reading.value}", notes, [one for one in questions if split in (None, one.split)]
        )


def turn_note(turn: Mapping[str, Any], name: str, place: int, reading: Reading = Reading.KEPT) -> bytes:
    moment = datetime.strptime(turn["date"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    meta: dict[str, Value] = {"id": name, "title": turn["speaker"], "kind": "event"}
    if reading is Reading.KEPT:
        meta["created_at"] = f"{moment + timedelta(seconds=place):%Y-%m-%dT%H:%M:%SZ}"
        meta["source"] = {"session": f"s{turn['session']}"}
    else:
        meta["created_at"] = _ONE_DATE
    day = f", {turn['date'].split(' on ')[1]}" if reading is Reading.PLAIN else ""
    return frontmatter.create(meta, f"{turn['speaker']}{day}: {turn['text']}\n")


def _anywhere(key: str) -> str:
    """An id that tells nothing of the order."""
    return f"t{hashlib.sha256(key.encode()).hexdigest()[:12]}"


if __name__ == "__main__":
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    main(sys.argv[1:])
