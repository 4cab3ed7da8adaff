"""The parts of the TypeScript SDK that are made from the daemon's code: `make docs` writes them, a test compares them.

`src/generated/types.ts` and `src/generated/routes.ts` come from the OpenAPI document, `src/generated/tools.ts` from the
tools that the daemon offers over MCP. In TypeScript names are camelCase, on the wire snake_case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helix.dialects.helix.tools import TOOLS
from helix.surfaces.rest.document import document

Schema = dict[str, Any]

GENERATED = Path(__file__).parent / "src" / "generated"
_HEAD = "// Made from the daemon's code by `make docs`; do not edit.\n\n"
_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
# What the SDKs call what the document calls otherwise.
_PUBLIC = {
    "Appended": "AppendedEvent",
    "Conflict": "OpenConflict",
    "Consolidated": "ConsolidateResult",
    "FeedbackGiven": "GivenFeedback",
    "Forgotten": "ForgetResult",
    "Hits": "SearchResult",
    "Ingested": "IngestedEvents",
    "Link": "GraphLink",
    "Node": "GraphNode",
    "Pack": "ContextPack",
    "Facts": "FactList",
    "Filed": "FileResult",
    "Invalidated": "Invalidation",
    "KnownRef": "Ref",
    "RefSet": "SetRef",
    "Refs": "RefList",
    "Skills": "SkillList",
    "Related": "RelateResult",
    "Restored": "RestoreResult",
    "Sessions": "SessionList",
    "StrandEntry": "ManifestEntry",
    "StrandManifest": "Manifest",
    "Updated": "UpdateResult",
    "Verified": "VerifiedSession",
    "Versions": "History",
    "Written": "WriteResult",
}
# What memories are narrowed down by, where the daemon takes it.
_FILTERS = ("project", "kind", "tag", "status", "after", "before")


def render() -> dict[str, str]:
    """The files by name."""
    said = document()
    return {"types.ts": _types(said), "routes.ts": _routes(said), "tools.ts": _tools(said)}


def camel(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def _types(said: Schema) -> str:
    schemas = {_public(name): schema for name, schema in said["components"]["schemas"].items()}
    parts = [_HEAD]
    for name, schema in schemas.items():
        required = schema.get("required", ())
        fields = [(key, one, key in required) for key, one in schema.get("properties", {}).items()]
        parts.append(
            _interface(name, schema.get("description"), fields, said_by_callers=name.endswith("Body"))
        )
    for operation in _operations(said):
        asked = [one for one in operation["parameters"] if one.get("in") == "query"]
        if asked:
            fields = [(one["name"], {**one["schema"], **one}, one.get("required", False)) for one in asked]
            parts.append(
                _interface(_query_name(operation), operation["description"], fields, said_by_callers=True)
            )
    names = "".join(f"  {name}: {name};\n" for name in schemas)
    parts.append(
        f"/** Every schema of the document by its name. */\nexport interface Schemas {{\n{names}}}\n"
    )
    return "".join(parts)


def _interface(
    name: str, about: str | None, fields: list[tuple[str, Schema, bool]], *, said_by_callers: bool
) -> str:
    """Callers may say `undefined` for what they leave out, also under exactOptionalPropertyTypes."""
    left_out = " | undefined" if said_by_callers else ""
    lines = [*_comment(about, ""), f"export interface {name} {{"]
    for key, schema, required in fields:
        lines += _comment(_about(schema), "  ")
        lines.append(
            f"  {camel(key)}: {_type(schema)};"
            if required
            else f"  {camel(key)}?: {_type(schema)}{left_out};"
        )
    return "\n".join([*lines, "}", "", ""])


def _about(schema: Schema) -> str | None:
    about, default = schema.get("description"), schema.get("schema", schema).get("default")
    if default in (None, [], {}, "") or default is False:
        return about
    return f"{about or ''} Default: `{json.dumps(default)}`.".strip()


def _comment(about: str | None, indent: str) -> list[str]:
    if not about:
        return []
    lines = about.strip().replace("*/", "* /").splitlines()
    if len(lines) == 1:
        return [f"{indent}/** {lines[0]} */"]
    return [f"{indent}/**", *(f"{indent} * {line}".rstrip() for line in lines), f"{indent} */"]


def _type(schema: Schema) -> str:
    schema = {**schema, **schema.get("schema", {})}
    if "$ref" in schema:
        return _ref(schema)
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        inner = _type(schema.get("items", {}))
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object":
        return _record(schema)
    return _SCALARS.get(str(kind), "unknown")


def _record(schema: Schema) -> str:
    """A mapping whose keys are somebody's data."""
    more = schema.get("additionalProperties", True)
    value = _type(more) if isinstance(more, dict) else "unknown"
    if keys := schema.get("propertyNames", {}).get("enum"):
        return f"Partial<Record<{' | '.join(json.dumps(key) for key in keys)}, {value}>>"
    return f"Record<string, {value}>"


