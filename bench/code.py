"""Code: how long a repository takes to be indexed, and how long the questions about its graph.

python -m bench code FOLDER --symbols retry Gateway.charge
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from helix.code_graph import queries
from helix.code_graph.graph_store import CodeGraph
from helix.sources.source import SourceFolder
from helix.sources.sources import Sources

_ROUNDS = 15


def main(given: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--symbols", nargs="*", default=[])
    asked = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as place:
        sources = Sources(Path(place), [], lambda: datetime.now(UTC), is_served=False)
        folder = asked.folder.resolve()
        source = SourceFolder("src_bench", "bench", folder, None, None, "private", "")
        begun = time.perf_counter()
        sources.connect(source)
        seconds = time.perf_counter() - begun
        counts, graph = sources.health(source).counts, sources.graph(source)
        files, symbols = graph.counts()
        print(f"{counts.lines:,} lines in {counts.files:,} files, {symbols:,} symbols in {files:,} of them")
        print(
            f"indexed in {seconds:.1f} s: {seconds * 100_000 / max(1, counts.lines):.1f} s for 100,000 lines"
        )
        begun = time.perf_counter()
        sources.look(source)
        print(f"looked at again in {(time.perf_counter() - begun) * 1000:.0f} ms")
        _ask(graph, asked.symbols or _busiest(graph))
        sources.close()


def _busiest(graph: CodeGraph) -> list[str]:
    """Symbols that are defined once, evenly spread."""
    found = graph.symbols("s.container = '' AND NOT s.is_local AND s.kind = 'function' ORDER BY s.name")
    return [known.name for known in found[:: max(1, len(found) // 40)]]


def _ask(graph: CodeGraph, names: list[str]) -> None:
    asked: dict[str, Callable[[str], object]] = {
        "find": lambda name: queries.find(graph, name, 25),
        "impact": lambda name: queries.impact(graph, queries.seeds(graph, name), 3),
        "neighborhood": lambda name: queries.neighborhood(graph, queries.seeds(graph, name), 50),
        "tour": lambda _: queries.tour(graph),
    }
    for question, ask in asked.items():
        times = []
        for name in names[: 1 if question == "tour" else None]:
            for _ in range(_ROUNDS if question == "tour" else 1):
                begun = time.perf_counter()
                ask(name)
                times.append((time.perf_counter() - begun) * 1000)
        print(
            f"{question}: median {statistics.median(times):.1f} ms, worst {max(times):.1f} ms of {len(times)}"
        )
