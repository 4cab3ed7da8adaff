"""Every area, in the order in which they are told: what everything else stands on comes first."""

from __future__ import annotations

from helix.doctor import (
    daemon,
    derived,
    folders,
    git,
    harnesses,
    hosts,
    links,
    logs,
    machine,
    names,
    notes,
    properties,
    settings,
    sync,
    which_vault,
    workspaces,
)
from helix.doctor.finding import Area, Kind, Severity

AREAS: tuple[Area, ...] = (
    machine.AREA,
    settings.AREA,
    folders.AREA,
    which_vault.AREA,
    workspaces.AREA,
    daemon.AREA,
    notes.AREA,
    properties.AREA,
    links.AREA,
    names.AREA,
    sync.AREA,
    logs.AREA,
    derived.AREA,
    git.AREA,
    hosts.AREA,
    harnesses.AREA,
)

FAILED = Kind(
    "check-failed",
    Severity.ERROR,
    "a check of the doctor could not be run to its end",
    "What it looks at may be in a state that Helix does not know, or this is a bug of the doctor.",
    "The other checks were run. Please report it with the text in brackets.",
)


def kinds() -> list[Kind]:
    return [kind for area in AREAS for kind in area.kinds] + [FAILED]
