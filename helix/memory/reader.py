"""What every reading verb stands on: a view of the vault, now or then, and pages that keep their budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from helix.errors import BadValue
from helix.index.query import narrow
from helix.index.where import Where
from helix.memory.bounds import MOST_AT_ONCE
from helix.memory.budget import Budget, Render, Shape, fit_page
from helix.memory.pagination import Listing, Pages
from helix.memory.reading.view import View
from helix.memory.tokens import CountTokens, Payload
from helix.vault.times import parse_time

ViewAt = Callable[[datetime | None, str | None], View]
"""the vault at a time, or at a commit, branch or tag; with neither as it is"""


@dataclass(frozen=True)
class When:
    """Now, unless one of them is given."""

    as_of: str | None = None
    ref: str | None = None

    def moment(self) -> datetime | None:
        if self.as_of is None:
            return None
        moment = parse_time(self.as_of)
        if moment is None:
            raise BadValue(
                f"as_of is {self.as_of[:60]!r}; write a time like 2026-06-18 or 2026-06-18T09:12:44Z"
            )
        return moment


NOW = When()


@dataclass(frozen=True)
class Reader:
    view_at: ViewAt
    pages: Pages
    count: CountTokens

    def view(self, when: When = NOW) -> View:
        return self.view_at(when.moment(), when.ref)

    def continued(self, verb: str, cursor: str) -> tuple[View, Listing]:
        listing = self.pages.find(verb, cursor)
        return self.view_at(None, listing.commit), listing

    def listed(
        self,
        verb: str,
        view: View,
        cursor: str | None,
        entries: Callable[[View], Sequence[Any]],
        *,
        quotes: bool = True,
    ) -> tuple[View, Listing]:
        """What a cursor continues, or else a listing made now; `quotes` when more than ids and scores is in it."""
        if cursor is not None:
            return self.continued(verb, cursor)
        era = self.pages.era() if quotes else None
        return view, self.pages.start(verb, entries(view), view.commit, era)

    def page(
        self,
        verb: str,
        listing: Listing,
        render: Render,
        shape: Shape,
        *,
        limit: int,
        max_tokens: int,
        answer: Payload | None = None,
    ) -> Payload:
        page = fit_page(answer or {}, listing, render, shape, limit, Budget(max_tokens, self.count))
        if page["next_cursor"] is not None:
            self.pages.keep(verb, listing)
        return page


def check_limit(limit: int, most: int = MOST_AT_ONCE) -> int:
    if not 1 <= limit <= most:
        raise BadValue(f"limit is {limit}; give a number from 1 to {most}")
    return limit


def to_filters(given: Mapping[str, str]) -> tuple[Where, dict[str, str]]:
    """The filters of the index, and those on a person's own keys, which only the catalog knows."""
    filters, own = Where(), {}
    for key, value in given.items():
        narrowed = narrow(filters, key, value) if value.strip() else None
        if narrowed is None:
            own[key] = value
        else:
            filters = narrowed
    return filters, own