def _ref(schema: Schema) -> str:
    return _public(str(schema["$ref"]).rpartition("/")[2])


def _public(name: str) -> str:
    return _PUBLIC.get(name, name)


def _routes(said: Schema) -> str:
    """What each route answers and whether it may be asked again, and which fields hold named schemas."""
    lines = []
    for operation in _operations(said):
        if answer := _answer(operation):
            route, again = json.dumps(operation["route"]), json.dumps(_again(operation))
            lines.append(f"  {route}: {{ answer: {json.dumps(answer)}, again: {again} }},")
    nested = []
    for name, schema in said["components"]["schemas"].items():
        inner = {key: ref for key, one in schema.get("properties", {}).items() if (ref := _named(one))}
        if inner:
            fields = ", ".join(f"{key}: {json.dumps(ref)}" for key, ref in inner.items())
            nested.append(f"  {_public(name)}: {{ {fields} }},")
    return (
        f'{_HEAD}import type {{ Schemas }} from "./types.js";\n\n'
        "/** `always`: reading, safe to ask again. `with-key`: safe under one idempotency key. `never`: ask once. */\n"
        'export type Again = "always" | "with-key" | "never";\n\n'
        "export const ROUTES = {\n" + "\n".join(lines) + "\n"
        "} as const satisfies Record<string, { answer: keyof Schemas; again: Again }>;\n\n"
        "/** Fields with schemas in them, by their names on the wire. What is not here is data; its keys stay. */\n"
        "export const NESTED: Partial<Record<keyof Schemas, Readonly<Record<string, keyof Schemas>>>> = {\n"
        + "\n".join(nested)
        + "\n};\n\n"
        "/** What memories are narrowed down by: parameters of their own in an address. */\n"
        f"export const FILTERS = {json.dumps(_filters(said))} as const;\n"
    )


def _filters(said: Schema) -> list[str]:
    asked = {one.get("name") for one in said["paths"]["/recall"]["get"]["parameters"]}
    return [name for name in _FILTERS if name in asked]


def _operations(said: Schema) -> Iterator[Schema]:
    for path, methods in said["paths"].items():
        for method, operation in methods.items():
            yield {"parameters": [], **operation, "route": f"{method.upper()} {path}"}


def _query_name(operation: Schema) -> str:
    name = camel(operation["operationId"])
    return f"{name[0].upper()}{name[1:]}Query"


def _answer(operation: Schema) -> str | None:
    """The name of what is answered; None where that is not JSON with a name."""
    done: Schema = next(
        (answer for status, answer in operation["responses"].items() if status.startswith("2")), {}
    )
    content = done.get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    return _ref(schema) if "$ref" in schema else None


def _again(operation: Schema) -> str:
    if operation["route"].startswith("GET ") or "reading" in operation.get("tags", ()):
        return "always"
    keyed = any(one.get("name") == "Idempotency-Key" for one in operation["parameters"])
    return "with-key" if keyed else "never"


def _named(schema: Schema) -> str | None:
    if "$ref" in schema:
        return _ref(schema)
    for one in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        if name := _named(one):
            return name
    return None


def _tools(said: Schema) -> str:
    filters = _filters(said)
    tools = [_tool(tool.name, tool.description, dict(tool.input_schema), filters) for tool in TOOLS]
    text = json.dumps(tools, indent=2, ensure_ascii=False)
    return (
        f'{_HEAD}import type {{ ToolDefinition }} from "../tools.js";\n\n'
        f"export const TOOLS = {text} as const satisfies readonly ToolDefinition[];\n"
    )


def _tool(name: str, about: str, takes: Schema, filters: list[str]) -> Schema:
    properties = dict(takes["properties"])
    if "filters" in properties:
        properties["filters"] = {
            "type": "object",
            "properties": {key: {"type": "string"} for key in filters},
            "additionalProperties": False,
        }
    return {"name": name, "description": about, "parameters": {**takes, "properties": properties}}


if __name__ == "__main__":
    for name, text in render().items():
        (GENERATED / name).write_text(text, "utf-8")
