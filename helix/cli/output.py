"""How commands speak: colour and progress for people on a terminal, JSON for programs, errors with a way out.

rich is imported by those who need it: a command that prints a line should not wait for it.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, ParamSpec, TextIO, TypeVar

import typer

from helix.codes import FAILED, INTERRUPTED, READER_LEFT, exit_status
from helix.errors import HelixError

Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Progress = Callable[[int, int], None]

P = ParamSpec("P")
R = TypeVar("R")

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
# The service names its own arguments to every surface; here they are options.
_OPTIONS = {
    "not-found": ("include_deleted", "--include-deleted"),
    "not-worth-keeping": ("`force`", "--force"),
    "secret-refused": ("`allow_secrets`", "--allow-secrets"),
}
_NARROWEST, _USUAL = 40, 80
_BLINK = 0.3


class Voice:
    """Standard output or standard error, as it is at the moment of speaking."""

    def __init__(self, name: str) -> None:
        self._name = name

    @property
    def stream(self) -> TextIO:
        stream: TextIO = getattr(sys, self._name)
        return stream

    @property
    def is_terminal(self) -> bool:
        return self.stream.isatty()

    @property
    def has_colour(self) -> bool:
        return self.is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    @property
    def width(self) -> int | None:
        """Columns of the terminal; None where nobody wraps, as in a pipe."""
        if not self.is_terminal:
            return None
        try:
            return max(_NARROWEST, os.get_terminal_size(self.stream.fileno()).columns or _USUAL)
        except OSError:
            return _USUAL

    def print(self, text: str = "", style: str = "", *, indent: int = 0, wrap: bool = True) -> None:
        """Lines of text. On a terminal they are wrapped between words; a word as long as an id is never broken."""
        for line in text.split("\n"):
            for piece in wrapped(line, self.width if wrap else None, indent):
                self.stream.write(self.styled(printable(piece), style) + "\n")

    def parts(self, *parts: tuple[str, str]) -> None:
        """Pieces on one line, each with its style; where there is no room, each on a line of its own."""
        parts = tuple(part for part in parts if part[0])
        fits = self.width is None or sum(columns(text) for text, _ in parts) <= self.width
        between = "" if fits else "\n"
        shown = [
            self.styled(printable(text if fits or not position else "  " + text.strip()), style)
            for position, (text, style) in enumerate(parts)
        ]
        self.stream.write(between.join(shown).rstrip(" ") + "\n")

    def styled(self, text: str, style: str) -> str:
        return f"\033[{_STYLES[style]}m{text}\033[0m" if text and style and self.has_colour else text


out, err = Voice("stdout"), Voice("stderr")


def printable(text: str) -> str:
    """A memory's text is data: an escape sequence in it must not speak to the terminal."""
    if text.isprintable():
        return text
    return "".join(
        f"\\x{ord(char):02x}" if unicodedata.category(char) == "Cc" and char != "\t" else char
        for char in text
    )


def wrapped(line: str, width: int | None, indent: int = 0) -> list[str]:
    room = None if width is None else width - indent
    if room is None or columns(line) <= room:
        return [" " * indent + line if line else line]
    lead = line[: len(line) - len(line.lstrip())]
    lines, now = [], lead
    for word in line.split():
        if now.strip() and columns(now) + 1 + columns(word) > room:
            lines.append(now)
            now = lead + word
        else:
            now = f"{now} {word}" if now.strip() else lead + word
    return [" " * indent + piece for piece in (*lines, now)]


def columns(text: str) -> int:
    """How many columns of a terminal it takes: Chinese, Japanese and Korean take two for a sign."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def shortened(text: str, room: int) -> str:
    """What fits in so many columns, with an ellipsis where it was cut."""
    if columns(text) <= room:
        return text
    while text and columns(text) > room - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_table(headings: Sequence[str], rows: Sequence[Sequence[object]], *, shrink: str) -> None:
    """One line per row. On a terminal the column `shrink` gives way to the others; in a pipe nothing is cut."""
    cells = [[printable("" if cell is None else str(cell)) for cell in row] for row in rows]
    widths = [
        max(columns(row[column]) for row in [list(headings), *cells]) for column in range(len(headings))
    ]
    if out.width is not None:
        column = headings.index(shrink)
        others = sum(widths) - widths[column] + 2 * (len(widths) - 1)
        widths[column] = min(widths[column], max(8, out.width - others))
    for style, row in (("bold", list(headings)), *(("", row) for row in cells)):
        fitted = [shortened(cell, width) for cell, width in zip(row, widths, strict=True)]
        padded = [cell + " " * (width - columns(cell)) for cell, width in zip(fitted, widths, strict=True)]
        out.stream.write(out.styled("  ".join(padded).rstrip(), style) + "\n")


def print_facts(facts: Sequence[tuple[str, object]]) -> None:
    """Names and values, one pair below the other; a long value goes on under its beginning."""
    room = max(len(name) for name, _ in facts) + 2
    for name, value in facts:
        first, *more = wrapped(str(value), None if out.width is None else out.width - room)
        out.stream.write(f"{out.styled(f'{name:<{room}}', 'dim')}{printable(first)}\n")
        for line in more:
            out.stream.write(" " * room + printable(line) + "\n")


def reports_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Print a HelixError as a sentence (or as JSON) and leave with the status of its code; Ctrl-C leaves with 130."""

    @functools.wraps(command)
    def wrapped_command(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except HelixError as error:
            if kwargs.get("as_json"):
                print_json({"error": error.message, "code": error.code})
            else:
                err.print(f"helix: {_in_words_of_commands(error)}", style="red")
            raise typer.Exit(exit_status(error)) from error
        except BrokenPipeError as error:
            stop_printing()
            raise typer.Exit(READER_LEFT) from error
        except OSError as error:
            err.print(f"helix: {error}", style="red")
            raise typer.Exit(FAILED) from error
        except KeyboardInterrupt as interrupt:
            err.print("helix: stopped; everything acknowledged so far is safe")
            raise typer.Exit(INTERRUPTED) from interrupt

    return wrapped_command


def _in_words_of_commands(error: HelixError) -> str:
    argument, option = _OPTIONS.get(error.code, ("", ""))
    return error.message.replace(argument, option) if argument else error.message


def stop_printing() -> None:
    """Whoever read the output has seen enough, as `head` does: what is still buffered goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


@contextmanager
def progress_bar(doing: str) -> Iterator[Progress]:
    """A bar with rate and time left on a terminal, for work that takes longer than a blink; nothing elsewhere."""
    began = time.monotonic()
    task: list[Any] = []
    is_first = not _bars

    def tell(done: int, total: int) -> None:
        if not task and err.is_terminal and time.monotonic() - began > _BLINK:
            if not _bars:
                _bars.append(_bar())
                _bars[0].start()
            task.append(_bars[0].add_task(doing, total=None))
        if task:
            _bars[0].update(task[0], completed=done, total=total or None)

    try:
        yield tell
    finally:
        if task:
            _bars[0].remove_task(task[0])
        if is_first and _bars:
            _bars.pop().stop()


_bars: list[Any] = []
"""the bars on the screen, of work within work; rich can draw in one place only"""


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text("" if speed is None else f"{speed:,.0f}/s", style="dim")

    return Progress(
        TextColumn("{task.description}"), BarColumn(bar_width=None), MofNCompleteColumn(), Rate(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True, highlight=False, markup=False), transient=True, expand=True,
    )  # fmt: skip
