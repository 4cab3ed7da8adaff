"""What holds for every dialect: it is data that hosts can show and models can afford."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from helix.dialects.dialect import Dialect
from helix.dialects.reference import render
from helix.dialects.registry import DEFAULT, DIALECTS
from helix.memory.tokens import Payload, serialize, token_counter

BUDGET = 2_000
# The input of the six tools as the reference of the protocol's tools has it. More may be taken, nothing else.
SCOPE: Payload = {"type": "string", "enum": ["project", "global", "session"], "default": "project"}
STRING: Payload = {"type": "string"}


def _format(default: str) -> Payload:
    return {"type": "string", "enum": ["concise", "detailed"], "default": default}


REFERENCE: dict[str, tuple[list[str], dict[str, Payload]]] = {
    "memory_search": (
        ["query"],
        {
            "query": STRING,
            "scope": SCOPE,
            "filters": {"type": "object", "additionalProperties": {"type": "string"}},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 8},
            "max_tokens": {"type": "integer", "minimum": 64, "maximum": 25000, "default": 1500},
            "response_format": _format("concise"),
        },
    ),
    "memory_context": (
        ["task"],
        {
            "task": STRING,
            "scope": SCOPE,
            "max_tokens": {"type": "integer", "minimum": 128, "maximum": 25000, "default": 4000},
            "response_format": _format("concise"),
        },
    ),
    "memory_write": (
        ["text"],
        {
            "text": STRING,
            "kind": {
                "type": "string",
                "enum": ["fact", "preference", "decision", "snippet", "task"],
                "default": "fact",
            },
            "scope": SCOPE,
            "tags": {"type": "array", "items": STRING},
            "idempotency_key": STRING,
            "supersede_hint": STRING,
        },
    ),
    "memory_get": (["id"], {"id": STRING, "response_format": _format("detailed")}),
    "memory_forget": (
        ["id"],
        {
            "id": STRING,
            "mode": {"type": "string", "enum": ["tombstone", "hard"], "default": "tombstone"},
            "idempotency_key": STRING,
        },
    ),
    "memory_relate": (
        ["from", "to", "rel"],
        {
            "from": STRING,
            "to": STRING,
            "rel": {
                "type": "string",
                "enum": ["supersedes", "depends_on", "contradicts", "refines", "relates_to"],
            },
            "idempotency_key": STRING,
        },
    ),
}

CHANGING = {
    "memory_write", "memory_append", "memory_forget", "memory_relate", "memory_feedback", "memory_skill",
    "memory_invalidate", "context_after_turn", "subagent_cleanup", "memory_remember", "memory_update",
    "project_create", "project_delete", "project_activate", "project_deactivate", "project_share", "project_unshare",
}  # fmt: skip
DESTROYING = {"memory_forget", "project_delete", "project_unshare"}

every_dialect = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)


@every_dialect
def test_every_name_is_one_that_hosts_accept_and_its_title_is_the_dotted_one(dialect: Dialect) -> None:
    names = [name for tool in dialect.tools for name in tool.names]
    assert len(names) == len(set(names))
    for tool in dialect.tools:
        assert re.fullmatch(r"[a-z]+(_[a-z]+)+", tool.name)
        assert tool.title == tool.name.replace("_", ".")


@every_dialect
def test_every_schema_is_one(dialect: Dialect) -> None:
    for tool in dialect.tools:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.input_schema["type"] == "object"
        if tool.output_schema is not None:
            Draft202012Validator.check_schema(tool.output_schema)
            assert tool.output_schema["type"] == "object"


def test_the_six_tools_take_what_their_reference_says() -> None:
    assert [tool.name for tool in DIALECTS[DEFAULT].tools] == list(REFERENCE)
    for tool in DIALECTS[DEFAULT].tools:
        required, properties = REFERENCE[tool.name]
        assert tool.input_schema["required"] == required
        for name, wanted in properties.items():
            given = dict(tool.input_schema["properties"][name])
            given.pop("description", None)
            assert given == wanted, f"{tool.name}.{name}"


def test_writing_is_called_adding_as_well() -> None:
    [write] = [tool for tool in DIALECTS[DEFAULT].tools if tool.name == "memory_write"]
    assert set(write.names) == {"memory_write", "memory.write", "memory_add", "memory.add"}


def test_only_forgetting_is_said_to_destroy_and_all_looking_to_be_harmless() -> None:
    for dialect in DIALECTS.values():
        for tool in dialect.tools:
            assert tool.hints.read_only is (tool.name not in CHANGING)
            assert tool.hints.destructive is (tool.name in DESTROYING)


def test_instructions_are_short() -> None:
    count = token_counter()
    for dialect in DIALECTS.values():
        assert count(dialect.instructions) < 100
        assert count(serialize({"tools": [tool.description for tool in dialect.tools]})) < 400


@every_dialect
def test_the_page_of_the_dialects_is_what_the_dialects_say(dialect: Dialect) -> None:
    page = Path(__file__).parents[2] / "docs" / "dialects.md"
    assert render(dialect) in page.read_text("utf-8"), "write the new tables into docs/dialects.md"
