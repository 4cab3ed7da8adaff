from __future__ import annotations

import time

import pytest

from helix.vault.secrets import find_leak, find_secret, line_of_secret
from tests.memory.judgement.secret_samples import innocents, secrets

SECRETS = secrets()
INNOCENTS = innocents()


def test_the_samples_are_many_and_of_many_kinds() -> None:
    assert len(SECRETS) >= 40
    assert len({kind for kind, _ in SECRETS}) >= 15
    assert len(INNOCENTS) >= 60


@pytest.mark.parametrize(("kind", "text"), SECRETS, ids=[f"{place}" for place in range(len(SECRETS))])
def test_a_secret_is_found_and_named_by_its_kind(kind: str, text: str) -> None:
    assert find_secret(text) == kind
    assert find_secret(f"First some prose.\n\n{text}\n\nThen more.") == kind


@pytest.mark.parametrize("text", INNOCENTS, ids=[f"{place}" for place in range(len(INNOCENTS))])
def test_what_only_looks_like_a_secret_is_let_through(text: str) -> None:
    assert find_secret(text) is None


def test_a_secret_at_the_end_of_a_large_text_is_found() -> None:
    kind, text = SECRETS[0]
    assert find_secret("The build is green. İ\n" * 100_000 + text) == kind


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "eyJ",
        "eyJ-",
        "eyJaaaaaaaaa.",
        "password=x ",
        "password:",
        "token: abc1 ",
        "://a:",
        "-----BEGIN ",
        "sk-",
        "Basic YQ== ",
        "bearer ",
        " SK",
        ":AA",
        "The quick brown fox.\n",
        " ",
        "İ",
    ],
)
def test_what_four_megabytes_cost_grows_with_the_text_and_not_with_its_square(piece: str) -> None:
    def cost(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.thread_time()
        find_secret(text)
        return time.thread_time() - started

    assert cost(4_000_000) < 0.2 + 9 * min(cost(1_000_000) for _ in range(2))


KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("record", "where"),
    [
        ({"text": f"one\ntwo {KEY}\nthree"}, "text, line 2"),
        ({"text": "fine", "title": KEY}, "title"),
        ({"tags": ["a", KEY]}, "tags"),
        ({"edges": {"relates_to": [KEY]}}, "relates_to"),
        ({"more": {"source": {"deep": [{"deeper": KEY}]}}}, "deeper"),
        ({"more": {"source": {KEY: "value"}}}, "source"),
        ({KEY: "value"}, "a name"),
        ({"source": {"password": "hunter2Xy9!"}}, "password"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_secret_is_found_wherever_it_stands_in_a_record(record: dict[str, object], where: str) -> None:
    leak = find_leak(record)
    assert leak is not None
    assert leak.where == where
    assert KEY not in leak.where + leak.kind


def test_what_stands_in_two_fields_is_not_read_as_one() -> None:
    assert find_leak({"tags": ["password", ": hunter2Xy9!"], "title": "bearer", "text": "a1B2" * 20}) is None


@pytest.mark.parametrize("text", INNOCENTS, ids=[f"{place}" for place in range(len(INNOCENTS))])
def test_a_record_of_innocents_is_let_through(text: str) -> None:
    record = {"text": text, "project": "billing", "more": {"idempotency_key": "3f0a9c77d1e24b68"}}
    assert find_leak(record) is None


@pytest.mark.parametrize(("kind", "text"), SECRETS, ids=[f"{place}" for place in range(len(SECRETS))])
def test_the_line_of_a_secret_is_told(kind: str, text: str) -> None:
    before = "The build is green.\n" * 7
    line = line_of_secret(f"{before}{text}\nThen more.\n")
    assert 7 < line <= 7 + len(text.splitlines())
    assert line_of_secret(before) == 0
