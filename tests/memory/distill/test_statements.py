"""What a turn states for good. How often that is right on a labelled set is said by `python -m bench.distill`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.distill import of_sequence, of_turn
from helix.memory.distill.statements import normalized, statements

_SET = Path(__file__).parents[3] / "bench" / "distill"


def _found(text: str, role: str = "user") -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in statements(role, text)]


def test_a_turn_may_state_several_things() -> None:
    text = "ok. Let's go with Postgres for the queue. And never push to main! FYI the sandbox resets at noon."
    assert _found(text) == [
        ("decision", "Let's go with Postgres for the queue."),
        ("preference", "never push to main!"),
        ("fact", "FYI the sandbox resets at noon."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```\nNever push to main.\n```",
        "> Never push to main.",
        "    Never push to main.",
        "Should we never push to main?",
        "if we never push to main, who does?",
        "never mind the main branch",
        "Never push to main for now.",
        "Never show [REDACTED:github-token] to anybody.",
        "Never push to main. " * 400,
    ],
)
def test_quotations_questions_and_what_is_over_soon_state_nothing(text: str) -> None:
    assert _found(text) == []


def test_a_verb_that_looks_like_a_past_tense_is_a_verb() -> None:
    assert _found("Never feed the seals after dark.") == [("preference", "Never feed the seals after dark.")]


def test_an_agent_states_decisions_and_no_rules() -> None:
    assert _found("Never push to main. I always check.", "assistant") == []
    assert _found("Decision: retries have jitter.", "assistant") == [
        ("decision", "Decision: retries have jitter.")
    ]
    assert _found("Decision: retries have jitter.", "tool") == []


def test_what_says_the_same_is_the_same_however_it_is_written() -> None:
    assert normalized("Never push to `main`!") == normalized("never  push to main")


def test_the_rules_stay_as_precise_as_the_documents_say() -> None:
    right = wrong = 0
    for line in (_SET / "turns.jsonl").read_text("utf-8").splitlines():
        turn = json.loads(line)
        if turn["half"] != "test":
            continue
        made, expected = of_turn(turn)
        kept = [text for text in made if any(phrase.casefold() in text.casefold() for phrase in expected)]
        right, wrong = right + len(kept), wrong + len(made) - len(kept)
    assert right / (right + wrong) >= 0.85


def test_a_fix_is_found_where_its_cause_is_told() -> None:
    for line in (_SET / "sequences.jsonl").read_text("utf-8").splitlines():
        made, expected = of_sequence(json.loads(line))
        assert len(made) == len(expected), line
