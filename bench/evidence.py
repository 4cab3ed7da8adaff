"""How much of what answers a question is in the answer: `python -m bench evidence [--data FILE] [--split test]`.

The same questions as in `bench.recall`, and several kinds of notes: the team's memories, those memories six to a
document, and with --data conversations, a note for each turn, a plain note for each turn (`bench.recall`) and a note
for each session. Recall of evidence is the share of the answering text (the memory, the turn) that stands in the
answer, whole sentences counted by their length.

And a set of its own, bench/long: notes of about 500 words among the team's memories, and questions that need sentences
of two to four places.

Each question is put to the verbs as they are, and to two plain searches, by words alone and by vectors alone, which
show whole notes, or the whole chunk of a long one, as long as they fit.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any

from bench.recall import TEAM, Case, JudgedQuestion, Reading, indexed, team_note, team_questions, turn_note
from helix.compose import open_workspace
from helix.index.engine import Candidate, Engine, Wording
from helix.index.filters import Where
from helix.index.query import parse
from helix.index.search import Question, SearchAnswer, Searcher
from helix.memory import answers
from helix.memory.budget import fit_page
from helix.memory.pagination import Listing
from helix.memory.place import Place
from helix.memory.principal import LOCAL
from helix.memory.reading.context import context
from helix.memory.reading.passages import units
from helix.memory.reading.presentation import brief, passage
from helix.memory.reading.search import search
from helix.memory.request import Request
from helix.memory.search_engine import Recall
from helix.memory.size_limits import HITS_SHOWN
from helix.memory.tokens import Payload
from helix.vault import frontmatter
from helix.vault.ids import PREFIX
from helix.vault.paths import slug
from helix.vault.yaml_load import Value

LONG = Path(__file__).parent / "long"
BUDGETS = (250, 500, 1_000, 2_000, 4_000)
_EVERYTHING = 50  # hits: what bounds these answers is the budget
_OF_DOCUMENT = 6
_FENCED = re.compile(r'<memory id="([^"]+)"[^>]*>\n(.*?)\n</memory>', re.DOTALL)
_NOW = datetime(2026, 10, 20, tzinfo=UTC)


@dataclass(frozen=True)
class Evidence:
    """A text that answers, and the note it stands in."""

    note_id: str
    text: str


@dataclass(frozen=True)
class AskedOf:
    """A set of notes, and the questions that they answer."""

    name: str
    notes: Mapping[str, bytes]
    questions: Sequence[tuple[JudgedQuestion, Sequence[Evidence]]]


@dataclass
class Score:
    recall: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    shown: list[int] = field(default_factory=list)


class _Remembered(Searcher):
    """Each question goes through the model once, however many answers are made of it."""

    def __init__(self, searcher: Searcher) -> None:
        self._searcher = searcher
        self._known: dict[str, SearchAnswer] = {}

    def search(self, question: Question) -> SearchAnswer:
        key = repr(question)
        if key not in self._known:
            self._known[key] = self._searcher.search(question)
        return self._known[key]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench evidence", description=__doc__)
    parser.add_argument(
        "--data", type=Path, help="a file of conversations; without it only the team's memories"
    )
    parser.add_argument("--split", choices=("dev", "test"), help="only this half of the questions")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "helix-bench-state")
    options = parser.parse_args(argv)
    talks = [] if options.data is None else json.loads(options.data.read_text("utf-8"))["conversations"]
    _report("team", [team()], options.split, options.cache)
    _report("team, six to a document", [documents()], options.split, options.cache)
    _report("long notes", [long_notes()], options.split, options.cache)
    if talks:
        _report("conversations, by turn", [turns(talk) for talk in talks], options.split, options.cache)
        plain = [turns(talk, Reading.PLAIN) for talk in talks]
        _report("conversations, plain notes", plain, options.split, options.cache)
        _report("conversations, by session", [sessions(talk) for talk in talks], options.split, options.cache)


def _report(name: str, sets: Sequence[AskedOf], split: str | None, cache: Path) -> None:
    scores: dict[tuple[str, int], Score] = {}
    asked = 0
    for one in sets:
        questions = [pair for pair in one.questions if split in (None, pair[0].split)]
        asked += len(questions)
        with indexed(Case(one.name, one.notes, ()), cache) as (helix, recall):
            again = Recall(_Remembered(recall.searcher), recall.index, recall.open_index)
            moment = [_NOW]
            helix.vault.clock = lambda: moment[0]  # noqa: B023 (used at once)
            with open_workspace(helix, lambda: again) as workspace:  # noqa: B023 (used at once)
                request = workspace.request(LOCAL, Place())
                for question, evidence in questions:
                    moment[0] = question.asked_at or _NOW
                    _put(request, recall.index, question, evidence, scores)
    print(f"\n{name}: {asked} questions{f' ({split})' if split else ''}")
    print(f"{'':24}{'as asked':>9}{'tokens':>8}{'hits':>6}" + "".join(f"{budget:>8}" for budget in BUDGETS))
    for way in ("search", "context", "words alone", "vectors alone"):
        plain = scores[way, 0]
        line = f"{way:24}{mean(plain.recall):>9.3f}{mean(plain.tokens):>8.0f}{mean(plain.shown):>6.1f}"
        print(line + "".join(f"{mean(scores[way, budget].recall):>8.3f}" for budget in BUDGETS), flush=True)


def _put(
    request: Request,
    index: Engine,
    question: JudgedQuestion,
    evidence: Sequence[Evidence],
    scores: dict[tuple[str, int], Score],
) -> None:
    def note(way: str, budget: int, tokens: int, shown: Mapping[str, str]) -> None:
        score = scores.setdefault((way, budget), Score())
        score.recall.append(mean(_share(one.text, shown.get(one.note_id, "")) for one in evidence))
        score.tokens.append(tokens)
        score.shown.append(len(shown))

    hidden = question.include_hidden
    found = index.candidates(
        Wording(question.text, parse(question.text).words), Where(active_only=not hidden), _EVERYTHING
    ).found
    by_words = sorted((one for one in found if one.words), key=lambda one: (-one.words, one.id))
    by_vectors = sorted((one for one in found if one.cosine is not None), key=_by_cosine)
    ordinals = dict(zip(found.ids, found.ordinals.tolist(), strict=True))
    for budget in (0, *BUDGETS):
        answer = search(
            request,
            question.text,
            scope="all",
            include_deleted=hidden,
            limit=_EVERYTHING if budget else HITS_SHOWN,
            max_tokens=budget or 1_500,
        )
        note("search", budget, answer["tokens_used"], _texts(answer["results"]))
        for way, ordered in (("words alone", by_words), ("vectors alone", by_vectors)):
            hits = [(one.id, ordinals[one.id]) for one in ordered[: None if budget else HITS_SHOWN]]
            plain = _whole_notes(request, hits, budget or 1_500)
            note(way, budget, plain["tokens_used"], _texts(plain["results"]))
        if not hidden:  # a pack is of what holds today
            bundle = context(request, question.text, scope="all", max_tokens=budget or 4_000)
            note("context", budget, bundle["tokens_used"], dict(_FENCED.findall(bundle["context"])))


def _by_cosine(one: Candidate) -> tuple[float, str]:
    return (-(one.cosine or 0.0), one.id)


def _whole_notes(request: Request, hits: Sequence[tuple[str, int]], max_tokens: int) -> Payload:
    view = request.view()

    def render(hit: tuple[str, int]) -> Payload | None:
        note = view.find(hit[0])
        # What the vectors did not find has no best chunk: then it is the first.
        return None if note is None else {**brief(note, passage(note, max(hit[1], 0))), "score": 1.0}

    return fit_page(
        {}, Listing("baseline", list(hits)), render, _page_of, len(hits), request.budget(max_tokens)
    )


def _page_of(head: Payload, items: Sequence[Payload], end: answers.Page) -> Payload:
    return {**head, "results": list(items), **end}


def _texts(results: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    return {one["id"]: one["text"] for one in results}


def _share(evidence: str, shown: str) -> float:
    """Of a text: how much of it, in whole sentences, stands in another."""
    flat = " ".join(shown.split())
    parts = [" ".join(evidence[one.start : one.end].split()) for one in units(evidence)]
    return sum(len(part) for part in parts if part in flat) / (sum(map(len, parts)) or 1)


def _id(key: str, day: str, text: str) -> str:
    """As long as that of a memory somebody wrote: ids are a good part of an answer."""
    return f"{PREFIX}{day[:10]}_{slug(text)}_{key.casefold():0>6}"


def team() -> AskedOf:
    memories, asked = _team()
    ids = {one["key"]: _id(one["key"], one["created_at"], one["title"]) for one in memories}
    linked = ("supersedes", "depends_on", "relates_to")
    notes = {
        ids[one["key"]]: team_note(
            {**one, "key": ids[one["key"]]}
            | {edge: [ids[to] for to in one[edge]] for edge in linked if edge in one}
        )
        for one in memories
    }
    texts = {one["key"]: one["text"].strip() for one in memories}

    def evidence(question: JudgedQuestion, key: str) -> Evidence:
        # Of a long document one sentence answers, and the question says which.
        is_in = question.sentence and question.sentence in texts[key]
        return Evidence(ids[key], question.sentence if is_in else texts[key])

    return AskedOf(
        "team", notes, [(one, [evidence(one, key) for key in sorted(one.evidence)]) for one in asked]
    )


def documents() -> AskedOf:
    """Of each project, six memories to a document, each under its title. Of what holds today only."""
    memories, asked = _team()
    of_project: dict[str, list[Mapping[str, Any]]] = {}
    for one in memories:
        if one["status"] == "active" and one["kind"] != "document":
            of_project.setdefault(one["project"] or "team", []).append(one)
    notes: dict[str, bytes] = {}
    texts: dict[str, Evidence] = {}
    for project, all_of_it in of_project.items():
        for first in range(0, len(all_of_it), _OF_DOCUMENT):
            group = all_of_it[first : first + _OF_DOCUMENT]
            title = f"{project} notes {first // _OF_DOCUMENT + 1}"
            name = _id(group[0]["key"], group[-1]["created_at"], title)
            meta: dict[str, Value] = {
                "id": name,
                "title": title,
                "kind": "document",
                "created_at": group[-1]["created_at"],
            }
            notes[name] = frontmatter.create(
                meta, "\n\n".join(f"## {one['title']}\n\n{one['text']}" for one in group) + "\n"
            )
            texts |= {one["key"]: Evidence(name, one["text"].strip()) for one in group}
    return AskedOf(
        "documents",
        notes,
        [
            (question, [texts[key] for key in sorted(question.evidence)])
            for question in asked
            if question.evidence <= texts.keys()
        ],
    )


def long_notes() -> AskedOf:
    """Long notes, among the team's memories: what answers stands in several places of them."""
    written, asked = (
        [json.loads(line) for line in (LONG / name).read_text("utf-8").splitlines()]
        for name in ("notes.jsonl", "questions.jsonl")
    )
    notes = dict(team().notes)
    ids = {one["key"]: _id(one["key"], one["created_at"], one["title"]) for one in written}
    for one in written:
        meta: dict[str, Value] = {name: one[name] for name in ("title", "created_at")}
        notes[ids[one["key"]]] = frontmatter.create(
            {"id": ids[one["key"]], "kind": "event", **meta}, f"{one['text']}\n"
        )
    questions = []
    for one in asked:
        evidence = [Evidence(ids[each["key"]], each["sentence"]) for each in one["evidence"]]
        needed = frozenset(each.note_id for each in evidence)
        questions.append((JudgedQuestion(one["question"], needed, one["category"], one["split"]), evidence))
    return AskedOf("long", notes, questions)


