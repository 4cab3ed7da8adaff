"""Two texts without a base become one: every line of both stays, and no two blocks are mixed.

All line ends are "\\n", and offsets stand at the starts of lines.
"""

from __future__ import annotations

from dataclasses import dataclass

from helix.vault.line_diff import TELLING, Hunk, diff_lines, weigh
from helix.vault.markdown_blocks import Span, blocks, inside
from helix.vault.merged_text import COLLISION, WARNING, MergedText
from helix.vault.text_lines import has_lines, lines

# Letters and digits: from so many on, equal text is one text that both sides have from somewhere, and no two people's.
UNMISTAKABLE = 40
# Additions larger than this are not looked through for lines that both have: people are warned of them anyway.
_LARGE = 64 * 1024
_LOOKS = 64


def union(one: str, two: str, *, added: bool = False, warn: bool = True) -> str:
    """Both texts as if their base were what they share, where that is more than chance.

    Equal lines that say little, or stand within one block, do not hold two differing texts together: to repeat
    `sleep 30` or a whole block is right, to mix two blocks is not. With `added` the two are additions at one place:
    then both stay whole, unless they share text that no two people write. With `warn` two texts at one place are
    versions of each other, else only when they have a line in common.
    """
    if has_lines(one, two) or has_lines(two, one):
        return max(one, two, key=len)
    short, long = sorted((one, two), key=len)
    if not added or weigh(short, 0, len(short), UNMISTAKABLE) == UNMISTAKABLE:
        rest = lines(long)
        if all(line in rest for line in lines(short)):
            return long
    merged, at, looks = MergedText(one), 0, _LOOKS
    regions = _regions(one, two, added)
    for hunk in regions:
        merged.keep(at, hunk.start)
        mine, theirs = one[hunk.start : hunk.end], two[hunk.other : hunk.other_end]
        if looks and weigh(theirs, 0, len(theirs), UNMISTAKABLE) == UNMISTAKABLE:
            looks -= 1
            theirs = "" if _was_moved(one, two, theirs, regions) else theirs
        merged.add(both(mine, theirs, warn), hunk.start)
        at = hunk.end
    merged.keep(at, len(one))
    return merged.text()


def _was_moved(one: str, two: str, part: str, regions: list[Hunk]) -> bool:
    """Whether the first text has this part of the second one too, elsewhere: moved, or merged in another order."""
    mark = f"\n{part}"
    at = f"\n{one}".find(mark)
    is_single = at >= 0 and f"\n{two}".find(mark) == f"\n{two}".rfind(mark)
    return is_single and any(hunk.start <= at and at + len(part) <= hunk.end for hunk in regions)


def both(one: str, two: str, warn: bool) -> str:
    """One block after the other, in the order of what they say: it is the same on every machine."""
    if has_lines(one, two) or has_lines(two, one):
        return max(one, two, key=len)
    is_known = COLLISION in one or COLLISION in two
    was_first = one.startswith(WARNING) or two.startswith(WARNING)
    blocks = "".join(sorted((one.removeprefix(WARNING), two.removeprefix(WARNING))))
    is_collision = not is_known and one.strip() and two.strip() and (warn or _share_a_line(one, two))
    return WARNING + blocks if was_first or is_collision else blocks


@dataclass
class _Region:
    """A place where two texts differ, with what the letters there weigh on each side (counted up to a limit)."""

    hunk: Hunk
    one: int
    two: int

    @property
    def is_two_sided(self) -> bool:
        return self.one > 0 and self.two > 0

    @property
    def weight(self) -> int:
        return min(TELLING - 1, max(self.one, self.two))

    @property
    def shift(self) -> int:
        """from an offset of the first text above the region to that of the second"""
        return self.hunk.other - self.hunk.start

    def joined(self, after: _Region) -> _Region:
        hunk = Hunk(self.hunk.start, after.hunk.end, self.hunk.other, after.hunk.other_end)
        return _Region(hunk, self.one + after.one, self.two + after.two)


