"""Keeps the decisions of a git log: each `Decision:` trailer of a commit becomes a memory.

    python decisions.py                  # every commit that leads to HEAD
    python decisions.py main..my-branch  # some of them

The commit's hash is the idempotency key: run it after every push, and what is there already stays as it is.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

from helix import Helix, HelixError, Refused

_END, _PART, _AND = "\x1e", "\x1f", "\x1d"
_FORMAT = f"%H{_PART}%s{_PART}%(trailers:key=Decision,valueonly,unfold,separator=%x1d){_END}"


@dataclass(frozen=True)
class Decision:
    text: str
    subject: str
    commit: str
    key: str


def decisions(revisions: str) -> Iterator[Decision]:
    """The oldest first, so that a later decision can replace an earlier one."""
    command = ["git", "log", "--reverse", f"--format={_FORMAT}", revisions, "--"]
    log = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for entry in filter(None, (entry.strip() for entry in log.split(_END))):
        commit, subject, said = entry.split(_PART)
        for number, text in enumerate(filter(None, (text.strip() for text in said.split(_AND)))):
            yield Decision(text, subject, commit, f"{commit}-{number}" if number else commit)


def keep(one: Decision, mem: Helix) -> str:
    made = mem.write(
        one.text, kind="decision", tags=["git"], source={"uri": f"git:{one.commit}"}, idempotency_key=one.key
    )
    return f"{made.status:10} {made.id}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Keep the decisions of a git log.")
    parser.add_argument("revisions", nargs="?", default="HEAD")
    options = parser.parse_args()
    refused = 0
    try:
        with Helix(client="ci-bot") as mem:
            for one in decisions(options.revisions):
                try:
                    print(f"{one.commit[:10]} {keep(one, mem)}")
                except Refused as error:
                    refused += 1
                    print(f"{one.commit[:10]} refused: {error}")
    except HelixError as error:
        raise SystemExit(f"ci-bot: {error}") from error
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"ci-bot: {error.stderr.strip()}") from error
    raise SystemExit(1 if refused else 0)


if __name__ == "__main__":
    main()