def _team() -> tuple[list[Mapping[str, Any]], list[JudgedQuestion]]:
    memories = [json.loads(line) for line in (TEAM / "memories.jsonl").read_text("utf-8").splitlines()]
    return memories, [question for question in team_questions() if question.evidence]


def turns(talk: Mapping[str, Any], reading: Reading = Reading.KEPT) -> AskedOf:
    notes: dict[str, bytes] = {}
    texts: dict[str, Evidence] = {}
    for place, turn in enumerate(talk["notes"]):
        moment = _moment(turn) + timedelta(seconds=place)
        name = _id(f"{place}", f"{moment:%Y-%m-%d}", turn["text"])
        notes[name] = turn_note(turn, name, place, reading)
        # In a plain note the day stands before it.
        text = f"{turn['speaker']}: {turn['text']}" if reading is Reading.KEPT else turn["text"]
        texts[turn["key"]] = Evidence(name, text.strip())
    return AskedOf(f"{talk['id']}{reading.value}", notes, list(_answerable(talk, texts)))


def sessions(talk: Mapping[str, Any]) -> AskedOf:
    of_session: dict[int, list[Mapping[str, Any]]] = {}
    for turn in talk["notes"]:
        of_session.setdefault(turn["session"], []).append(turn)
    notes: dict[str, bytes] = {}
    texts: dict[str, Evidence] = {}
    for number, held in of_session.items():
        moment = _moment(held[0])
        title = f"Conversation of {moment:%d %B %Y}"
        name = _id(f"{number}", f"{moment:%Y-%m-%d}", title)
        said = [f"{turn['speaker']}: {turn['text']}".strip() for turn in held]
        meta: dict[str, Value] = {
            "id": name,
            "title": title,
            "kind": "event",
            "created_at": f"{moment:%Y-%m-%dT%H:%M:%SZ}",
        }
        notes[name] = frontmatter.create(meta, "\n\n".join(said) + "\n")
        texts |= {turn["key"]: Evidence(name, text) for turn, text in zip(held, said, strict=True)}
    return AskedOf(talk["id"], notes, list(_answerable(talk, texts)))


def _answerable(
    talk: Mapping[str, Any], texts: Mapping[str, Evidence]
) -> Iterator[tuple[JudgedQuestion, Sequence[Evidence]]]:
    answerable = [one for one in talk["questions"] if any(key in texts for key in one["evidence"])]
    for number, one in enumerate(answerable):
        evidence = [texts[key] for key in one["evidence"] if key in texts]
        ids = frozenset(one.note_id for one in evidence)
        yield (
            JudgedQuestion(one["q"], ids, f"category {one['category']}", ("dev", "test")[number % 2]),
            evidence,
        )


def _moment(turn: Mapping[str, Any]) -> datetime:
    return datetime.strptime(turn["date"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
