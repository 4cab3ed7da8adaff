"""helix doctor: what is wrong, where, why it matters and what to do. Only the telling is here."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

import typer

from helix.cli.output import Json, out, print_json, progress_bar, reports_errors
from helix.doctor.examine import Diagnosis, examine
from helix.doctor.examined import Examined, Surroundings
from helix.doctor.finding import Finding, Severity
from helix.doctor.fix import Deed, can_mend, mend

_WIDEST = 80
# Of one kind; a thousand dangling links should not hide the one damaged note.
_SHOWN = 3
_DETAIL_LINES = 8
_SIGNS = {Severity.ERROR: ("✗", "red"), Severity.WARNING: ("!", "yellow"), Severity.NOTE: ("·", "dim")}


@reports_errors
def doctor(
    context: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what is safe, say what was done, and look again.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Explain what is wrong, and what to do about it. Exit status 1 when an error remains."""
    flags: dict[str, object] = context.obj or {}
    diagnosis = _examine(flags)
    deeds: list[Deed] = []
    if fix and any(map(can_mend, diagnosis.findings)):
        deeds = mend(Examined(Surroundings.of_process(), flags), diagnosis.findings)
        diagnosis = _examine(flags)
    if as_json:
        print_json(_to_dict(diagnosis, deeds))
    else:
        _print(diagnosis, deeds)
    if diagnosis.count(Severity.ERROR):
        raise typer.Exit(1)


def _examine(flags: dict[str, object]) -> Diagnosis:
    with progress_bar("reading the vault") as progress:
        return examine(Examined(Surroundings.of_process(), flags, progress))


def _to_dict(diagnosis: Diagnosis, deeds: Sequence[Deed]) -> dict[str, object]:
    return {
        "findings": [{**one.to_dict(), "fixable": can_mend(one)} for one in diagnosis.findings],
        **{f"{severity}s": diagnosis.count(severity) for severity in Severity},
        "fixed": [deed.what for deed in deeds if deed.is_done],
        "not_fixed": [deed.what for deed in deeds if not deed.is_done],
    }


def _print(diagnosis: Diagnosis, deeds: Sequence[Deed]) -> None:
    for deed in deeds:
        _print_wrapped(
            f"{'✓' if deed.is_done else '✗'} {deed.what}", style="green" if deed.is_done else "red"
        )
    for title, findings in diagnosis.by_area.items():
        if findings:
            out.print(title, "bold")
            for _, same in groupby(sorted(findings, key=_order), key=lambda finding: finding.code):
                _print_kind(list(same))
    out.print(_summary(diagnosis))


def _order(finding: Finding) -> tuple[int, str]:
    return list(Severity).index(finding.severity), finding.code


def _print_kind(same: Sequence[Finding]) -> None:
    first = same[0]
    sign, style = _SIGNS[first.severity]
    _print_wrapped(f"{sign} {first.kind.about} [{first.code}]", style=style, indent=2)
    for finding in same[:_SHOWN]:
        _print_wrapped(f"{finding.place}: {finding.what}", indent=6)
        for line in _shortened(finding.detail):
            _print_wrapped(line, indent=8)
        if finding.remedy != first.remedy:
            _print_wrapped(f"→ {finding.remedy}", indent=8)
    if len(same) > _SHOWN:
        _print_wrapped(f"… and {len(same) - _SHOWN} more; `helix doctor --json` lists them", indent=6)
    if first.severity is not Severity.NOTE:
        _print_wrapped(first.kind.why, indent=4, hanging=0)
    _print_wrapped(f"→ {first.remedy}", indent=4)


def _shortened(detail: str) -> Iterator[str]:
    lines = detail.splitlines()
    yield from lines[:_DETAIL_LINES]
    if len(lines) > _DETAIL_LINES:
        yield f"… {len(lines) - _DETAIL_LINES} more lines"


def _print_wrapped(text: str, *, style: str = "", indent: int = 0, hanging: int = 2) -> None:
    wrapped = textwrap.wrap(
        text,
        min(_WIDEST, out.width or _WIDEST),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )
    out.print("\n".join(wrapped), style, wrap=False)


def _summary(diagnosis: Diagnosis) -> str:
    counts = [(diagnosis.count(severity), str(severity)) for severity in Severity]
    summary = ", ".join(f"{count} {name}{'s' if count > 1 else ''}" for count, name in counts if count)
    mendable = sum(map(can_mend, diagnosis.findings))
    if not diagnosis.count(Severity.ERROR) and not diagnosis.count(Severity.WARNING):
        return f"nothing is wrong{f' ({summary})' if summary else ''}"
    return summary + (f"; `helix doctor --fix` mends {mendable} of them" if mendable else "")
