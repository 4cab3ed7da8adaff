"""Answers that keep their budget: the whole serialized answer, not only the memories in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from helix.errors import BadValue
from helix.memory.answers import Page
from helix.memory.pagination import Listing
from helix.memory.size_limits import LEAST_TOKENS, MOST_TOKENS
from helix.memory.tokens import LONGEST_TOKEN, CountTokens, serialize

_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？]|\n")
_WORD_END = re.compile(r"\s")
# What an answer can do without when not even one entry fits beside it; the last goes first.
_DISPENSABLE = ("degraded", "note", "confidence", "suggestions", "analytics")

_ONE_TOKEN = 999  # a number of up to three digits is one token, as 0 is

# No id is longer than the last: what is shortened to it still says what it is about.
_LONGEST_NAMES = (1_000, 200)
_LEFT_OUT = (
    "one entry does not fit and was left out; ask for this page again with a larger max_tokens to see it"
)

Answer = TypeVar("Answer", bound=Mapping[str, Any])
Head = TypeVar("Head", bound=Mapping[str, Any])
Item = TypeVar("Item", bound=Mapping[str, Any])

NO_HEAD: Mapping[str, Any] = {}

Render = Callable[[Any], Item | None]
"""an entry of a listing as it is shown; None when it is not there any more"""
Build = Callable[[Head, Sequence[Item], Page], Answer]
"""the answer, of what stands before its entries, the entries of a page, and how the page ends; the head may come with
less in it, so all of it must be dispensable"""


@dataclass(frozen=True)
class Budget:
    max_tokens: int
    count: CountTokens

    def __post_init__(self) -> None:
        if not LEAST_TOKENS <= self.max_tokens <= MOST_TOKENS:
            raise BadValue(
                f"max_tokens is {self.max_tokens}; give a number from {LEAST_TOKENS} to {MOST_TOKENS}"
            )

    def measure(self, answer: Answer) -> Answer:
        """The answer with its `tokens_used`, which counts itself."""
        used = self.count(serialize({**answer, "tokens_used": 0}), enough=self.max_tokens)
        if used <= _ONE_TOKEN:
            return cast(Answer, {**answer, "tokens_used": used})
        for _ in range(4):
            measured = {**answer, "tokens_used": used}
            now = self.count(serialize(measured), enough=self.max_tokens)
            if now == used:
                return cast(Answer, measured)
            used = now
            if used > self.max_tokens:
                break
        return cast(Answer, {**answer, "tokens_used": used + 1})

    @property
    def most_characters(self) -> int:
        """No longer text fits, whatever it says."""
        return self.max_tokens * LONGEST_TOKEN

    def holds(self, measured: Mapping[str, Any]) -> bool:
        return int(measured["tokens_used"]) <= self.max_tokens


def fit_page(
    head: Head,
    listing: Listing,
    render: Render[Item],
    build: Build[Head, Item, Answer],
    limit: int,
    budget: Budget,
) -> Answer:
    """An answer with as many entries of the listing as the limit and the budget allow.

    A first entry that does not fit by itself is cut: its text at a sentence, its names where they are long. One that
    does not fit even so is left out and the answer says it, so that whoever follows `next_cursor` always comes to an
    end. `render` may be asked for the same entry twice.
    """
    page = _page(head, listing, render, build, limit, budget)
    for name in reversed(_DISPENSABLE):
        if page is not None:
            return page
        head = cast(Head, {key: value for key, value in head.items() if key != name})
        page = _page(head, listing, render, build, limit, budget)
    if page is not None:
        return page
    following = listing.cursor(listing.start + 1)
    for notice in ({"note": _LEFT_OUT}, {"note": "one does not fit; raise max_tokens"}, {}):
        end = {"truncated": True, "next_cursor": following, **notice, "tokens_used": 0}
        done = budget.measure(build(cast(Head, {}), [], cast(Page, end)))
        if budget.holds(done):
            return done
    raise BadValue(f"nothing of it fits in {budget.max_tokens} tokens; raise max_tokens")


def _page(
    head: Head,
    listing: Listing,
    render: Render[Item],
    build: Build[Head, Item, Answer],
    limit: int,
    budget: Budget,
) -> Answer | None:
    """None when not even the first entry fits, cut to nothing."""

    def page(items: Sequence[Item], rest: int, full: bool) -> Answer:
        following = listing.cursor(rest)
        is_more = full or following is not None
        end: Page = {"truncated": is_more, "next_cursor": following, "tokens_used": 0}
        return budget.measure(build(head, items, end))

    items: list[Item] = []
    places: list[int] = []
    place, full = listing.start, False
    used = page([], place, True)["tokens_used"]
    while place < len(listing.entries) and len(items) < limit and not full:
        item = render(listing.entries[place])
        if item is not None:
            used += budget.count("," + serialize(item), enough=budget.max_tokens)
            full = used > budget.max_tokens
        if not full:
            items += [] if item is None else [item]
            places += [] if item is None else [place]
            place += 1
    # The entries were counted one by one; what counts is the whole.
    done = page(items, place, full)
    while items and not budget.holds(done):
        items.pop()
        place, full = places.pop(), True
        done = page(items, place, full)
    if items or not full:
        return done if budget.holds(done) else None
    first = render(listing.entries[place])
    for short in () if first is None else _shorter(first, budget.most_characters):
        done = page([short], place + 1, True)
        if budget.holds(done):
            return done
    return None


def _shorter(item: Item, longest_text: int) -> Iterator[Item]:
    """The item with less and less of its text, and at last with nothing but its id; one without a text with less of
    every long word in it."""
    text = item.get("text")
    if not isinstance(text, str):
        for longest in _LONGEST_NAMES:
            yield cast(Item, {**_abridged(item, longest), "truncated": True})
        return
    size = min(len(text), longest_text)
    while size > 0:
        size = size * 3 // 4
        yield cast(Item, {**item, "text": cut(text, size), "truncated": True})
    yield cast(Item, {"id": item["id"], "text": "", "truncated": True})


def _abridged(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}…"
    if isinstance(value, list):
        return [_abridged(one, longest) for one in value[:longest]]
    if isinstance(value, dict):
        return {key: _abridged(one, longest) for key, one in value.items()}
    return value


def fit_text(
    render: Callable[[str, bool], Answer],
    text: str,
    budget: Budget,
    shorten: Callable[[str, int], str] | None = None,
) -> tuple[Answer, int]:
    """The answer that `render` makes of as much of a text as fits, and how many characters that is."""
    if len(text) <= budget.most_characters:
        whole = budget.measure(render(text, False))
        if budget.holds(whole):
            return whole, len(text)
    best: tuple[Answer, int] | None = None
    low, high = 0, min(len(text), budget.most_characters)
    while low <= high:
        middle = (low + high) // 2
        piece = (shorten or cut)(text, middle)
        tried = budget.measure(render(piece, True))
        if budget.holds(tried):
            best, low = (tried, len(piece)), middle + 1
        else:
            high = middle - 1
    if best is None:
        raise BadValue(f"nothing of it fits in {budget.max_tokens} tokens; raise max_tokens")
    return best


def cut(text: str, size: int) -> str:
    """At most so many characters, up to the end of a sentence where there is one, else of a word."""
    if len(text) <= size:
        return text
    for ending in (_SENTENCE_END, _WORD_END):
        # Not in the first half: a cut there would throw away more than it tidies.
        end = _last_end(ending, text, size // 2, size)
        if end is not None:
            return text[:end].rstrip()
    return text[:size]


def _last_end(ending: re.Pattern[str], text: str, first: int, last: int) -> int | None:
    """Where the last match ends. From behind: a long text has a million of them, and one is wanted."""
    window = 1_024
    while True:
        start = max(first, last - window)
        ends = [match.end() for match in ending.finditer(text, start, last)]
        if ends:
            return ends[-1]
        if start == first:
            return None
        window *= 4


def cut_at_line(text: str, size: int) -> str:
    """At most so many characters, up to the end of a line where there is one; nothing is stripped."""
    if len(text) <= size:
        return text
    return text[: text.rfind("\n", 0, size) + 1] or text[:size]
