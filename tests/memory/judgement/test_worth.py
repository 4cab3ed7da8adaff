from __future__ import annotations

import json
import time

import pytest

from bench.pairs import HERE
from helix.memory.judgement.worth import why_not_worth

TEXTS = [json.loads(line) for line in (HERE / "pairs" / "worth.jsonl").read_text("utf-8").splitlines()]


def test_no_labelled_fact_is_refused_and_nearly_all_chatter_is() -> None:
    assert [
        one["text"] for one in TEXTS if one["label"] == "worthy" and why_not_worth(one["text"], "fact")
    ] == []
    chatter = [one["text"] for one in TEXTS if one["label"] == "not"]
    assert sum(why_not_worth(text, "fact") is not None for text in chatter) >= 0.95 * len(chatter)


@pytest.mark.parametrize(
    "text", ["Port 8080", "Ana owns billing", "pnpm, not npm", "端口 8080", "No emojis", "UTC"]
)
def test_short_facts_are_kept(text: str) -> None:
    assert why_not_worth(text, "fact") is None


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "next month"),
        ("👍 !!!", "next month"),
        ("Thanks!", "what was decided"),
        ("Sure, I'll do that", "write the result"),
        ("I have updated the file as requested", "write the result"),
        ("TODO: fill in", "write the memory itself"),
        ("https://example.com/a", "what is found there"),
        (
            "\n".join(f"2026-05-04T10:00:{n % 60:02} INFO job {n} done" for n in range(300)),
            "in a few sentences",
        ),
    ],
)
def test_a_refusal_says_what_to_do_instead(text: str, advice: str) -> None:
    reason = why_not_worth(text, "fact")
    assert reason is not None
    assert advice in reason


def test_a_log_with_a_sentence_about_it_is_kept() -> None:
    log = "\n".join(f"2026-05-04T10:00:{n % 60:02} INFO job {n} done" for n in range(100))
    assert (
        why_not_worth(
            f"The pool was exhausted by the mail job.\nWe raised it to 40.\nSeen here:\n{log}", "fact"
        )
        is None
    )


def test_a_link_is_enough_for_a_document_and_code_for_a_snippet() -> None:
    assert why_not_worth("https://example.com/a", "document") is None
    assert why_not_worth("test", "snippet") is None


@pytest.mark.parametrize(
    "piece", ["a ", "the ", "let me look ", "-", "INFO x\n", "lorem ipsum dolor ", "http://"]
)
def test_long_texts_are_judged_quickly(piece: str) -> None:
    started = time.process_time()
    why_not_worth(piece * (4_000_000 // len(piece)), "fact")
    assert time.process_time() - started < 5
