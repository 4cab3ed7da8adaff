"""How often the rules that propose memories are right, on bench/distill: see the README there.

`python -m bench.distill`
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from helix.memory.distill.fixes import Trail
from helix.memory.distill.statements import statements

_SET = Path(__file__).parent / "distill"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("tune", "test", "both"), default="both")
    parser.add_argument("--show", action="store_true", help="print what is wrong")
    wanted = parser.parse_args()
    turns, sequences = _lines("turns"), _lines("sequences")
    for half in ("tune", "test") if wanted.half == "both" else (wanted.half,):
        for name in sorted({turn["set"] for turn in turns if turn["half"] == half}):
            chosen = [turn for turn in turns if turn["set"] == name]
            _report(f"{half}, turns {name}", map(of_turn, chosen), len(chosen), wanted.show)
        fixes = [one for one in sequences if one["half"] == half]
        _report(f"{half}, fixes", map(of_sequence, fixes), len(fixes), wanted.show)


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (_SET / f"{name}.jsonl").read_text("utf-8").splitlines()]


def _report(title: str, judged: Iterator[tuple[list[str], Sequence[str]]], count: int, show: bool) -> None:
    """`judged` are the texts that were proposed, and phrases of those that a person would keep."""
    right = wrong = missed = 0
    for made, expected in judged:
        for phrase in expected:
            match = next((one for one in made if phrase.casefold() in one.casefold()), None)
            if match is None:
                missed += 1
                if show:
                    print(f"  missed: {phrase!r}")
                continue
            made.remove(match)
            right += 1
        wrong += len(made)
        if show and made:
            print(f"  wrong: {made!r}")
    precision, recall = right / max(1, right + wrong), right / max(1, right + missed)
    print(
        f"{title} ({count}): precision {precision:.2f} ({right} of {right + wrong}),"
        f" recall {recall:.2f} ({right} of {right + missed})"
    )


def of_turn(turn: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    text = turn["text"]
    made = [text[one.start : one.end] for one in statements(turn["role"], text)]
    return made, [phrase for _, phrase in turn["keep"]]


def of_sequence(sequence: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    trail: Trail[str] = Trail()
    made = []
    for deed, text, *more in sequence["deeds"]:
        kind, payload = {
            "c": ("command.completed", {"command": text, "exit_code": more[0] if more else 0}),
            "e": ("file.edit.applied", {"path": text}),
            "a": ("transcript.turn", {"role": "assistant", "content": text}),
            "u": ("transcript.turn", {"role": "user", "content": text}),
        }[deed]
        if (fix := trail.add(text, kind, payload)) is not None:
            made.append(fix.cause[fix.start : fix.end])
    return made, [sequence["fix"]] if sequence["fix"] else []


if __name__ == "__main__":
    main()
