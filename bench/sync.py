"""Several machines on one synced vault: what is lost, what comes back, and how long until all agree."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.flows.many_machines import Outcome, simulate


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.sync", description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--machines", type=int, help="2 to 4 in turn by default")
    parser.add_argument("--operations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0, help="of the first run")
    options = parser.parse_args(argv)
    started = time.perf_counter()
    outcomes = []
    for seed in range(options.seed, options.seed + options.runs):
        machines = options.machines or 2 + seed % 3
        outcome = simulate(seed, machines, options.operations)
        outcomes.append(outcome)
        if outcome.wrong:
            print(f"seed {seed}, {machines} machines:", *outcome.wrong, *outcome.story, sep="\n")
    _report(outcomes, time.perf_counter() - started)


def _report(outcomes: list[Outcome], seconds: float) -> None:
    def total(name: str) -> int:
        return sum(getattr(outcome, name) for outcome in outcomes)

    print(
        f"{len(outcomes)} runs, {total('operations'):,} operations, {total('conflicts'):,} conflicts, "
        f"{total('merges'):,} merges, {total('crashes'):,} crashes in {seconds:.0f} s"
    )
    wrong = [item for outcome in outcomes for item in outcome.wrong]
    kinds = Counter({"lost": 0, "resurrected": 0, "not at rest": 0})
    kinds.update(_kind(item) for item in wrong)
    print(", ".join(f"{kind} {count}" for kind, count in kinds.items()), f"(of {total('lines'):,} lines)")
    print(f"{total('blocks'):,} blocks, {total('cut'):,} of them cut; {total('doubled'):,} lines stand twice")
    print(f"at rest after at most {max(outcome.rounds for outcome in outcomes)} rounds")
    causes: Counter[str] = Counter()
    for outcome in outcomes:
        causes.update(outcome.came_back)
    removed = total("removed")
    print(
        f"removed lines that came back: {causes.total():,} of {removed:,} ({_share(causes.total(), removed)})"
    )
    for cause, count in causes.most_common():
        print(f"  {count:6,} ({_share(count, removed)}) {cause}")


def _kind(item: str) -> str:
    return next((kind for kind in ("lost", "resurrected", "not at rest") if kind in item), "other")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.1f} %"


if __name__ == "__main__":
    main(sys.argv[1:])