def _regions(one: str, two: str, added: bool) -> list[Hunk]:
    """Where two texts differ, after what does not hold them together was made part of the difference."""
    seam = _Seam(one, two, added)
    regions: list[_Region] = []
    for hunk in diff_lines(one, two):
        region = seam.region(hunk)
        while regions and not seam.holds(regions[-1], region):
            region = regions.pop().joined(region)
        regions.append(region)
    return [seam.whole(regions, place) for place in range(len(regions))]


class _Seam:
    """Judges the equal lines between two places where texts differ."""

    def __init__(self, one: str, two: str, added: bool) -> None:
        self._one, self._two = one, two
        self._added = added
        self._need = UNMISTAKABLE if added else TELLING
        self._blocks = [blocks(one), blocks(two)]

    def region(self, hunk: Hunk) -> _Region:
        return _Region(
            hunk,
            weigh(self._one, hunk.start, hunk.end, TELLING),
            weigh(self._two, hunk.other, hunk.other_end, TELLING),
        )

    def holds(self, left: _Region, right: _Region) -> bool:
        if not (left.one or right.one) or not (left.two or right.two):
            return True  # all that differs is on one side: nothing can be mixed
        start, end = left.hunk.end, right.hunk.start
        block = self._block(start, right.shift)
        if block is not None and block == self._block(end, right.shift):
            return False
        start, end = self._reach_down(left, end), self._reach_up(right, start)
        weight = weigh(self._one, start, end, self._need) if start < end else 0
        # A short run holds short differences: `eggs` and `bread` in two lists.
        around = min(left.weight, right.weight)
        return weight >= self._need or (not self._added and weight >= around > 0)

    def whole(self, regions: list[_Region], place: int) -> Hunk:
        """The region with what would be cut off its blocks."""
        region = regions[place]
        start = self._reach_up(region, regions[place - 1].hunk.end if place else 0)
        end = self._reach_down(
            region, regions[place + 1].hunk.start if place + 1 < len(regions) else len(self._one)
        )
        if self._added and region.is_two_sided:
            if place == 0 and weigh(self._one, 0, start, self._need) < self._need:
                start = 0
            if place + 1 == len(regions) and weigh(self._one, end, len(self._one), self._need) < self._need:
                end = len(self._one)
        other, other_end = start + region.shift, end + region.hunk.other_end - region.hunk.end
        return Hunk(start, end, other, other_end)

    def _reach_up(self, region: _Region, floor: int) -> int:
        """Where a region begins: with both sides' words in it, not within a block, nor below lines that may be the
        first ones of both additions, a heading or a blank line."""
        at, spare = region.hunk.start, region.weight
        while region.is_two_sided and at > floor:
            if (block := self._block(at, region.shift)) is not None:
                at = max(floor, block.start)
                continue
            line = self._one.rfind("\n", 0, at - 1) + 1
            is_below = _is_indented(self._one, at) or _is_indented(self._two, at + region.shift)
            if not is_below:
                spare -= weigh(self._one, line, at, TELLING)
            if spare <= 0 or line < floor:
                break
            at = line
        return at

    def _reach_down(self, region: _Region, ceiling: int) -> int:
        """Where a region ends: also not above lines that may be the last ones of both, `}` or `done()`."""
        at, spare = region.hunk.end, region.weight
        shift = region.hunk.other_end - region.hunk.end
        while region.is_two_sided and at < ceiling:
            if (block := self._block(at, shift)) is not None:
                at = min(ceiling, block.end)
                continue
            line_end = self._one.find("\n", at) + 1
            if not _is_indented(self._one, at):
                spare -= weigh(self._one, at, line_end, TELLING)
            if spare <= 0 or line_end > ceiling:
                break
            at = line_end
        return at

    def _block(self, at: int, shift: int) -> Span | None:
        """The block that a cut here would go through, in offsets of the first text."""
        if (block := inside(self._blocks[0], at)) is not None:
            return block
        block = inside(self._blocks[1], at + shift)
        return None if block is None else Span(block.start - shift, block.end - shift)


def _is_indented(text: str, at: int) -> bool:
    return text.startswith((" ", "\t"), at)


def _share_a_line(one: str, two: str) -> bool:
    if len(one) > _LARGE or len(two) > _LARGE:
        return True
    shared = set(lines(one)).intersection(lines(two))
    return any(weigh(line, 0, len(line), 1) for line in shared)
