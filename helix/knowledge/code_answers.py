"""What the verbs about code answer."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.fields import ID
from helix.memory.verbs.verb import About

CodeRelation = Literal["calls", "uses", "extends", "imports"]


class CodeSymbol(TypedDict):
    name: Annotated[str, About("With the class that it is of: `Gateway.retry`.")]
    kind: str
    source: Annotated[str, About("The name of the source.")]
    path: str
    line: int
    end_line: int
    test: NotRequired[Annotated[bool, About("It stands in a test.", absent=False)]]


class CodeSymbols(Page):
    symbols: list[CodeSymbol]


class AffectedCode(TypedDict):
    distance: Annotated[int, About("1 for who calls it, 2 for who calls those, …")]
    relation: CodeRelation
    source: str
    path: str
    symbol: Annotated[str | None, About("Null for what stands in no symbol: the file itself.")]
    line: int
    via: Annotated[str, About("Through which symbol it is reached.")]
    test: NotRequired[Annotated[bool, About(absent=False)]]
    likely: NotRequired[
        Annotated[
            bool, About("Told from the name of a method, without knowing on what it is called.", absent=False)
        ]
    ]


class CitingMemory(TypedDict):
    id: Annotated[str, About(example=ID)]
    title: str


class CodeImpact(Page):
    symbols: Annotated[list[CodeSymbol], About("Those that are meant by the name.")]
    affected: list[AffectedCode]
    total: Annotated[int, About("How many are affected; 500 are looked for.")]
    tests: Annotated[int, About("How many of them are tests.")]
    memories: Annotated[list[CitingMemory], About("Memories whose text names it as `code:path::symbol`.")]


class CodeNeighbor(TypedDict):
    symbol: str
    relation: CodeRelation
    direction: Annotated[Literal["in", "out"], About("`in` for who mentions it, `out` for what it mentions.")]
    other: Annotated[str | None, About("Null for what stands in no symbol.")]
    source: str
    path: str
    line: int


class CodeNeighborhood(Page):
    symbols: list[CodeSymbol]
    neighbors: list[CodeNeighbor]


class TourStop(TypedDict):
    path: str
    lines: int
    imported_by: Annotated[int, About("How many files import it.")]
    symbols: Annotated[list[str], About("What it defines: the first ten.")]


class CodeTour(Page):
    source: str
    files: Annotated[int, About("How many there are, without tests.")]
    stops: list[TourStop]
