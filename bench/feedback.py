"""What feedback does to search: `python -m bench feedback`, on the team's memories of bench/team.

Every fifth question is asked, and somebody says as an agent would that its evidence was helpful, and that a first hit
which is none was irrelevant. Then all questions are asked again: those that were judged, and all others, which share
the memories and half of their words.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from bench.figures import judge
from bench.recall import JudgedQuestion, indexed, team_case
from helix.index.filters import Where
from helix.index.search import Question
from helix.memory.followed_vault import FollowedVault
from helix.memory.search_engine import Recall
from helix.vault.log.event import EventDraft

_EVERY = 5
_DAY_BEFORE = "2026-10-19T00:00:00Z"
_DEPTH = 5


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.feedback", description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "helix-bench-state")
    options = parser.parse_args(argv)
    case = team_case(None)
    questions = [question for question in case.questions if question.evidence]
    judged = {question.text for question in questions[::_EVERY]}
    with indexed(case, options.cache) as (helix, recall):
        before = {question.text: _ask(recall, question) for question in questions}
        for question in questions:
            if question.text in judged:
                _say(helix, question, before[question.text])
        after = {question.text: _ask(recall, question) for question in questions}
    groups: dict[str, list[JudgedQuestion]] = defaultdict(list)
    for question in questions:
        groups["judged" if question.text in judged else "others"].append(question)
        if question.text not in judged:
            groups[f"others, {question.category}"].append(question)
    worst = 0.0
    for name in ("judged", *sorted(groups.keys() - {"judged"})):
        asked = groups[name]
        gained = {what: of(after, asked) - of(before, asked) for what, of in _FIGURES.items()}
        shown = ", ".join(
            f"{what} {of(before, asked):.3f} -> {of(after, asked):.3f}" for what, of in _FIGURES.items()
        )
        print(f"{name} ({len(asked)}): {shown}")
        if name == "judged":
            judge("what the judged questions gain in MRR", gained["MRR"], 0.0, "", at_least=True)
        else:
            worst = max(worst, *(-one for one in gained.values()))
    judge("what any group of other questions loses", worst, 0.01, "")


def _ask(recall: Recall, question: JudgedQuestion) -> list[str]:
    where = Where(active_only=not question.include_hidden)
    answer = recall.searcher.search(Question(question.text, limit=20, now=question.asked_at, where=where))
    return [hit.memory_id for hit in answer.hits]


def _say(helix: FollowedVault, question: JudgedQuestion, found: Sequence[str]) -> None:
    said = dict.fromkeys(sorted(question.evidence), "helpful")
    if found and found[0] not in question.evidence:
        said[found[0]] = "irrelevant"
    drafts = [
        EventDraft(
            "memory.reinforced" if word == "helpful" else "memory.feedback",
            "agent",
            {"memory_id": memory_id, "feedback": word, "query": question.text},
            _DAY_BEFORE,
        )
        for memory_id, word in said.items()
    ]
    helix.events.append("bench", drafts)


def _reciprocal(found: Mapping[str, Sequence[str]], questions: Sequence[JudgedQuestion]) -> float:
    def of_one(question: JudgedQuestion) -> float:
        places = [at for at, name in enumerate(found[question.text], 1) if name in question.evidence]
        return 1 / places[0] if places else 0.0

    return mean(map(of_one, questions))


def _recall(found: Mapping[str, Sequence[str]], questions: Sequence[JudgedQuestion]) -> float:
    return mean(
        len(question.evidence.intersection(found[question.text][:_DEPTH])) / len(question.evidence)
        for question in questions
    )


_FIGURES = {"MRR": _reciprocal, f"R@{_DEPTH}": _recall}


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
