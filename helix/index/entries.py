"""From a text to what the keyword index keeps of it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import astuple, dataclass
from itertools import islice
from queue import SimpleQueue
from types import TracebackType
from typing import IO, Self, cast

from helix.index.analyze import tokens

_TITLE_WEIGHT = 3
_TAG_WEIGHT = 2
_BATCH = 250  # documents that travel to another process together


@dataclass(frozen=True)
class KeywordDoc:
    """A text to be found by its words. Titles and tags weigh more than the body."""

    id: str
    title: str = ""
    tags: Sequence[str] = ()
    body: str = ""
    hash: str = ""
    """names the text this was made of; comes back in `hashes`"""


@dataclass(frozen=True)
class WordEntry:
    """A document as it is kept: what it is called, which text it was made of, and how much each word weighs in it."""

    id: str
    hash: str
    weights: Mapping[str, int]

    @property
    def length(self) -> int:
        return sum(self.weights.values())


def to_entry(doc: KeywordDoc) -> WordEntry:
    """One field for all that is searched: a word in the title counts as several in the body."""
    weights = Counter(tokens(doc.body))
    for text, weight in ((doc.title, _TITLE_WEIGHT), (" ".join(doc.tags), _TAG_WEIGHT)):
        for word in tokens(text):
            weights[word] += weight
    return WordEntry(doc.id, doc.hash, dict(weights))


def to_entries(docs: Iterable[KeywordDoc], processes: int) -> Iterator[WordEntry]:
    """Analyses in other processes, if asked to; the order stays."""
    if processes < 2:
        yield from map(to_entry, docs)
        return
    with contextlib.ExitStack() as stack:
        idle: SimpleQueue[Helper] = SimpleQueue()
        for _ in range(processes):
            idle.put(stack.enter_context(Helper()))
        pool = stack.enter_context(ThreadPoolExecutor(processes, "helix-entries"))
        rest = iter(docs)
        under_way: deque[Future[list[WordEntry]]] = deque()
        while batch := list(islice(rest, _BATCH)):
            under_way.append(pool.submit(_in_a_helper, batch, idle))
            if len(under_way) > 4 * processes:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()


class Helper:
    """Another Python that turns documents into entries.

    Not of `multiprocessing`: its processes look for Python's own modules in the current folder first (`python -c`),
    and that may be the vault, in which a stranger's `multiprocessing.py` lies. `-P` keeps the folder out of it.
    """

    def __init__(self) -> None:
        command = [sys.executable, "-P", "-m", "helix.index.entries"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It ends when it hears no more; one that was broken off is not waited for."""
        if kind is not None:
            self.process.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # it has gone with something half said
                    pipe.close()
        self.process.wait()

    def to_entries(self, docs: Sequence[KeywordDoc]) -> list[WordEntry]:
        asked, answers = cast("tuple[IO[bytes], IO[bytes]]", (self.process.stdin, self.process.stdout))
        _say(asked, [astuple(doc) for doc in docs])
        return [WordEntry(*one) for one in json.loads(answers.readline())]


def _in_a_helper(docs: Sequence[KeywordDoc], idle: SimpleQueue[Helper]) -> list[WordEntry]:
    helper = idle.get()
    try:
        return helper.to_entries(docs)
    except (OSError, ValueError):
        # The system killed it, for its memory perhaps: the work is done here.
        return _to_entries(docs)
    finally:
        idle.put(helper)


def _to_entries(docs: Sequence[KeywordDoc]) -> list[WordEntry]:
    return [to_entry(doc) for doc in docs]


def _say(pipe: IO[bytes], what: object) -> None:
    pipe.write(json.dumps(what).encode() + b"\n")
    pipe.flush()


def help_with_entries(asked: Iterable[bytes], answers: IO[bytes]) -> None:
    """What a helper does until nobody asks any more."""
    for line in asked:
        entries = _to_entries([KeywordDoc(*one) for one in json.loads(line)])
        _say(answers, [(entry.id, entry.hash, entry.weights) for entry in entries])


if __name__ == "__main__":
    # Ctrl-C is for the command that asked, which says so itself, and goes without hearing the answer.
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        help_with_entries(sys.stdin.buffer, sys.stdout.buffer)
