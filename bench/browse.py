"""What the dashboard's own routes cost: listing, the journal beside a write, the map."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from bench.figures import judge, report, timed
from bench.notes import Notes
from helix.compose import open_vault, open_workspace
from helix.config import Config
from helix.index.map_layout import lay_out
from helix.memory.place import Place
from helix.memory.search_engine import open_recall
from helix.memory.workspace import Workspace
from helix.memory.writing.write import NewText
from helix.vault.authors import Author, acting
from tests.memory.asking import Verbs

_ME = Place("p000", "s-1", "bench")
_DIMENSIONS = 384


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.browse", description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--writes", type=int, default=200)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as place:
        _on_a_vault(Path(place), options.memories, options.writes)
    _map(options.memories)


def _on_a_vault(place: Path, count: int, writes: int) -> None:
    vault, notes = place / "vault", Notes()
    for number in range(count):
        file = vault / notes.path(number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(notes.data(number))
    config = Config(vault=vault, state_dir=place / "state", config_dir=place / "config", model="none")
    with ExitStack() as stack:
        helix = stack.enter_context(open_vault(config, must_follow=True))
        helix.catch_up()
        recall = stack.enter_context(open_recall(helix))
        workspaces: list[Workspace] = []
        print(
            f"{count} memories: the journal begun in "
            f"{timed(lambda: workspaces.append(stack.enter_context(open_workspace(helix, lambda: recall)))):.2f} s"
        )
        service = Verbs(workspaces[0])
        service.recent(caller=_ME, scope="all")
        for name, filters in (("unfiltered", {}), ("of a kind", {"kind": "decision"})):
            report(
                f"  recent, {name}",
                [timed(_recent, service, filters) for _ in range(30)],
            )
        report("  timeline", [timed(service.timeline) for _ in range(30)])
        hooks = helix.reconciler.on_commit
        journal = next(
            hook for hook in hooks if getattr(hook, "__name__", "") == "took" and hasattr(hook, "__self__")
        )
        write = _writer(service)
        with_journal, without = [], []
        for _ in range(writes):  # side by side: the disk is not equally fast all the time
            with_journal.append(timed(write))
            hooks.remove(journal)
            without.append(timed(write))
            hooks.append(journal)
        report("  one write, with the journal", with_journal)
        report("  one write, without it", without)
        ratio = statistics.median(with_journal) / statistics.median(without)
        judge("a write with the journal beside one without", ratio, 1.1, "times")


def _recent(service: Verbs, filters: dict[str, str]) -> None:
    service.recent(caller=_ME, scope="all", filters=filters)


def _writer(service: Verbs) -> Callable[[], None]:
    numbers = iter(range(1_000_000))

    def write() -> None:
        with acting(Author("agent", "bench")):
            service.write(NewText(f"Measured write number {next(numbers)} of the journal", force=True), _ME)

    return write


def _map(count: int) -> None:
    random = np.random.default_rng(1)
    topics = random.integers(0, 40, count)
    vectors = random.normal(size=(40, _DIMENSIONS))[topics] + 1.2 * random.normal(size=(count, _DIMENSIONS))
    unit = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    ids = [f"mem_{number}" for number in range(count)]
    most = count * 19 // 20
    before = lay_out(ids[:most], unit[:most], {})
    places = {one: (float(x), float(y)) for one, (x, y) in zip(before.ids, before.points, strict=True)}
    judge(f"a map of {count} memories, drawn anew", timed(lay_out, ids, unit, {}), 15, "s")
    judge("the same, a twentieth of them new", timed(lay_out, ids, unit, places), 10, "s")
    after = lay_out(ids, unit, places)
    moved = np.linalg.norm(after.points[:most] - before.points, axis=1)
    judge("how far half of the points moved, of a map 2 wide", float(np.median(moved)), 0.05, "")
    kept = []
    for place in random.choice(count, min(count, 300), replace=False):
        away = ((after.points - after.points[place]) ** 2).sum(axis=1)
        kept.append(float((topics[np.argsort(away)[1:16]] == topics[place]).mean()))
    judge("of the 15 next to a point, those of its topic", float(np.mean(kept)), 0.9, "", at_least=True)


if __name__ == "__main__":
    main(sys.argv[1:])
