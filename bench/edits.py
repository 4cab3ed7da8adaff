"""Mutates real-looking notes, changes one key in each, and counts the bytes that changed and should not have.

python -m bench.edits --count 60000
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable

from helix.errors import EditRefused, NoteError
from helix.vault.edit import REMOVE, Remove, edit
from helix.vault.frontmatter import Document, emit, parse, same
from helix.vault.yaml_load import Value
from tests.vault.foreign import CORPUS, foreign_bytes

Mutation = Callable[[random.Random, str], str]

_SNIPPETS = [
    " ",
    "  ",
    "\t",
    "#",
    " # c",
    ":",
    ": ",
    ",",
    "'",
    '"',
    "[",
    "]",
    "{",
    "}",
    "-",
    "- ",
    "|",
    ">",
    "~",
]
_SNIPPETS += [
    "é",
    "日本",
    "😀",
    "\u2028",
    "\xa0",
    "\r",
    "\n",
    "\r\n",
    "\n\n",
    "\n# c\n",
    "\n  # c\n",
    "x",
    "0",
    "NO",
]
_LINES = [
    "extra: 1",
    "more: [a, b]  # c",
    "text: |\n  a\n  # b\n",
    "deep:\n  a:\n    - x\n    # y\n",
    "'q k': 'v'",
]
_LINES += [
    "# a comment",
    "",
    "   ",
    "fold: >-\n  a\n\n  b",
    "list:\n- a\n# b\n-   c",
    "empty:",
    "flow: {a: [1, 2]}",
]
_WORDS = [
    "active",
    "NO",
    "a: b",
    "x #y",
    "",
    "2026-06-18T09:12:44Z",
    "it's",
    'say "hi"',
    "two\nlines",
    "日本",
    "[[x]]",
]


def _insert(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(_SNIPPETS) + text[at:]


def _delete(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + rng.randint(1, 3) :]


def _add_line(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True)
    lines.insert(rng.randint(1, max(1, len(lines))), rng.choice(_LINES) + "\n")
    return "".join(lines)


def _double_line(rng: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return "".join(lines)


def _comment_line(rng: random.Random, text: str) -> str:
    lines = re.split(r"(?<=\n)", text)
    at = rng.randrange(len(lines))
    lines[at] = re.sub(r"(\r?\n)\Z", r"  # beside\1", lines[at])
    return "".join(lines)


def _change_line_ends(rng: random.Random, text: str) -> str:
    return re.sub(r"\r?\n", lambda _: rng.choice(["\n", "\r\n"]), text)


def _all_windows(rng: random.Random, text: str) -> str:
    return re.sub(r"\r?\n", "\r\n", text)


def _change_edges(rng: random.Random, text: str) -> str:
    return rng.choice(
        [text.lstrip("\ufeff"), "\ufeff" + text.lstrip("\ufeff"), text.rstrip("\n"), text + "\n"]
    )


_MUTATIONS: list[Mutation] = [_insert, _delete, _add_line, _double_line, _comment_line]
_MUTATIONS += [_change_line_ends, _all_windows, _change_edges]


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="edits", description=__doc__)
    parser.add_argument("--count", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    rng = random.Random(args.seed)
    seeds = [path.read_bytes().decode() for path in CORPUS]
    counts: Counter[str] = Counter()
    spent = 0.0
    while counts["mutants"] < args.count:
        data = mutant(rng, rng.choice(seeds))
        try:
            doc = parse(data)
        except NoteError as error:
            counts["unreadable"] += 1
            counts[f"unreadable: {error.code}"] += 1
            continue
        counts["mutants"] += 1
        key, value = change(rng, doc)
        begin = time.perf_counter()
        try:
            after = emit(edit(doc, {key: value}))
        except EditRefused as refused:
            counts["refused"] += 1
            why = re.sub(r"'.*'|\(.*\)", "…", refused.message)
            counts[f"refused: {why[:80]}"] += 1
            continue
        finally:
            spent += time.perf_counter() - begin
        counts["edited"] += 1
        counts["foreign bytes changed"] += foreign_bytes(data, after, key)
        counts["wrong results"] += not is_as_meant(doc, parse(after), key, value)
    for name, count in sorted(counts.items()):
        print(f"{count:>8,}  {name}")
    print(f"{args.count / spent:>8,.0f}  edits per second")


def mutant(rng: random.Random, text: str) -> bytes:
    """Mostly the frontmatter is mutated: the body is carried over in one piece."""
    end = text.find("\n---", 4) + 5
    head, tail = (text[:end], text[end:]) if rng.random() < 0.9 else (text, "")
    for _ in range(rng.randint(1, 4)):
        head = rng.choice(_MUTATIONS)(rng, head)
    return (head + tail).encode()


def change(rng: random.Random, doc: Document) -> tuple[str, Value | Remove]:
    key = rng.choice([*doc.meta, "new_key"])
    old = doc.meta.get(key)
    if rng.random() < 0.15:
        return key, REMOVE
    if isinstance(old, list) and rng.random() < 0.7:
        items = [item for item in old if rng.random() < 0.7]
        for _ in range(rng.randrange(3)):
            items.insert(rng.randrange(len(items) + 1), rng.choice(_WORDS))
        return key, items
    new: list[Value] = [*rng.sample(_WORDS, 4), 7, 0.5, True, None, [], ["a", "b, c"], {"k": ["v"]}]
    return key, rng.choice(new)


def is_as_meant(before: Document, after: Document, key: str, value: Value | Remove) -> bool:
    meant = {name: item for name, item in {**before.meta, key: value}.items() if item is not REMOVE}
    return same(after.meta, meant) and after.body == before.body


if __name__ == "__main__":
    main(sys.argv[1:])
