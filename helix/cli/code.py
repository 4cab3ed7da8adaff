"""helix code: what the code of the sources says of itself."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import ROOM, open_verbs

app = typer.Typer(
    help="Find symbols, and what changing them may break.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Symbol = Annotated[
    str, typer.Argument(metavar="SYMBOL", help="retry, Gateway.retry or src/pay.py::Gateway.retry.")
]
InSource = Annotated[str | None, typer.Option("--source", help="Only in this source, by its name or its id.")]
Limit = Annotated[int, typer.Option(min=1, max=500, help="How many at most.")]


@app.command()
@reports_errors
def find(
    context: typer.Context, symbol: Symbol, source: InSource = None, limit: Limit = 25, as_json: Json = False
) -> None:
    """Say where a symbol is defined."""
    answer = _ask(context, "code_find", symbol=symbol, source=source, limit=limit)
    if as_json:
        print_json(answer)
        return
    _print_symbols(answer["symbols"])
    if not answer["symbols"]:
        err.print(f"nothing is called like {symbol}")


@app.command()
@reports_errors
def impact(
    context: typer.Context,
    symbol: Symbol,
    source: InSource = None,
    depth: Annotated[int, typer.Option(min=1, max=5, help="How far it is followed.")] = 3,
    limit: Limit = 100,
    as_json: Json = False,
) -> None:
    """Say what changing a symbol may break: callers, importers, tests and memories, by distance."""
    answer = _ask(context, "code_impact", symbol=symbol, source=source, depth=depth, limit=limit)
    if as_json:
        print_json(answer)
        return
    _print_symbols(answer["symbols"])
    for node in answer["affected"]:
        marks = "".join(f"  {mark}" for mark in ("test", "likely") if node.get(mark))
        out.parts(
            (f"{node['distance']} {node['relation']:8}", "dim"),
            (f"{node['symbol'] or node['path']}", ""),
            (f"  {node['path']}:{node['line']}  via {node['via']}{marks}", "dim"),
        )
    for memory in answer["memories"]:
        out.parts((memory["id"], "bold"), (f"  {memory['title']}", ""))
    out.print(f"{answer['total']} affected, {answer['tests']} of them tests", style="dim")


@app.command()
@reports_errors
def neighborhood(
    context: typer.Context,
    symbol: Annotated[str, typer.Argument(metavar="SYMBOL", help="A symbol, or the path of a file.")],
    source: InSource = None,
    limit: Limit = 50,
    as_json: Json = False,
) -> None:
    """Say who mentions a symbol, or those of a file, and what they mention."""
    answer = _ask(context, "code_neighborhood", symbol=symbol, source=source, limit=limit)
    if as_json:
        print_json(answer)
        return
    _print_symbols(answer["symbols"])
    for found in answer["neighbors"]:
        arrow = "<-" if found["direction"] == "in" else "->"
        out.parts(
            (f"{found['symbol']} {arrow} {found['relation']} ", "dim"),
            (found["other"] or found["path"], ""),
            (f"  {found['path']}:{found['line']}", "dim"),
        )


@app.command()
@reports_errors
def tour(
    context: typer.Context,
    source: InSource = None,
    limit: Limit = 100,
    max_tokens: Annotated[int, typer.Option(help="It fits in so many tokens.")] = ROOM,
    as_json: Json = False,
) -> None:
    """Say in which order to read a repository."""
    answer = _ask(context, "code_tour", source=source, limit=limit, max_tokens=max_tokens)
    if as_json:
        print_json(answer)
        return
    for stop in answer["stops"]:
        out.parts(
            (stop["path"], "bold"),
            (f"  imported by {stop['imported_by']}, {stop['lines']} lines", "dim"),
            (f"  {', '.join(stop['symbols'])}", ""),
        )
    out.print(f"{len(answer['stops'])} of {answer['files']} files", style="dim")


def _ask(context: typer.Context, verb: str, **fields: Any) -> dict[str, Any]:
    with open_verbs(context) as verbs:
        return verbs.ask(verb, **{"max_tokens": ROOM, **fields})


def _print_symbols(symbols: list[dict[str, Any]]) -> None:
    for symbol in symbols:
        out.parts(
            (symbol["name"], "bold"),
            (f"  {symbol['kind']}  {symbol['path']}:{symbol['line']}-{symbol['end_line']}", ""),
            (f"  {symbol['source']}", "dim"),
        )
