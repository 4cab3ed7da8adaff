"""The page of the errors, made from the codes. `make docs` writes it, a test compares it."""

from __future__ import annotations

import sys

from helix.codes import CODES, EXIT_STATUS, Code
from helix.surfaces.problems import REFUSALS, http_status

_HEAD = """# Errors

Made from the code by `make docs`; do not edit. Whatever goes wrong is told in a sentence that says what to do, and by
a code that stays as it is between versions: programs go by the code. REST answers `{"error": "a sentence", "code":
"kebab-case"}` with an HTTP status, MCP a result with `isError` and the same two. A command prints the sentence on
standard error, or both as JSON with `--json`, and leaves with an exit status.

"""


def render() -> str:
    statuses = "".join(f"| {status} | {meaning} |\n" for status, meaning in EXIT_STATUS.items())
    rows = "".join(_row(code) for code in sorted(CODES))
    return (
        f"{_HEAD}## Exit statuses\n\n| exit status | meaning |\n|---|---|\n{statuses}\n"
        f"## Codes\n\n| code | HTTP | exit status | what happened | what to do |\n|---|---|---|---|---|\n{rows}"
    )


def _row(code: Code) -> str:
    # What only a command meets has no HTTP status.
    status = REFUSALS.get(code.code) or http_status(code.kind("", code=code.code))
    http = "" if code.code == "daemon-unreachable" else str(status)
    return f"| `{code.code}` | {http} | {code.exit_status} | {code.meaning} | {code.remedy} |\n"


if __name__ == "__main__":
    sys.stdout.write(render())
