"""Timing and printing, for the benches."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


def timed(act: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    act(*arguments)
    return time.perf_counter() - started


def report(what: str, seconds: list[float]) -> None:
    p95 = sorted(seconds)[int(len(seconds) * 0.95)]
    print(f"{what}: p50 {statistics.median(seconds) * 1000:.2f} ms, p95 {p95 * 1000:.2f} ms")


def judge(what: str, value: float, goal: float, unit: str, *, at_least: bool = False) -> None:
    """One figure beside its goal."""
    met = value >= goal if at_least else value <= goal
    bound = "at least" if at_least else "at most"
    print(
        f"  {'met   ' if met else 'MISSED'} {what}: {_spell(value)} {unit} (goal: {bound} {_spell(goal)})",
        flush=True,
    )


def _spell(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
