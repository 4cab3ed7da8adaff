"""How well the write path judges: `make bench-pairs`.

Three sets: the labelled pairs in bench/pairs (is the new one the same, a change of value, or neither?), the team's
memories in bench/team (every two of a project, none of which are the same), and the labelled texts (is it worth
keeping?).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from helix.index.embed import find_embedder
from helix.memory.judgement.resemble import ComparedMemory, Verdict, resemble
from helix.memory.judgement.worth import why_not_worth

HERE = Path(__file__).parent
SPLITS = ("dev", "test", "fresh")
CLASSES = {"rewrite": Verdict.SAME, "change": Verdict.CHANGED, "neighbour": None, "unrelated": None}


@dataclass(frozen=True)
class Pair:
    id: str
    label: str
    category: str
    split: str
    old: ComparedMemory
    new: ComparedMemory


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.pairs", description=__doc__)
    parser.add_argument("--split", choices=SPLITS, help="only this part")
    parser.add_argument("--wrong", action="store_true", help="show what was judged wrongly")
    parser.add_argument(
        "--cosine", action="store_true", help="what the bundled model would say; takes a minute"
    )
    options = parser.parse_args(argv)
    if options.cosine:
        _report_cosine(list(pairs()))
        return
    splits = [options.split] if options.split else list(SPLITS)
    for split in splits:
        _report_pairs([pair for pair in pairs() if pair.split == split], split, options.wrong)
    _report_team(options.wrong)
    for split in splits:
        _report_worth(split, options.wrong)


def pairs() -> Iterator[Pair]:
    for one in _lines(HERE / "pairs" / "pairs.jsonl"):
        yield Pair(
            one["id"], one["class"], one["category"], one["split"], _memory(one["old"]), _memory(one["new"])
        )


def _memory(one: Mapping[str, str]) -> ComparedMemory:
    return ComparedMemory(one.get("title", ""), one["text"], one.get("kind", "fact"), one.get("project"))


def _report_pairs(chosen: Sequence[Pair], split: str, show_wrong: bool) -> None:
    started = time.process_time()
    verdicts = [resemble(pair.new, pair.old).verdict for pair in chosen]
    elapsed = time.process_time() - started
    seen = Counter((pair.label, verdict) for pair, verdict in zip(chosen, verdicts, strict=True))
    print(f"\npairs, {split}: {len(chosen)}, {elapsed / len(chosen) * 1000:.2f} ms of processor time each")
    print(f"{'':12}" + "".join(f"{verdict:>9}" for verdict in Verdict))
    for label in CLASSES:
        print(f"{label:12}" + "".join(f"{seen[label, verdict]:>9}" for verdict in Verdict))
    for label, verdict in (("rewrite", Verdict.SAME), ("change", Verdict.CHANGED)):
        right = seen[label, verdict]
        given = sum(seen[one, verdict] for one in CLASSES)
        is_one = sum(pair.label == label for pair in chosen)
        others = len(chosen) - is_one
        print(
            f"{verdict:8} precision {right / max(given, 1):.3f}  recall {right / is_one:.3f}"
            f"  false {given - right} of {others} ({(given - right) / others:.1%})"
        )
    if show_wrong:
        for pair, verdict in zip(chosen, verdicts, strict=True):
            if verdict != CLASSES[pair.label] and (CLASSES[pair.label] or verdict in CLASSES.values()):
                print(
                    f"  {pair.id} {pair.label}/{pair.category} judged {verdict}: {pair.old.text!r} | {pair.new.text!r}"
                )


def _report_cosine(chosen: Sequence[Pair]) -> None:
    """How near the two of a pair are to each other for the bundled model, by class."""
    found = find_embedder("bundled", Path("unused"))
    assert found.embedder is not None, found.reason
    one = found.embedder.embed([f"{pair.old.title}\n{pair.old.text}".strip() for pair in chosen])
    other = found.embedder.embed([f"{pair.new.title}\n{pair.new.text}".strip() for pair in chosen])
    cosines = (one * other).sum(axis=1)
    print(f"{'':12}{'10 %':>8}{'median':>8}{'90 %':>8}")
    for label in CLASSES:
        values = cosines[[pair.label == label for pair in chosen]]
        print(f"{label:12}" + "".join(f"{value:8.2f}" for value in np.percentile(values, (10, 50, 90))))
    rewrites = np.sort(cosines[[pair.label == "rewrite" for pair in chosen]])
    rest = cosines[[pair.label != "rewrite" for pair in chosen]]
    threshold = rewrites[len(rewrites) // 4]
    print(
        f"a threshold of {threshold:.2f} merges 75 % of the rewrites and {np.mean(rest >= threshold):.0%} of the rest"
    )


def _report_team(show_wrong: bool) -> None:
    """No two of these are the same; those linked by `supersedes` may be changes of value."""
    team = list(_lines(HERE / "team" / "memories.jsonl"))
    replaced = {frozenset((one["key"], other)) for one in team for other in one.get("supersedes", ())}
    memories = {
        line["key"]: ComparedMemory(line["title"], line["text"], line["kind"], line["project"])
        for line in team
    }
    seen: Counter[tuple[bool, Verdict]] = Counter()
    for one, other in combinations(memories, 2):
        if memories[one].project == memories[other].project:
            judged = resemble(memories[other], memories[one])
            is_replaced = frozenset((one, other)) in replaced
            seen[is_replaced, judged.verdict] += 1
            if show_wrong and judged.verdict in (Verdict.SAME, Verdict.CHANGED) and not is_replaced:
                print(f"  {one} {other} judged {judged.verdict}: {judged.reason}")
    print(
        f"\nteam, every two memories of a project\n{'':12}" + "".join(f"{verdict:>9}" for verdict in Verdict)
    )
    for is_replaced, name in ((True, "supersedes"), (False, "others")):
        print(f"{name:12}" + "".join(f"{seen[is_replaced, verdict]:>9}" for verdict in Verdict))


def _report_worth(split: str, show_wrong: bool) -> None:
    chosen = [one for one in _lines(HERE / "pairs" / "worth.jsonl") if one["split"] == split]
    if not chosen:
        return
    reasons = [why_not_worth(one["text"], one.get("kind", "fact")) for one in chosen]
    judged = list(zip(chosen, reasons, strict=True))
    worthy = [reason for one, reason in judged if one["label"] == "worthy"]
    junk = [reason for one, reason in judged if one["label"] != "worthy"]
    refused, wrongly = sum(map(bool, junk)), sum(map(bool, worthy))
    print(f"\nworth, {split}: {len(worthy)} worthy, {len(junk)} not")
    print(f"refused: precision {refused / max(refused + wrongly, 1):.3f}  recall {refused / len(junk):.3f}")
    print(f"false refusals {wrongly} of {len(worthy)}")
    if show_wrong:
        for one, reason in judged:
            if bool(reason) == (one["label"] == "worthy"):
                print(f"  {one['id']} {one['label']}: {one['text'][:100]!r} {reason or ''}")


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text("utf-8").splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    main(sys.argv[1:])
