"""One table of errors, held against what the daemon can say and against what all SDKs agreed on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeVar

import pytest

from helix import errors as daemon_errors
from helix.client import errors
from helix.client.errors import HelixError, Refused, error_of
from helix.surfaces.problems import REFUSALS, answer

Kind = TypeVar("Kind", HelixError, daemon_errors.HelixError)
AGREED = json.loads((Path(__file__).parent.parent / "story" / "errors.json").read_text("utf-8"))


def _tree(kind: type[Kind]) -> list[type[Kind]]:
    found = [kind]
    for inner in kind.__subclasses__():
        found += _tree(inner)
    return found


def test_the_tree_is_the_one_that_all_sdks_have() -> None:
    found = {kind.__name__: kind.__bases__[0].__name__ for kind in _tree(HelixError)}
    assert found == {name: parent or "Exception" for name, parent in AGREED["tree"].items()}
    assert {getattr(errors, name).code: name for name in AGREED["without_an_answer"]} == {
        code: name for name, code in AGREED["without_an_answer"].items()
    }
    assert frozenset(AGREED["tried_again"]) == errors.STATUSES_TRIED_AGAIN


def test_the_tree_is_drawn_as_it_is() -> None:
    drawn = {line.split("─ ")[1].split()[0] for line in (errors.__doc__ or "").splitlines() if "─ " in line}
    assert {*drawn, "HelixError"} == {kind.__name__ for kind in _tree(HelixError)}


def test_every_status_has_its_error() -> None:
    for status in range(300, 600):
        wanted = AGREED["by_status"].get(str(status)) or AGREED["by_hundred"][str(status // 100)]
        said = error_of(status, {}, b'{"error": "no", "code": "some-code"}')
        assert (type(said).__name__, said.code, said.status, said.message) == (
            wanted,
            "some-code",
            status,
            "no",
        )


@pytest.mark.parametrize("code", AGREED["by_code"])
def test_a_code_says_more_than_a_status(code: str) -> None:
    said = error_of(418, {}, json.dumps({"error": "no", "code": code}).encode())
    assert type(said).__name__ == AGREED["by_code"][code]


@pytest.mark.parametrize("kind", [kind for kind in _tree(daemon_errors.HelixError) if kind.code != "error"])
def test_every_error_of_the_daemon_arrives_as_one_of_ours(kind: type[daemon_errors.HelixError]) -> None:
    sent = answer(kind("what is wrong"))
    said = error_of(sent.status_code, dict(sent.headers), bytes(sent.body))
    assert (said.code, said.status) == (kind.code, sent.status_code)
    assert "what is wrong" in said.message
    assert type(said) is not HelixError
    if sent.status_code == 422:
        assert isinstance(said, Refused)


@pytest.mark.parametrize("code", REFUSALS)
def test_every_refusal_of_the_surface_arrives_as_one_of_ours(code: str) -> None:
    said = error_of(REFUSALS[code], {}, json.dumps({"error": "no", "code": code}).encode())
    assert said.code == code
    assert type(said) is not HelixError


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"null", b'{"error": "x"}', b"\xff\xfe"])
def test_a_page_of_somebody_else_is_quoted(body: bytes) -> None:
    said = error_of(502, {"retry-after": "soon"}, body)
    assert (type(said).__name__, said.code, said.retry_after) == ("ServerError", "http-502", None)
    assert "502" in said.message
