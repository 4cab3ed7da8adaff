"""Settings: config.toml and the HELIX_* variables."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from helix_mcp.address import is_loopback
from helix_mcp.project import find_project

from helix.config import CONFIG_FILE, ENVIRONMENT
from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.doctor.folders import is_open_to_others

# Those that other parts read: the shim, the completion of the shell, the tests of Helix itself.
_ELSEWHERE = ("HELIX_PROJECT", "HELIX_SESSION", "HELIX_TEST_SCALE", "HELIX_TEST_SEED")
_FOLDERS = ("HELIX_STATE_DIR", "HELIX_CONFIG_DIR")

BROKEN = Kind(
    "config-unreadable",
    Severity.ERROR,
    "config.toml is not TOML",
    "No command and no daemon starts before it can be read.",
    "Mend the line, or move the file away: the defaults are sensible.",
)
UNKNOWN = Kind(
    "unknown-setting",
    Severity.ERROR,
    "config.toml sets something that Helix does not know",
    "A misspelt setting would silently not count, so nothing starts with one.",
    "Correct the name or delete the line; docs/configuration.md lists them.",
)
BAD = Kind(
    "bad-setting",
    Severity.ERROR,
    "a setting has a value that makes no sense",
    "No command and no daemon starts with it.",
    "Correct the value; docs/configuration.md says what it may be.",
)
VARIABLE = Kind(
    "unknown-variable",
    Severity.WARNING,
    "a HELIX_* variable that Helix does not read",
    "Whoever set it expects something of it.",
    "Correct its name, or unset it.",
)
NOWHERE = Kind(
    "variable-points-nowhere",
    Severity.WARNING,
    "a HELIX_* variable names a folder that cannot be there",
    "A drive that is not mounted or a misspelt path: Helix would start anew there, without what it knew.",
    "Correct the path, or mount what is missing.",
)
NOT_LOOPBACK = Kind(
    "not-loopback",
    Severity.ERROR,
    "`host` is not an address of this machine alone",
    "helixd serves this machine only and refuses to start.",
    "Set `host` to 127.0.0.1, or remove the setting.",
)
OPEN_CONFIG = Kind(
    "config-readable-by-others",
    Severity.ERROR,
    "config.toml holds a token and other users can read it",
    "The token opens every memory.",
    "`chmod 600` the file.",
)

PROJECT = Kind(
    "project-file-not-trusted",
    Severity.NOTE,
    "a `.helix-project` that nobody has trusted names another project",
    "It may have come with somebody else's repository; until you trust it, it names nothing.",
    "`helix project trust` in that folder, if you want its name; else remove the file or leave it.",
)


def check_file(examined: Examined) -> Iterator[Finding]:
    path = examined.config.config_dir / CONFIG_FILE
    try:
        text = path.read_text("utf-8")
        settings = tomllib.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        line = re.search(r"line (\d+)", str(error))
        yield BROKEN.at(str(path), str(error), line=int(line[1]) if line else None)
        return
    except OSError as error:
        yield BROKEN.at(str(path), f"it cannot be read: {error.strerror}", remedy="Check its permissions.")
        return
    for key, near in _unknown(settings, examined.config):
        yield UNKNOWN.at(str(path), f"{key!r} is unknown; did you mean {near!r}?", line=_line(text, key))
    if "token" in settings and is_open_to_others(path):
        yield OPEN_CONFIG.at(str(path), f"its mode is {path.stat().st_mode & 0o777:o}")


def _unknown(settings: dict[str, Any], target: Any) -> Iterator[tuple[str, str]]:
    known = [item.name for item in fields(target)]
    for key, value in settings.items():
        if key not in known:
            yield key, difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]
        elif isinstance(value, dict) and is_dataclass(section := getattr(target, key)):
            yield from _unknown(value, section)


def _line(text: str, key: str) -> int | None:
    found = re.search(rf"^[ \t]*\[?[\"']?{re.escape(key)}\b", text, re.MULTILINE)
    return 1 + text.count("\n", 0, found.start()) if found else None


def check_values(examined: Examined) -> Iterator[Finding]:
    error = examined.config_error
    is_told = any(finding.kind in (BROKEN, UNKNOWN) for finding in check_file(examined))
    if error is not None and not is_told:
        yield BAD.at(error.origin or CONFIG_FILE, error.problem)


def check_host(examined: Examined) -> Iterator[Finding]:
    host = examined.config.host
    if examined.config.mode == "local" and not is_loopback(host):
        yield NOT_LOOPBACK.at("host", f"it is {host}")


def check_variables(examined: Examined) -> Iterator[Finding]:
    known = (*ENVIRONMENT, *_ELSEWHERE)
    for name, value in sorted(examined.around.env.items()):
        if name.startswith("HELIX_") and name not in known and value:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield VARIABLE.at(name, f"nothing reads it{hint}")
    for name in _FOLDERS:
        value = examined.around.env.get(name, "").strip()
        folder = Path(value).expanduser() if value else None
        if folder is not None and not folder.exists() and not folder.parent.exists():
            yield NOWHERE.at(name, f"there is neither {folder} nor the folder above it")


def check_project(examined: Examined) -> Iterator[Finding]:
    if examined.around.env.get("HELIX_PROJECT", "").strip():
        return
    found = find_project(str(examined.around.folder), str(examined.config.config_dir))
    if found.ignored:
        yield PROJECT.at(
            found.ignored, f"it says {found.ignored_name!r}; the project is {found.name or 'none'!r}"
        )


AREA = Area(
    "Settings",
    (BROKEN, UNKNOWN, BAD, VARIABLE, NOWHERE, NOT_LOOPBACK, OPEN_CONFIG, PROJECT),
    (check_file, check_values, check_host, check_variables, check_project),
)
