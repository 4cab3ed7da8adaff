"""The machine: Python, which Helix a shell finds, space, clock, and how many folders may be watched."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.doctor.lines import line_of
from helix.vault.note import Note
from helix.vault.times import parse_time

COMMANDS = ("helix", "helixd", "helix-mcp")
_OLDEST_PYTHON = (3, 11)
_LITTLE = 500 * 1024 * 1024
_NOTHING_LEFT = 20 * 1024 * 1024
# Two machines are minutes apart, not a day.
_SKEW = timedelta(days=1)
_SEVERAL = 3
_STAMPS = ("created_at", "updated_at", "deleted_at", "restored_at")

PYTHON = Kind(
    "python-too-old",
    Severity.ERROR,
    "this Python is older than Helix needs",
    "Helix uses what came with Python 3.11; older ones fail in places that say nothing.",
    "Install Python 3.11 or newer, and Helix with it: `make PYTHON=python3.12 install`.",
)
SEVERAL = Kind(
    "several-installations",
    Severity.WARNING,
    "more than one Helix is on the PATH",
    "A shell, an agent and a service may each start another one; the text editor Helix has a command `helix`, too.",
    "Keep one: uninstall the others, or put the folder of the right one first on the PATH.",
)
MIXED = Kind(
    "mixed-installation",
    Severity.WARNING,
    "helix, helixd and helix-mcp come from different installations",
    "A daemon of one version answers commands of another.",
    "Put the folder that holds all three first on the PATH.",
)
DISK = Kind(
    "disk-nearly-full",
    Severity.WARNING,
    "there is little space left",
    "A memory is acknowledged only when it is safe on disk; on a full one nothing can be remembered.",
    "Free some space. Derived data can go: `helix reindex` makes it again.",
)
CLOCK = Kind(
    "clock-behind",
    Severity.ERROR,
    "the clock of this machine is behind what the notes say",
    "New memories would look older than old ones, and a merge would take the wrong side of a property.",
    "Set the clock, on Linux with `timedatectl set-ntp true`. If it is right, the machine that wrote these is ahead.",
)
FUTURE = Kind(
    "note-from-the-future",
    Severity.WARNING,
    "a date of a note lies ahead of the clock",
    "It stays on top of what is recent, and wins over later changes when two copies are merged.",
    "Correct the date in the note, or the clock of the machine that wrote it.",
)
WATCHES = Kind(
    "watch-limit-low",
    Severity.WARNING,
    "the system lets programs watch fewer folders than the vault has",
    "Changes are then seen by the scan once a minute, not at once.",
    "Raise it: `sudo sysctl fs.inotify.max_user_watches=524288`, and in /etc/sysctl.d to keep it.",
)


def check_python(examined: Examined) -> Iterator[Finding]:
    found = examined.around.python
    if found < _OLDEST_PYTHON:
        yield PYTHON.at(sys.executable, f"Python {'.'.join(map(str, found))} runs Helix")


def check_installations(examined: Examined) -> Iterator[Finding]:
    found = {name: _on_path(examined, name) for name in COMMANDS}
    for name, places in found.items():
        if len(places) > 1:
            yield SEVERAL.at(
                str(places[0]), f"{name} is found in {len(places)} places", detail=_listed(places)
            )
    first = {name: places[0].parent for name, places in found.items() if places}
    if len(set(first.values())) > 1:
        lines = [f"{name}: {folder}" for name, folder in first.items()]
        yield MIXED.at("PATH", "the commands do not lie in one folder", detail="\n".join(lines))


def _on_path(examined: Examined, name: str) -> list[Path]:
    """The places in which a shell would look, each program once."""
    places: dict[str, Path] = {}
    for folder in examined.around.env.get("PATH", "").split(os.pathsep):
        program = Path(folder, name)
        is_shim = program.parent.name == "shims"  # of pyenv or asdf: it stands for one that is found anyway
        if folder and not is_shim and program.is_file() and os.access(program, os.X_OK):
            places.setdefault(os.path.realpath(program), program)
    return list(places.values())


def check_space(examined: Examined) -> Iterator[Finding]:
    for folder in dict.fromkeys((examined.vault, examined.config.state_dir)):
        existing = _nearest_there(folder)
        free = examined.around.free_bytes(existing)
        if free < _LITTLE:
            severity = Severity.ERROR if free < _NOTHING_LEFT else Severity.WARNING
            yield DISK.at(str(folder), f"{free // (1024 * 1024)} MB are left on its disk", severity=severity)


def _nearest_there(folder: Path) -> Path:
    return next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))


def check_clock(examined: Examined) -> Iterator[Finding]:
    ahead = [(note, key) for note in examined.memories if (key := _date_ahead(examined, note))]
    if len(ahead) >= _SEVERAL and len(ahead) * 5 > len(examined.memories):
        what = f"{len(ahead)} of {len(examined.memories)} notes were written after {examined.around.now:%Y-%m-%d %H:%M}"
        yield CLOCK.at(
            "the clock", f"{what} UTC, which is now", detail=_listed([note.path for note, _ in ahead])
        )
        return
    for note, key in ahead:
        what = f"{key} is {note.meta[key]}, and today is {examined.around.now:%Y-%m-%d}"
        yield FUTURE.at(note.path, what, line=line_of(note, key))


def _date_ahead(examined: Examined, note: Note) -> str | None:
    for key in _STAMPS:
        moment = parse_time(note.meta.get(key))
        if moment is not None and moment > examined.around.now + _SKEW:
            return key
    return None


def check_watches(examined: Examined) -> Iterator[Finding]:
    limit = examined.around.watch_limit
    needed = examined.entries.watched
    if limit is not None and needed > limit:
        yield WATCHES.at("fs.inotify.max_user_watches", f"it is {limit}; the vault has {needed} folders")


def _listed(places: list[Path] | list[str], most: int = 5) -> str:
    more = [f"… and {len(places) - most} more"] if len(places) > most else []
    return "\n".join([*map(str, places[:most]), *more])


AREA = Area(
    "This machine",
    (PYTHON, SEVERAL, MIXED, DISK, CLOCK, FUTURE, WATCHES),
    (check_python, check_installations, check_space, check_clock, check_watches),
)
