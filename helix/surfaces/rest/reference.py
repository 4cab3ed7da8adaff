"""The reference page of the routes, made from the OpenAPI document. `make docs` writes it, a test compares it."""

from __future__ import annotations

import json
import sys
from typing import Any, cast

from helix.surfaces.rest.document import document
from helix.surfaces.rest.respond import ALWAYS, MEANING

Json = dict[str, Any]

_HEAD = """# REST API

Made from the code by `make docs`; do not edit. The daemon serves the same as an OpenAPI document at `/openapi.json`.

```sh
curl -s 127.0.0.1:7878/recall \\
  --get --data-urlencode "q=retry policy for the auth client" \\
  --data "limit=5&format=concise&max_tokens=1200"

curl -s 127.0.0.1:7878/remember \\
  -H "Idempotency-Key: write-2026-06-18-001" \\
  -H "Content-Type: application/json" \\
  -d '{"text":"Auth client retries 3x with jitter","kind":"decision","scope":"project"}'
```

- Every reading answer fits, as it is sent, in `max_tokens` tokens of o200k_base, says `tokens_used` and `truncated`,
  and leads on with `next_cursor`. A cursor stays good while memories are written.
- An error is `{"error": "a sentence", "code": "kebab-case"}`, whatever its status. Programs go by the code.
- `Idempotency-Key` makes a change safe to repeat: the same key with the same request is answered `noop`, with another
  one 409. Keys are one namespace for all programs of one owner. What was forgotten or erased since is not
  answered as if it were stored: a retry gets 410, and writes nothing.
- `If-Match` bases a change on the `ETag` that was read. If the file has changed since, Helix merges the two where they
  fit together and it still knows the text that was read. Where both changed the same lines or the same property, or
  with `"merge": false`, the answer is 409 `stale-hash` and nothing is written: read it again and decide. It is 409 and
  not 412 because a stale tag alone is no reason to refuse.
- `Helix-Project`, `Helix-Session` and `Helix-Client` say from where a request comes; percent-encoded UTF-8.
- `Helix-Workspace`, or `/w/NAME` in front of the path, names one of the [workspaces](workspaces.md) that the key opens.
  `GET /workspaces` lists them.
- A `GET` changes no file. Who may ask at all is on the page [security](security.md).

"""
_ANYWHERE = {str(status) for status in ALWAYS}


def render() -> str:
    openapi = document()
    parts = [_HEAD, _errors()]
    for tag in openapi["tags"]:
        parts.append(f"## {tag['description']}\n\n")
        for path, methods in openapi["paths"].items():
            for method, operation in methods.items():
                if operation["tags"] == [tag["name"]]:
                    parts.append(_operation(openapi, f"{method.upper()} {path}", operation))
    return "".join(parts).rstrip("\n") + "\n"


def _errors() -> str:
    rows = "".join(f"| {status} | {about} |\n" for status, about in sorted(MEANING.items()))
    anywhere = ", ".join(sorted(_ANYWHERE))
    return f"| status | when |\n|---|---|\n{rows}\nAny route can answer {anywhere}; the others are named.\n\n"


def _operation(openapi: Json, name: str, operation: Json) -> str:
    lines = [f"### {name}", "", operation["description"].replace("\n", " ").replace("  ", "\n\n"), ""]
    fields = [*_parameters(operation), *_body(openapi, operation)]
    if fields:
        lines += ["| parameter | in | meaning |", "|---|---|---|", *fields, ""]
    if example := _example(openapi, operation.get("requestBody", {})):
        lines += [f"Body: `{json.dumps(example)}`", ""]
    more = ", ".join(status for status in operation["responses"] if status not in {*_ANYWHERE, "200", "202"})
    lines += [f"Answer: {_answer(openapi, operation)}" + (f" Also {more}." if more else ""), ""]
    return "\n".join(lines) + "\n"


def _parameters(operation: Json) -> list[str]:
    rows = []
    for field in operation.get("parameters", ()):
        if "$ref" not in field:
            meaning = _meaning(field["schema"], field.get("description"), field.get("required"))
            rows.append(f"| `{field['name']}` | {field['in']} | {meaning} |")
    return rows


def _body(openapi: Json, operation: Json) -> list[str]:
    schema = _schema(openapi, operation.get("requestBody", {}))
    needed = schema.get("required", ())
    return [
        f"| `{name}` | body | {_meaning(field, field.get('description'), name in needed)} |"
        for name, field in schema.get("properties", {}).items()
    ]


def _schema(openapi: Json, holder: Json) -> Json:
    schema: Json = holder.get("content", {}).get("application/json", {}).get("schema", {})
    return cast(Json, openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]) if schema else {}


def _example(openapi: Json, holder: Json) -> Any:
    return _schema(openapi, holder).get("example")


def _answer(openapi: Json, operation: Json) -> str:
    done = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
    schema = _schema(openapi, done)
    if not schema:
        return "text."
    return ", ".join(f"`{name}`" for name in schema["properties"]) + "."


def _meaning(schema: Json, description: str | None, required: bool | None) -> str:
    known = {**schema, **next((one for one in schema.get("anyOf", ()) if one.get("type") != "null"), {})}
    words = [description or ""]
    if "enum" in known:
        words.append("One of " + ", ".join(f"`{one}`" for one in known["enum"]) + ".")
    if "minimum" in known or "maximum" in known:
        words.append(f"From {known.get('minimum', 0)} to {known.get('maximum')}.")
    if required:
        words.append("Required.")
    elif known.get("default") not in (None, "", [], {}):
        words.append(f"Default `{json.dumps(known['default'])}`.")
    return " ".join(word for word in words if word).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(render())
