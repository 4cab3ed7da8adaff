"""The SDKs keep step with the table of verbs: the same parameters, defaults, routes and fields of the answers."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from helix.client.answer_shape import Result
from helix.client.assets import AssetVerbs
from helix.client.documents import DocumentVerbs, JobVerbs
from helix.client.harnesses import HarnessVerbs
from helix.client.methods import Verbs
from helix.client.secrets import SecretVerbs
from helix.client.sessions import SessionVerbs
from helix.client.skills import PublishedSkillVerbs
from helix.memory.verbs.verb import Field, Verb
from helix.verb_table import VERBS

TYPESCRIPT = Path(__file__).resolve().parents[2] / "sdk" / "typescript" / "src"
SPOKEN = [verb for verb in VERBS.values() if verb.sdk]
GROUPS: dict[str, type] = {
    "sessions.": SessionVerbs,
    "documents.": DocumentVerbs,
    "jobs.": JobVerbs,
    "harnesses.": HarnessVerbs,
    "skills.": PublishedSkillVerbs,
    "assets.": AssetVerbs,
    "secrets.": SecretVerbs,
}
"""verbs that stand together, as in `mem.sessions`"""
# A memory is read whole, so that a text written back is not one that was cut.
OWN_DEFAULTS = {("get", "max_tokens")}
NOT_TAKEN = {("today", "as_of"), ("today", "ref")}  # today is not in the past
ONLY_IN_MORE = {("Manifest", "record_format")}


def _named(verb: object) -> str:
    return verb.name if isinstance(verb, Verb) else ""


def _method(verb: Verb) -> Any:
    prefix = _group(verb)
    return getattr(GROUPS.get(prefix, Verbs), verb.sdk.removeprefix(prefix))


def _group(verb: Verb) -> str:
    return next((prefix for prefix in GROUPS if verb.sdk.startswith(prefix)), "")


def _parameter(field: Field, taken: dict[str, inspect.Parameter]) -> inspect.Parameter | None:
    """Python keeps `from` for itself."""
    names = (field.name, field.wire, "frm" if field.wire == "from" else "")
    return next((taken[name] for name in names if name in taken), None)


@pytest.mark.parametrize("verb", SPOKEN, ids=_named)
def test_everything_that_a_verb_takes_can_be_said_with_the_same_default(verb: Verb) -> None:
    taken = dict(inspect.signature(_method(verb)).parameters)
    for field in verb.fields.values():
        if (verb.sdk, field.name) in NOT_TAKEN:
            continue
        own = _parameter(field, taken)
        assert own is not None, f"{verb.sdk} has no parameter for {field.wire}"
        if field.is_required:
            assert own.default is inspect.Parameter.empty, f"{verb.sdk}({own.name}=) must be given"
        elif (verb.sdk, field.name) not in OWN_DEFAULTS and not (own.name == "scope" and own.default is None):
            assert (own.default or None) == (field.default or None), f"{verb.sdk}({own.name}=)"


def test_the_sdk_has_no_verb_that_the_table_does_not_know() -> None:
    spoken = {name for name, _ in inspect.getmembers(Verbs, inspect.isfunction) if not name.startswith("_")}
    spoken |= {
        f"{prefix}{name}"
        for prefix, group in GROUPS.items()
        for name, _ in inspect.getmembers(group, inspect.isfunction)
        if not name.startswith("_")
    }
    assert spoken - {"health"} == {verb.sdk for verb in SPOKEN}


@pytest.mark.parametrize("verb", SPOKEN, ids=_named)
def test_a_call_goes_where_the_table_says(verb: Verb) -> None:
    taken = inspect.signature(_method(verb)).parameters.values()
    needed = {one.name: "x" for one in taken if one.default is inspect.Parameter.empty and one.name != "self"}
    group = GROUPS.get(_group(verb))
    verbs: Any = Verbs("project") if group is None else group()
    call = _method(verb)(verbs, **needed)
    assert (call.method, call.path) == (verb.route.method, re.sub(r"\{\w+\}", "x", verb.route.path))
    assert call.is_repeatable == (not verb.changes or "idempotency_key" in verb.fields)


@pytest.mark.parametrize("verb", SPOKEN, ids=_named)
def test_every_field_of_an_answer_has_a_name_here(verb: Verb) -> None:
    [result] = get_args(get_type_hints(_method(verb))["return"])
    _check(verb.answer_type, result)


def _check(theirs: Any, ours: type[Result]) -> None:
    known = {item.metadata.get("key", item.name): item for item in dataclasses.fields(ours)}
    for name, hint in get_type_hints(theirs).items():
        if (ours.__name__, name) in ONLY_IN_MORE:
            continue
        assert name in known, f"{ours.__name__} has no {name}"
        item = known[name]
        is_required = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        may_be_absent = get_origin(get_type_hints(theirs, include_extras=True)[name]) is NotRequired
        assert not (is_required and may_be_absent), f"{name} of {ours.__name__} may be absent"
        inner = next((part for part in (hint, *get_args(hint)) if is_typeddict(part)), None)
        if inner is not None and "of" in item.metadata:
            _check(inner, item.metadata["of"])


@pytest.mark.parametrize(
    ("file", "name", "prefix"),
    [
        ("helix.ts", "Helix", ""),
        ("sessions.ts", "SessionVerbs", "sessions."),
        ("documents.ts", "DocumentVerbs", "documents."),
        ("documents.ts", "JobVerbs", "jobs."),
        ("harnesses.ts", "HarnessVerbs", "harnesses."),
        ("skills.ts", "PublishedSkillVerbs", "skills."),
        ("assets.ts", "AssetVerbs", "assets."),
        ("secrets.ts", "SecretVerbs", "secrets."),
    ],
)
def test_the_typescript_sdk_has_the_same_verbs_on_the_same_routes(file: str, name: str, prefix: str) -> None:
    body = (TYPESCRIPT / file).read_text("utf-8").partition(f"export class {name}")[2].partition("\n}\n")[0]
    methods = re.findall(
        r'^  (\w+)\([^\n]*\n(?:(?!^  \}).)*?"((?:GET|POST|PATCH) /[^"]*)"', body, re.MULTILINE | re.DOTALL
    )
    spoken = {
        re.sub(
            r"_([a-z])", lambda found: found[1].upper(), verb.sdk.removeprefix(prefix)
        ): f"{verb.route.method} {verb.route.path}"
        for verb in SPOKEN
        if _group(verb) == prefix
    }
    assert dict(methods) == (spoken if prefix else {**spoken, "health": "GET /healthz"})


@pytest.mark.parametrize("verb", [verb for verb in SPOKEN if _group(verb)], ids=_named)
def test_the_typescript_sdk_names_the_answers_of_a_group_as_the_python_sdk_does(verb: Verb) -> None:
    [result] = get_args(get_type_hints(_method(verb))["return"])
    routes = (TYPESCRIPT / "generated" / "routes.ts").read_text("utf-8")
    assert f'"{verb.route.method} {verb.route.path}": {{ answer: "{result.__name__}"' in routes
