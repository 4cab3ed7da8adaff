"""The one door to what is searched: memories with their facets, words, vectors and links.

Which file holds which memory, and what was seen of the disk, is the catalog's and always local. An engine is derived
from it and from the notes, and can be anything: `LocalEngine` is Whoosh, LanceDB and memory. It finds candidates;
ranking, gating and reranking stand above (`search`) and see candidates only, so that the same vault gives the same
answers in the same order whatever the engine. `tests/index/engine_suite.py` is what every engine has to pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, NamedTuple, Protocol

from helix.index.facets import Facets
from helix.index.filters import Where
from helix.vault.diff import Change
from helix.vault.note import Note

if TYPE_CHECKING:
    import numpy as np

    from helix.index.catalog import Indexed

ANCHORS = 10
"""of the best by words, and of the best by meaning: whose surroundings are candidates too"""
BESIDE = 2
"""how far a neighbour in a session stands from an anchor"""

ReadNote = Callable[[str], Note | None]
"""the note at a path"""
Progress = Callable[[int, int], None]


class Ledger(Protocol):
    """What is true: an engine compares itself with it."""

    def indexed(self) -> Sequence[Indexed]: ...

    def find_path(self, memory_id: str) -> str | None:
        """Where the memory stands now."""


@dataclass(frozen=True)
class Wording:
    """What is looked for."""

    text: str
    """for the model; empty when only filters were typed"""
    words: Sequence[str]
    """as `query_tokens` gives them"""
    without: Sequence[str] = ()
    """words that must not be there"""


class Candidate(NamedTuple):
    """A memory that may be an answer."""

    id: str
    words: float = 0.0
    """BM25, raw"""
    cosine: float | None = None
    """of the best chunk; None when the vector search did not find it"""
    position: int = 0
    """in its session, in order of time"""
    linked: AbstractSet[str] = frozenset()
    """what it names, and what names it"""


@dataclass(frozen=True)
class CandidateColumns:
    """Memories that may be answers, in the order of their ids, and what ranking needs to know of them. There are
    hundreds for every question, so it is kept in arrays, which have a place for each."""

    ids: Sequence[str]
    words: np.ndarray
    """BM25, raw"""
    cosines: np.ndarray
    """of the best chunk; NaN where the vector search did not find it"""
    ordinals: np.ndarray
    """of that chunk"""
    sessions: np.ndarray
    """a number for each, below nought for none"""
    positions: np.ndarray
    """in their sessions, in order of time"""
    named: np.ndarray
    """which share of the words of the title stands in the question"""
    created: np.ndarray
    """this and the other times in microseconds, or `NO_TIME`"""
    changed: np.ndarray
    valid_from: np.ndarray
    valid_until: np.ndarray
    importance: np.ndarray
    """NaN where nobody said"""
    telling: np.ndarray
    """how many words tell something, up to a number that is enough"""
    days: np.ndarray
    """which the text names as its own, as an ordinal; nought for none"""
    linked: Callable[[str], AbstractSet[str]]
    """what one of them names, and what names it: asked of the best few, and told as it is then"""

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Candidate]:
        for memory_id, words, cosine, position in zip(
            self.ids, self.words.tolist(), self.cosines.tolist(), self.positions.tolist(), strict=True
        ):
            near = None if cosine != cosine else cosine
            yield Candidate(memory_id, words, near, position, self.linked(memory_id))

    def only(self, places: Sequence[int]) -> CandidateColumns:
        """Those at these places, which are in order."""
        chosen = {
            column.name: getattr(self, column.name)[list(places)]
            for column in fields(self)
            if column.name not in ("ids", "linked")
        }
        return CandidateColumns([self.ids[at] for at in places], **chosen, linked=self.linked)


@dataclass(frozen=True)
class Candidates:
    found: CandidateColumns
    rarities: Mapping[str, float]
    """how much each word of the question tells"""
    best_possible: float
    """about the word score of a memory that is made of the question's words"""
    trouble: str | None = None
    """why this question was not searched by meaning, though others are"""


@dataclass(frozen=True)
class Spelling:
    """A word of the index that looks like one that nobody wrote."""

    word: str
    """as the index has it, perhaps only a stem"""
    held_by: Sequence[str]
    """memories in which it stands"""


@dataclass(frozen=True)
class EmbeddingProgress:
    """How far the embedding is. It is work, not trouble: everything is found by its words meanwhile."""

    done: int
    total: int
    seconds: float | None
    """until it is complete, at its pace so far"""
    message: str


@dataclass(frozen=True)
class IndexHealth:
    memories: int
    index_lag: int
    """memories that can be found by their words and not yet by their meaning"""
    model: str | None
    degraded: str | None
    """why search is by words only, or behind; None when all is well"""
    indexing: EmbeddingProgress | None = None
    """set while that is all there is to say: nobody has to look after it"""
    cache_hits: int = 0
    cache_misses: int = 0
    """chunks whose vector was known since the start of the process, and those that went through the model"""
    dimensions: int | None = None
    """of the vectors that are compared, when some are"""
    is_calibrated: bool = False
    """whether it was measured which cosines count as near: that differs from model to model"""
    is_kept: bool = True
    """whether what is written reaches it: not while its disk is full, or its database away"""

    @property
    def is_starting(self) -> bool:
        """Found by words, while the model and the vectors are still being opened."""
        return self.model is None and self.indexing is not None


class Engine(Protocol):
    """Threads may ask while one writes."""

    # Keeping

    def apply(self, changes: Sequence[Change]) -> None:
        """Found by their words when this returns, by their meaning soon after. The same changes may come again."""

    def catch_up(self, ledger: Ledger, read: ReadNote, progress: Progress | None = None) -> int:
        """Put what the ledger has and the engine has not, and drop what it no longer has. Returns how many.

        Everything is found by its words when this returns.
        """

    def attach(self) -> None:
        """Search by meaning as well, in an engine that was opened for words first. It may take seconds."""

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make everything again from the notes; what was there serves until it is replaced."""

    def erase(self, memory_ids: Sequence[str]) -> bool:
        """Leave nothing of them in any file. Whether that is done; if not it is asked for again."""

    def tend(self, *, tidy: bool) -> None:
        """What is done when it is quiet: write what is only in memory, erase, and now and then compact."""

    def start(self) -> None:
        """Tend in the background from now on."""

    def close(self) -> None: ...

    def wait_until_embedded(self, timeout: float) -> bool: ...

    # Asking

    def health(self) -> IndexHealth: ...

    def version(self) -> object:
        """Another value after every change that may give a question another answer."""

    def hashes(self) -> Mapping[str, str]:
        """What is found by its words: of each memory the hash of the note that it was put with."""

    def facets(self, where: Where) -> list[Facets]:
        """Of every memory that passes, in the order of their ids."""

    def candidates(self, wording: Wording, where: Where, limit: int) -> Candidates:
        """The best `limit` by words and by meaning, and what stands beside the first `ANCHORS` of each in its session
        or is linked with them; without words everything. All of it passes `where`."""

    def alike(self, text: str, limit: int, where: Where) -> list[str]:
        """The memories that share the rarest words with a text, best first."""

    def spellings(self, words: Sequence[str], where: Where) -> list[Spelling]:
        """For words that no memory holds: those that look like them in memories that pass, likeliest first."""

    def means(self) -> tuple[list[str], np.ndarray] | None:
        """Of each memory one vector of length one; None without a model. It waits for vectors that are being opened,
        and raises IndexNotReady when that takes long."""

    def vectors_version(self) -> object:
        """Another value whenever `means` would answer otherwise."""
