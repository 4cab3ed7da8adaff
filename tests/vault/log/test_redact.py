"""Credentials leave an event before it is sealed."""

from __future__ import annotations

from helix.vault.log.redact import REDACTED, redact

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_fields_that_are_named_after_credentials_lose_their_values() -> None:
    kept, places = redact({"api_key": "x", "nested": {"Authorization": {"scheme": "Bearer"}}, "note": "fine"})
    assert kept == {"api_key": REDACTED, "nested": {"Authorization": REDACTED}, "note": "fine"}
    assert places == ["api_key", "nested.Authorization"]


def test_numbers_and_what_only_counts_tokens_stay() -> None:
    payload = {
        "max_tokens": 7,
        "prompt_tokens": "12",
        "token_count": 3,
        "has_token": True,
        "secret_name": "db",
    }
    assert redact(payload) == (payload, [])


def test_of_a_long_text_only_the_lines_with_a_credential_go() -> None:
    kept, places = redact({"turns": ["hello", f"first line\nuse {TOKEN} for it\nlast line"]})
    assert kept == {"turns": ["hello", f"first line\n{REDACTED}\nlast line"]}
    assert places == ["turns[1]"]


def test_a_credential_across_the_pieces_of_a_huge_text_is_found() -> None:
    kept, _ = redact({"text": "x" * (64 * 1024 - 10) + f" {TOKEN} " + "y" * 1000})
    assert TOKEN not in str(kept)


def test_what_is_marked_as_a_key_goes_even_if_it_looks_made_up() -> None:
    for made_up in ("sk-abcdefgh1234", "AKIA" + "IOSFODNN7EXAMPLE", "pypi-AgEIcHlwaS5vcmcCJGQ4"):
        assert redact({"content": f"use {made_up}, please"}) == ({"content": REDACTED}, ["content"])
    harmless = {"content": "sk-learn and task-4711-retries, sk-north-by-north-west"}
    assert redact(harmless) == (harmless, [])
