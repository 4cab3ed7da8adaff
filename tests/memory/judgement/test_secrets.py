from __future__ import annotations

import time

import pytest

from helix.memory.judgement.secrets import find_secret
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
def test_four_megabytes_are_searched_within_a_second(piece: str) -> None:
    text = piece * (4_000_000 // len(piece))
    started = time.process_time()
    find_secret(text)
    assert time.process_time() - started < 1
