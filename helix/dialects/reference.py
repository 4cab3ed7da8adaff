"""The page of the dialects, written from the dialects."""

from __future__ import annotations

import json

from helix.dialects.dialect import Dialect, Tool
from helix.dialects.schema import Schema


def render(dialect: Dialect) -> str:
    """What each tool takes and gives, as markdown."""
    return "\n\n".join(_tool(tool) for tool in dialect.tools)


def _tool(tool: Tool) -> str:
    gives = "a text" if tool.output_schema is None else ", ".join(_outputs(tool.output_schema))
    required = tool.input_schema["required"]
    rows = [
        f"| `{name}` | {_kind(schema)} | {'required' if name in required else _default(schema)} |"
        for name, schema in tool.input_schema["properties"].items()
    ]
    names = ", ".join(f"`{name}`" for name in tool.names[1:])
    opening = f"#### {tool.name}\n\nAlso {names}. {tool.description}\n\n| takes | | default |\n|---|---|---|"
    return "\n".join([opening, *rows, "", f"Gives {gives}."])


def _kind(schema: Schema) -> str:
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    kind = str(schema["type"])
    if "minimum" in schema:
        return f"{kind}, {schema['minimum']:,} to {schema['maximum']:,}"
    return f"{kind} of {schema['items']['type']}s" if kind == "array" else kind


def _default(schema: Schema) -> str:
    default = schema.get("default")
    return "" if default is None else f"`{default if isinstance(default, str) else json.dumps(default)}`"


def _outputs(schema: Schema) -> list[str]:
    """With those of a list of things in brackets behind it."""
    names = []
    for name, field in schema["properties"].items():
        inner = field.get("items", {}).get("properties")
        names.append(f"`{name}` ({', '.join(f'`{key}`' for key in inner)})" if inner else f"`{name}`")
    return names
