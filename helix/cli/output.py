"""How commands speak: tables and colour for people on a terminal, JSON for programs, errors with a way out."""

from __future__ import annotations

import errno
import functools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, ParamSpec, TypeVar

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from helix.errors import HelixError

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

P = ParamSpec("P")
R = TypeVar("R")

_NO_LIMIT = 10_000
# highlight and markup off: a memory's text is data, whatever brackets it holds.
out = Console(highlight=False, markup=False, soft_wrap=True, width=None if sys.stdout.isatty() else _NO_LIMIT)
err = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, shrink: str) -> None:
    """One line per row. On a terminal the column `shrink` gives way to the others; in a pipe nothing is cut."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        widest = max(cell_len(text) for text in (column, *(row[place] for row in cells)))
        table.add_column(
            column, no_wrap=True, overflow="ellipsis", min_width=8 if column == shrink else widest
        )
    for row in cells:
        table.add_row(*row)
    out.print(table, soft_wrap=False, crop=False)


def reports_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Print a HelixError as a sentence (or as JSON) and leave with status 1; Ctrl-C leaves with 130."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except HelixError as error:
            if kwargs.get("as_json"):
                print_json({"error": error.message, "code": error.code})
            else:
                err.print(f"helix: {error.message}", style="red")
            raise typer.Exit(1) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # whoever read the output has seen enough, as `head` does
            err.print(f"helix: {error}", style="red")
            raise typer.Exit(1) from error
        except KeyboardInterrupt as interrupt:
            err.print("helix: stopped; everything acknowledged so far is safe")
            raise typer.Exit(130) from interrupt

    return wrapped


@contextmanager
def progress_bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing elsewhere."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
