"""Rows of cells as a table in markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def to_table(rows: Iterable[Sequence[object]]) -> str:
    lines: list[str] = []
    for row in rows:
        lines.append(f"| {' | '.join(_cell(value) for value in row)} |")
        if len(lines) == 1:
            lines.append(f"|{' --- |' * len(row)}")
    return "\n".join(lines)


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split()).replace("|", "\\|")
