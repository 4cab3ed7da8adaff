"""The table of verbs: every entry is true of what does the work, and of every road that leads there."""

from __future__ import annotations

import inspect
import pkgutil
from collections import Counter
from dataclasses import FrozenInstanceError, fields
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest

from helix.cli.main import commands
from helix.dialects.registry import DEFAULT, DIALECTS
from helix.memory import answers
from helix.memory.verbs.fields import Filters
from helix.memory.verbs.reading import SearchRequest
from helix.memory.verbs.verb import Permission, Verb, fields_of
from helix.memory.writing.amend import Amendment
from helix.verb_table import VERBS

EVERY = list(VERBS.values())


def _named(verb: object) -> str:
    return verb.name if isinstance(verb, Verb) else ""


@pytest.mark.parametrize("verb", EVERY, ids=_named)
def test_an_entry_is_whole(verb: Verb) -> None:
    assert is_typeddict(verb.answer_type)
    assert verb.permission in get_args(Permission)
    assert verb.about
    in_path = {part.strip("{}") for part in verb.route.path.split("/") if part.startswith("{")}
    assert in_path <= {field.wire for field in verb.fields.values() if field.is_required}
    assert verb.route.method != "GET" or not verb.changes


@pytest.mark.parametrize("verb", EVERY, ids=_named)
def test_a_verb_answers_what_its_entry_says(verb: Verb) -> None:
    # Whether the function keeps to its type is for the type checker.
    run = pkgutil.resolve_name(f"helix.{verb.run}")
    answers_with = inspect.get_annotations(inspect.unwrap(run))["return"]
    assert pkgutil.resolve_name(f"{run.__module__}:{answers_with}") is verb.answer_type


def test_no_two_verbs_share_a_route_or_an_operation() -> None:
    routes = Counter((verb.route.method, verb.route.path) for verb in EVERY)
    operations = Counter(verb.route.operation for verb in EVERY)
    assert max((routes | operations).values()) == 1


def test_commands_and_tools_that_are_named_exist() -> None:
    assert {verb.command for verb in EVERY if verb.command} <= set(commands())
    tools = {tool.name for tool in DIALECTS[DEFAULT].tools}
    assert {verb.tool for verb in EVERY if verb.tool} == tools


def test_a_request_keeps_its_values_and_takes_no_other_fields() -> None:
    request = SearchRequest(query="retries", limit=3)
    assert (request.query, request.limit, request.max_tokens) == ("retries", 3, 1500)
    with pytest.raises(FrozenInstanceError):
        request.limit = 4  # type: ignore[misc]
    other: Any = SearchRequest
    with pytest.raises(TypeError, match="has no field 'depth'"):
        other(query="retries", depth=1)
    with pytest.raises(TypeError, match="needs 'query'"):
        other(limit=1)


def test_fields_stand_in_the_order_in_which_they_are_told() -> None:
    assert [*fields_of(Filters)] == ["project", "unfiled", "kind", "tag", "after", "before", "status"]
    assert [*fields_of(SearchRequest)][:4] == ["max_tokens", "cursor", "as_of", "ref"]


@pytest.mark.parametrize("verb", EVERY, ids=_named)
def test_what_is_stated_of_numbers_is_stated_within_its_bounds(verb: Verb) -> None:
    for field in verb.fields.values():
        default: Any = field.default
        if isinstance(default, int | float) and field.about.most is not None:
            assert (field.about.least or 0) <= default <= field.about.most


def test_every_annotation_can_be_read() -> None:
    for name, kind in inspect.getmembers(answers, is_typeddict):
        assert get_type_hints(kind, include_extras=True) or name.startswith("_")


@pytest.mark.parametrize("verb", EVERY, ids=_named)
def test_what_does_the_work_takes_what_the_entry_says(verb: Verb) -> None:
    taken = dict(inspect.signature(pkgutil.resolve_name(f"helix.{verb.run}")).parameters)
    del taken["request"]
    given = set(verb.fields)
    if "as_of" in given:
        given = given - {"as_of", "ref"} | {"when"}
    if verb.name == "write":
        given = {"new_text"}
    if verb.name == "update":
        given = given - {field.name for field in fields(Amendment)} | {"wanted"}
    assert given == set(taken) - {"spell"}
