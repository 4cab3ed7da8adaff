"""The verbs about code. Each builds a call, as those about memories do."""

from __future__ import annotations

from helix.client.call import Call, reads
from helix.client.code_results import CodeImpact, CodeNeighborhood, CodeSymbols, CodeTour


class CodeVerbs:
    def find(
        self, symbol: str, *, source: str | None = None, limit: int = 25, max_tokens: int = 2000
    ) -> Call[CodeSymbols]:
        """Where a symbol is defined, in the sources."""
        return reads(
            "/code/find", CodeSymbols, symbol=symbol, source=source, limit=limit, max_tokens=max_tokens
        )

    def impact(
        self,
        symbol: str,
        *,
        source: str | None = None,
        depth: int = 3,
        limit: int = 100,
        max_tokens: int = 4000,
    ) -> Call[CodeImpact]:
        """What changing a symbol may break: callers, importers, tests and memories that cite it, by distance."""
        return reads(
            "/code/impact", CodeImpact, symbol=symbol, source=source, depth=depth, limit=limit,
            max_tokens=max_tokens,
        )  # fmt: skip

    def neighborhood(
        self, symbol: str, *, source: str | None = None, limit: int = 50, max_tokens: int = 3000
    ) -> Call[CodeNeighborhood]:
        """Who mentions a symbol, or those of a file, and what they mention."""
        return reads(
            "/code/neighborhood", CodeNeighborhood, symbol=symbol, source=source, limit=limit,
            max_tokens=max_tokens,
        )  # fmt: skip

    def tour(self, *, source: str | None = None, limit: int = 100, max_tokens: int = 3000) -> Call[CodeTour]:
        """In which order to read a repository, as far as a budget goes."""
        return reads("/code/tour", CodeTour, source=source, limit=limit, max_tokens=max_tokens)
