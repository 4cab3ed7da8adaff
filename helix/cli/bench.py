"""helix bench: how fast searching and writing are on this machine, each beside a bare baseline."""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.cli.open_vault import config_of
from helix.cli.output import Json, Progress, err, print_json, print_table, progress_bar, reports_errors
from helix.cli.verbs import Verbs, Viewpoint, gather, open_verbs
from helix.errors import BadValue

_WORDS = [
    "auth",
    "billing",
    "cache",
    "client",
    "cluster",
    "commit",
    "config",
    "cron",
    "daemon",
    "database",
    "deploy",
    "docker",
    "export",
    "failover",
    "gateway",
    "index",
    "ingest",
    "invoice",
    "jitter",
    "job",
    "kafka",
    "latency",
    "ledger",
    "migration",
    "nginx",
    "nightly",
    "parser",
    "pipeline",
    "postgres",
    "proxy",
    "queue",
    "quota",
    "rate",
    "redis",
    "region",
    "replica",
    "retry",
    "rollback",
    "router",
    "scheduler",
    "schema",
    "secret",
    "service",
    "session",
    "shard",
    "socket",
    "staging",
    "storage",
    "stream",
    "tenant",
    "timeout",
    "token",
    "trace",
    "upload",
    "vault",
    "warehouse",
    "webhook",
    "worker",
    "zone",
]
_FEWEST = 5


@dataclass(frozen=True)
class Timing:
    what: str
    times: list[float]
    baseline: str
    bare: list[float]

    def to_dict(self) -> dict[str, Any]:
        median, bare = statistics.median(self.times), statistics.median(self.bare)
        return {
            "what": self.what, "count": len(self.times), "median_ms": round(median * 1000, 3),
            "p95_ms": round(sorted(self.times)[int(0.95 * (len(self.times) - 1))] * 1000, 3),
            "baseline": self.baseline, "baseline_median_ms": round(bare * 1000, 3), "ratio": round(median / bare, 2),
        }  # fmt: skip


@reports_errors
def bench(
    context: typer.Context,
    made_up: Annotated[
        int | None,
        typer.Option(metavar="COUNT", min=20, max=5_000, help="Search a made-up vault of this size instead."),
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.5, max=300, help="For each of the two measurements.")] = 5.0,
    as_json: Json = False,
) -> None:
    """Measure searching and writing on this machine.

    Searching asks your own vault, as `helix recall` does, beside reading all of its files. Writing fills a vault that
    is made up for it and removed again, beside a bare file that is written and synced; your own stays as it is.
    """
    config = config_of(context)
    with tempfile.TemporaryDirectory(prefix="helix-bench-", dir=_beside(config.state_dir)) as folder:
        mine = context.obj or {}
        other = {"vault": Path(folder) / "vault", "state_dir": Path(folder) / "state"}
        rng = random.Random(7)  # noqa: S311 (the same texts on every machine)
        _make_vault(Path(folder) / "vault", made_up or 0, rng)
        if (models := config.state_dir / "models").exists():
            other["state_dir"].mkdir()
            (other["state_dir"] / "models").symlink_to(models)
        context.obj = {**mine, **other, "url": ""} if made_up else mine
        searching = _searching(context, made_up, seconds)
        context.obj = {**mine, **other, "url": ""}
        writing = _writing(context, Path(folder), seconds, rng)
    results = [searching.to_dict(), writing.to_dict()]
    if as_json:
        print_json(results)
        return
    rows = [
        (row["what"], row["count"], f"{row['median_ms']:.1f}", f"{row['p95_ms']:.1f}", f"{row['ratio']:.1f}")
        for row in results
    ]
    print_table(("what", "times", "median ms", "p95 ms", "ratio"), rows, shrink="what")
    for result in results:
        err.print(
            f"{result['what']}: {result['ratio']} times {result['baseline']} ({result['baseline_median_ms']} ms)",
            style="dim",
        )


def _searching(context: typer.Context, made_up: int | None, seconds: float) -> Timing:
    with open_verbs(context) as verbs:
        listed = gather(partial(verbs.ask, "recent"), "results", 200)["results"]
        if len(listed) < _FEWEST:
            raise BadValue(f"the vault holds {len(listed)} memories, too few to measure; say --made-up 500")
        questions = [one["title"] for one in listed]
        vault = config_of(context).vault
        # The first question opens the index, which is done once.
        _ask(verbs, questions[0])
        with progress_bar("searching") as progress:
            times, bare = _in_turn(
                (partial(_ask, verbs, question) for question in _again(questions)),
                (partial(_scan, vault, question) for question in _again(questions)),
                seconds,
                progress,
            )
    which = "a made-up vault" if made_up else "your vault"
    return Timing(f"search in {which}", times, "reading all of its files for a word", bare)


def _writing(context: typer.Context, folder: Path, seconds: float, rng: random.Random) -> Timing:
    texts = [_text(rng, number) for number in range(5000)]
    with open_verbs(context, Viewpoint(None, "all"), writes=True) as verbs:
        verbs.ask("write", text=texts[-1], scope="global", force=True)
        with progress_bar("writing") as progress:
            times, bare = _in_turn(
                (partial(verbs.ask, "write", text=text, scope="global") for text in texts),
                (partial(_write_bare, folder / f"bare-{number}", text) for number, text in enumerate(texts)),
                seconds,
                progress,
            )
    return Timing("write a memory, durably", times, "writing and syncing a bare file", bare)


def _in_turn(
    ours: Iterable[Callable[[], object]],
    bare: Iterable[Callable[[], object]],
    seconds: float,
    progress: Progress,
) -> tuple[list[float], list[float]]:
    """Both one after the other, again and again, so that they see the same load."""
    began = time.monotonic()
    times: tuple[list[float], list[float]] = ([], [])
    for pair in zip(ours, bare, strict=False):
        for done, step in zip(times, pair, strict=True):
            started = time.perf_counter()
            step()
            done.append(time.perf_counter() - started)
        spent = time.monotonic() - began
        progress(min(int(spent * 10), int(seconds * 10)), int(seconds * 10))
        if spent > seconds and len(times[0]) >= _FEWEST:
            break
    return times


def _ask(verbs: Verbs, question: str) -> object:
    return verbs.ask("search", query=question, limit=8, max_tokens=1500)


def _again(questions: list[str]) -> Iterable[str]:
    while True:
        yield from questions


def _scan(vault: Path, question: str) -> int:
    word = question.split()[0].casefold().encode()
    return sum(word in file.read_bytes().lower() for file in vault.rglob("*.md"))


def _write_bare(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _make_vault(vault: Path, count: int, rng: random.Random) -> None:
    (vault / ".helix").mkdir(parents=True)
    for number in range(count):
        head = f"---\nid: made_up_{number}\nscope: global\nkind: fact\n---\n"
        (vault / f"made_up_{number}.md").write_text(head + _text(rng, number) + "\n", "utf-8")


def _text(rng: random.Random, number: int) -> str:
    words = rng.sample(_WORDS, 12)
    rest = " ".join(words[3:])
    return f"The {words[0]} {words[1]} of {words[2]} {number} uses {rest}, since {rng.randint(1, 28)} May."


def _beside(state_dir: Path) -> Path:
    """On the disk where Helix works; a folder for temporary files may be in memory."""
    state_dir.mkdir(parents=True, exist_ok=True)
    return state_dir
