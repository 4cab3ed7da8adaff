"""What the daemon answers about code."""

from __future__ import annotations

from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each


@dataclass(frozen=True, kw_only=True)
class CodeSymbol(Result):
    """Where something is defined."""

    name: str
    kind: str
    source: str
    path: str
    line: int
    end_line: int
    test: bool = False


@dataclass(frozen=True, kw_only=True)
class CodeSymbols(Listing[CodeSymbol]):
    symbols: tuple[CodeSymbol, ...] = each(CodeSymbol)

    @property
    def items(self) -> tuple[CodeSymbol, ...]:
        return self.symbols


@dataclass(frozen=True, kw_only=True)
class AffectedCode(Result):
    """What may have to change with a symbol."""

    distance: int
    relation: str
    """`calls`, `uses`, `extends` or `imports`"""
    source: str
    path: str
    symbol: str | None = None
    """None for the file itself"""
    line: int
    via: str
    """through which symbol it is reached"""
    test: bool = False
    likely: bool = False
    """told from the name of a method, without knowing on what it is called"""


@dataclass(frozen=True, kw_only=True)
class CitingMemory(Result):
    id: str
    title: str


@dataclass(frozen=True, kw_only=True)
class CodeImpact(Listing[AffectedCode]):
    symbols: tuple[CodeSymbol, ...] = each(CodeSymbol)
    affected: tuple[AffectedCode, ...] = each(AffectedCode)
    total: int
    tests: int
    memories: tuple[CitingMemory, ...] = each(CitingMemory)

    @property
    def items(self) -> tuple[AffectedCode, ...]:
        return self.affected


@dataclass(frozen=True, kw_only=True)
class CodeNeighbor(Result):
    symbol: str
    relation: str
    direction: str
    """`in` for who mentions it, `out` for what it mentions"""
    other: str | None = None
    source: str
    path: str
    line: int


@dataclass(frozen=True, kw_only=True)
class CodeNeighborhood(Listing[CodeNeighbor]):
    symbols: tuple[CodeSymbol, ...] = each(CodeSymbol)
    neighbors: tuple[CodeNeighbor, ...] = each(CodeNeighbor)

    @property
    def items(self) -> tuple[CodeNeighbor, ...]:
        return self.neighbors


@dataclass(frozen=True, kw_only=True)
class TourStop(Result):
    path: str
    lines: int
    imported_by: int
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CodeTour(Listing[TourStop]):
    source: str
    files: int
    stops: tuple[TourStop, ...] = each(TourStop)

    @property
    def items(self) -> tuple[TourStop, ...]:
        return self.stops
