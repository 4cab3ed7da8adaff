"""The table from errors to HTTP: every error that Helix raises on purpose has its place in it."""

from __future__ import annotations

import json

import pytest

from helix import errors
from helix.surfaces.problems import REFUSALS, answer, http_status


def all_errors(kind: type[errors.HelixError] = errors.HelixError) -> list[type[errors.HelixError]]:
    return [one for each in kind.__subclasses__() for one in (each, *all_errors(each))]


@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.__name__)
def test_no_error_is_left_to_the_general_status(kind: type[errors.HelixError]) -> None:
    status = http_status(kind("a sentence"))
    assert (status == 500) is (kind is errors.ConfigError)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.SecretRefused("x"), 422),
        (errors.NotWorthKeeping("x"), 422),
        (errors.StorageError("x", code="disk-full"), 507),
        (errors.StateUnwritable("x"), 507),
        (errors.StorageError("x", code="not-permitted"), 503),
        (errors.HistoryError("x", code="git-busy"), 503),
        (errors.HistoryError("x", code="bad-revision"), 404),
        (errors.VaultUnavailable("x"), 503),
        (errors.MemoryErased("x", code="forgotten"), 410),
    ],
)
def test_what_has_several_causes_has_several_statuses(error: errors.HelixError, status: int) -> None:
    said = answer(error)
    assert said.status_code == status
    assert json.loads(bytes(said.body)) == {"error": "x", "code": error.code}
    assert ("retry-after" in said.headers) is (status == 503)


def test_a_sentence_with_half_a_character_can_still_be_sent() -> None:
    assert answer(errors.BadValue("no memory '\ud800'")).status_code == 400


def test_each_refusal_has_a_status_of_its_own_but_those_of_who_may_not() -> None:
    others = {code: status for code, status in REFUSALS.items() if code != "forbidden"}
    assert len(set(others.values())) == len(others)
