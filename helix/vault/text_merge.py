"""Three-way merge of two texts by lines, in which no occurrence of a new line is lost and no two blocks are mixed.

What a side added at one place stays together in its order. Two additions at one place stand one after the other,
in an order that depends on what they say alone. docs/decisions/003-own-text-merge.md says why it is made like this.

Everything here works on texts whose line ends are all "\\n", and on offsets at the starts of lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from helix.vault.line_diff import TELLING, Hunk, weigh
from helix.vault.markdown_blocks import fences, inside
from helix.vault.merged_text import COLLISION, WARNING, MergedText, without_collisions
from helix.vault.text_changes import changes_to
from helix.vault.text_lines import ends_line, has_lines, lines, plain, with_ends_of
from helix.vault.text_union import UNMISTAKABLE, both, union

__all__ = ["COLLISION", "merge_text", "without_collisions"]


def merge_text(base: str | None, first: str, second: str) -> str:
    """The text that holds what both sides added and lacks what one side removed from `base`.

    Without a base every line of both sides stays. Line ends follow `first`.
    """
    if first == second or base == second:
        return first
    if base == first:
        return second
    # From here on it does not matter which side is which.
    left, right = sorted((plain(first), plain(second)))
    merged = union(left, right) if base is None else _three_way(plain(base), left, right)
    ends_open = not ends_line(first) and not ends_line(second)
    return with_ends_of(first, merged, ends_open)


@dataclass
class _Cluster:
    """Changes of the base that touch each other: what each side put in the place of `start` to `end`."""

    start: int
    end: int
    added: tuple[list[str], list[str]] = field(default_factory=lambda: ([], []))
    touched: set[int] = field(default_factory=set)

    def takes(self, hunk: Hunk) -> bool:
        is_same_place = hunk.start == hunk.end == self.start == self.end
        return hunk.start < self.end or is_same_place

    def drop_repeated(self, right: _Cluster) -> None:
        """An addition next to a passage that the other side wrote anew, with that very addition in it, is not said
        twice: whoever wrote the passage had merged the addition already."""
        if self.end != right.start or self.touched & right.touched:
            return
        for added, passage in ((self, right), (right, self)):
            if added.start == added.end and has_lines(passage.text(), added.text()):
                added.added = ([], [])

    def text(self) -> str:
        return "".join((*self.added[0], *self.added[1]))

    def add(self, hunk: Hunk, side: int, text: str) -> None:
        self.end = max(self.end, hunk.end)
        self.added[side].append(text)
        self.touched.add(side)


def _three_way(base: str, left: str, right: str) -> str:
    changes = [(hunk, 0, left[hunk.other : hunk.other_end]) for hunk in changes_to(base, left)]
    changes += [(hunk, 1, right[hunk.other : hunk.other_end]) for hunk in changes_to(base, right)]
    changes.sort()
    merged = _carried_out(base, changes)
    absent = _absent(base, left, right, merged, changes)
    return _carried_out(base, _sparing(absent, base, changes)) if absent else merged


_Change = tuple[Hunk, int, str]
"""what was done to the base, by which side, and the text that stands in its place"""


def _absent(base: str, left: str, right: str, merged: str, changes: Sequence[_Change]) -> set[str]:
    """Lines that both sides still have and the merge has not: they stood in the base more than once, and each side
    removed another one of them."""
    removed: tuple[set[str], set[str]] = (set(), set())
    for hunk, side, _ in changes:
        removed[side].update(filter(_is_telling, lines(base[hunk.start : hunk.end])))
    absent = removed[0] & removed[1]
    for text in (left, right):
        absent = {line for line in lines(text) if line in absent} if absent else absent
    return absent.difference(lines(merged)) if absent else absent


def _sparing(absent: set[str], base: str, changes: Sequence[_Change]) -> list[_Change]:
    """The changes without the first removal of each of these lines that the other side did not make too."""
    sought = set(absent)
    hunks = [[hunk for hunk, side, _ in changes if side == which] for which in (0, 1)]
    kept: list[_Change] = []
    for hunk, side, text in changes:
        removed = _places(base, hunk)
        spared = []
        for line, start, end in removed:
            if line in sought and not _is_removed(start, hunks[1 - side]):
                sought.discard(line)
                spared.append((start, end))
        if spared and not text and all(line in absent for line, _, _ in removed if _is_telling(line)):
            continue  # a whole block: with its fences
        at = hunk.start
        for start, end in spared:
            kept.append((Hunk(at, start, hunk.other, hunk.other_end), side, text))
            at, text = end, ""
        kept.append((Hunk(at, hunk.end, hunk.other, hunk.other_end), side, text))
    return sorted(one for one in kept if one[2] or one[0].start < one[0].end)


def _is_removed(at: int, hunks: Sequence[Hunk]) -> bool:
    index = bisect_right(hunks, at, key=lambda hunk: hunk.start) - 1
    return index >= 0 and at < hunks[index].end


def _places(base: str, hunk: Hunk) -> list[tuple[str, int, int]]:
    """The lines of the base that a change takes away, with where each begins and ends."""
    found, at = [], hunk.start
    for line in lines(base[hunk.start : hunk.end]):
        found.append((line, at, at + len(line)))
        at += len(line)
    return found


def _is_telling(line: str) -> bool:
    return len(line) > TELLING and weigh(line, 0, len(line), TELLING) >= TELLING


def _carried_out(base: str, changes: Sequence[_Change]) -> str:
    clusters: list[_Cluster] = []
    for hunk, side, text in changes:
        if not clusters or not clusters[-1].takes(hunk):
            clusters.append(_Cluster(hunk.start, hunk.end))
        clusters[-1].add(hunk, side, text)
    for left, right in pairwise(clusters):
        left.drop_repeated(right)
    _take_whole_fences(base, clusters)
    merged, at = MergedText(base), 0
    for cluster in clusters:
        merged.keep(at, cluster.start)
        merged.add(_resolve(cluster), cluster.start)
        at = cluster.end
    merged.keep(at, len(base))
    return merged.text()


def _take_whole_fences(base: str, clusters: list[_Cluster]) -> None:
    """Two versions of nearly all of a code block are two code blocks: each side's stays whole."""
    spans = fences(base) if any(len(cluster.touched) == 2 for cluster in clusters) else []
    for index, cluster in enumerate(clusters):
        block = inside(spans, cluster.start)
        left, right = ("".join(texts) for texts in cluster.added)
        if (
            block is None
            or not left.strip()
            or not right.strip()
            or left == right
            or cluster.end >= block.end
        ):
            continue
        is_alone = (not index or clusters[index - 1].end <= block.start) and (
            index + 1 == len(clusters) or clusters[index + 1].start >= block.end
        )
        kept = weigh(base, block.start, cluster.start, UNMISTAKABLE)
        kept += weigh(base, cluster.end, block.end, UNMISTAKABLE)
        if is_alone and kept < UNMISTAKABLE:
            above, below = base[block.start : cluster.start], base[cluster.end : block.end]
            cluster.added = ([above + left + below], [above + right + below])
            cluster.start, cluster.end = block


def _resolve(cluster: _Cluster) -> str:
    """What stands in the place of lines that were changed. A line of the base that one side removed stays removed."""
    left, right = ("".join(texts) for texts in cluster.added)
    if len(cluster.touched) == 1 or left == right:
        return left or right
    if cluster.start == cluster.end:
        return union(left, right, added=True, warn=False)
    if left.strip() and right.strip():
        return union(left, right, added=True)
    # One side removed what the other one changed, or added to: the change stays, and is shown.
    changed = both(left, right, warn=True)
    return changed if COLLISION in changed or not changed.strip() else WARNING + changed
