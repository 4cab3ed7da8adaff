"""Running the checks. One that fails says so and hides no other."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from helix.doctor.examined import Examined, NothingToExamine
from helix.doctor.finding import Area, Check, Finding, Severity
from helix.doctor.registry import AREAS, FAILED

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Diagnosis:
    by_area: dict[str, list[Finding]]

    @property
    def findings(self) -> list[Finding]:
        return [finding for found in self.by_area.values() for finding in found]

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)


def examine(examined: Examined, areas: Sequence[Area] = AREAS) -> Diagnosis:
    return Diagnosis({area.title: list(_run(area, examined)) for area in areas})


def _run(area: Area, examined: Examined) -> Iterator[Finding]:
    for check in area.checks:
        yield from _guarded(check, examined)


def _guarded(check: Check, examined: Examined) -> Iterator[Finding]:
    try:
        yield from check(examined)
    except NothingToExamine:
        return
    except Exception as error:  # whatever is wrong with one thing must not hide what is wrong with another
        log.debug("%s failed", check, exc_info=True)
        name = f"{check.__module__.rpartition('.')[2]}.{check.__name__}"
        yield FAILED.at(name, f"the check failed ({type(error).__name__}: {error})")
