"""helix version."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import version as version_of

from helix.cli.output import Json, out, print_json, reports_errors

_PACKAGE = "helix-memory"


@reports_errors
def version(as_json: Json = False) -> None:
    """Say which Helix this is."""
    answer = {
        "helix": version_of(_PACKAGE), "python": platform.python_version(), "executable": sys.executable,
        "platform": platform.platform(terse=True),
    }  # fmt: skip
    if as_json:
        print_json(answer)
    else:
        out.print(f"helix {answer['helix']}, Python {answer['python']}, {answer['platform']}")
