"""Two texts without a base become one: every line of both stays, and no two blocks are mixed.

All line ends are "\\n", and offsets stand at the starts of lines.
"""

from __future__ import annotations

from dataclasses import dataclass

from helix.vault.line_diff import TELLING, Hunk, diff_lines, weigh
from helix.vault.markdown_blocks import BlockSpan, blocks, inside
from helix.vault.merged_text import COLLISION, WARNING, MergedText
from helix.vault.text_lines import has_lines, lines

# Letters and digits: from so many on, equal text is one text that both sides have from somewhere, and no two people's.
UNMISTAKABLE = 40
# Additions larger than this are not looked through for lines that both have: people are warned of them anyway.
_LARGE = 64 * 1024
_LOOKS = 64


def union(left: str, right: str, *, added: bool = False, warn: bool = True) -> str:
    """Both texts as if their base were what they share, where that is more than chance.

    Equal lines that say little, or stand within one block, do not hold two differing texts together: to repeat
    `sleep 30` or a whole block is right, to mix two blocks is not. With `added` the two are additions at one place:
    then both stay whole, unless they share text that no two people write. With `warn` two texts at one place are
    versions of each other, else only when they have a line in common.
    """
    if has_lines(left, right) or has_lines(right, left):
        return max(left, right, key=len)
    short, long = sorted((left, right), key=len)
    if not added or weigh(short, 0, len(short), UNMISTAKABLE) == UNMISTAKABLE:
        rest = lines(long)
        if all(line in rest for line in lines(short)):
            return long
    merged, at, looks = MergedText(left), 0, _LOOKS
    regions = _regions(left, right, added)
    for hunk in regions:
        merged.keep(at, hunk.start)
        mine, theirs = left[hunk.start : hunk.end], right[hunk.other : hunk.other_end]
        if looks and weigh(theirs, 0, len(theirs), UNMISTAKABLE) == UNMISTAKABLE:
            looks -= 1
            theirs = "" if _was_moved(left, right, theirs, regions) else theirs
        merged.add(both(mine, theirs, warn), hunk.start)
        at = hunk.end
    merged.keep(at, len(left))
    return merged.text()


def _was_moved(left: str, right: str, part: str, regions: list[Hunk]) -> bool:
    """Whether the first text has this part of the second one too, elsewhere: moved, or merged in another order."""
    mark = f"\n{part}"
    at = f"\n{left}".find(mark)
    is_single = at >= 0 and f"\n{right}".find(mark) == f"\n{right}".rfind(mark)
    return is_single and any(hunk.start <= at and at + len(part) <= hunk.end for hunk in regions)


def both(left: str, right: str, warn: bool) -> str:
    """One block after the other, in the order of what they say: it is the same on every machine."""
    if has_lines(left, right) or has_lines(right, left):
        return max(left, right, key=len)
    is_known = COLLISION in left or COLLISION in right
    was_first = left.startswith(WARNING) or right.startswith(WARNING)
    blocks = "".join(sorted((left.removeprefix(WARNING), right.removeprefix(WARNING))))
    is_collision = not is_known and left.strip() and right.strip() and (warn or _share_a_line(left, right))
    return WARNING + blocks if was_first or is_collision else blocks


@dataclass
class _Region:
    """A place where two texts differ, with what the letters there weigh on each side (counted up to a limit)."""

    hunk: Hunk
    left: int
    right: int

    @property
    def is_two_sided(self) -> bool:
        return self.left > 0 and self.right > 0

    @property
    def weight(self) -> int:
        return min(TELLING - 1, max(self.left, self.right))

    @property
    def shift(self) -> int:
        """from an offset of the first text above the region to that of the second"""
        return self.hunk.other - self.hunk.start

    def joined(self, after: _Region) -> _Region:
        hunk = Hunk(self.hunk.start, after.hunk.end, self.hunk.other, after.hunk.other_end)
        return _Region(hunk, self.left + after.left, self.right + after.right)


def _regions(left: str, right: str, added: bool) -> list[Hunk]:
    """Where two texts differ, after what does not hold them together was made part of the difference."""
    seam = _Seam(left, right, added)
    regions: list[_Region] = []
    for hunk in diff_lines(left, right):
        region = seam.region(hunk)
        while regions and not seam.holds(regions[-1], region):
            region = regions.pop().joined(region)
        regions.append(region)
    return [seam.whole(regions, index) for index in range(len(regions))]


class _Seam:
    """Judges the equal lines between two places where texts differ."""

    def __init__(self, left: str, right: str, added: bool) -> None:
        self._left, self._right = left, right
        self._added = added
        self._need = UNMISTAKABLE if added else TELLING
        self._blocks = [blocks(left), blocks(right)]

    def region(self, hunk: Hunk) -> _Region:
        return _Region(
            hunk,
            weigh(self._left, hunk.start, hunk.end, TELLING),
            weigh(self._right, hunk.other, hunk.other_end, TELLING),
        )

    def holds(self, above: _Region, below: _Region) -> bool:
        if not (above.left or below.left) or not (above.right or below.right):
            return True  # all that differs is on one side: nothing can be mixed
        start, end = above.hunk.end, below.hunk.start
        block = self._block(start, below.shift)
        if block is not None and block == self._block(end, below.shift):
            return False
        start, end = self._reach_down(above, end), self._reach_up(below, start)
        weight = weigh(self._left, start, end, self._need) if start < end else 0
        # A short run holds short differences: `eggs` and `bread` in two lists.
        around = min(above.weight, below.weight)
        return weight >= self._need or (not self._added and weight >= around > 0)

    def whole(self, regions: list[_Region], index: int) -> Hunk:
        """The region with what would be cut off its blocks."""
        region = regions[index]
        start = self._reach_up(region, regions[index - 1].hunk.end if index else 0)
        end = self._reach_down(
            region, regions[index + 1].hunk.start if index + 1 < len(regions) else len(self._left)
        )
        if self._added and region.is_two_sided:
            if index == 0 and weigh(self._left, 0, start, self._need) < self._need:
                start = 0
            if index + 1 == len(regions) and weigh(self._left, end, len(self._left), self._need) < self._need:
                end = len(self._left)
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
            line = self._left.rfind("\n", 0, at - 1) + 1
            is_below = _is_indented(self._left, at) or _is_indented(self._right, at + region.shift)
            if not is_below:
                spare -= weigh(self._left, line, at, TELLING)
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
            line_end = self._left.find("\n", at) + 1
            if not _is_indented(self._left, at):
                spare -= weigh(self._left, at, line_end, TELLING)
            if spare <= 0 or line_end > ceiling:
                break
            at = line_end
        return at

    def _block(self, at: int, shift: int) -> BlockSpan | None:
        """The block that a cut here would go through, in offsets of the first text."""
        if (block := inside(self._blocks[0], at)) is not None:
            return block
        block = inside(self._blocks[1], at + shift)
        return None if block is None else BlockSpan(block.start - shift, block.end - shift)


def _is_indented(text: str, at: int) -> bool:
    return text.startswith((" ", "\t"), at)


def _share_a_line(left: str, right: str) -> bool:
    if len(left) > _LARGE or len(right) > _LARGE:
        return True
    shared = set(lines(left)).intersection(lines(right))
    return any(weigh(line, 0, len(line), 1) for line in shared)
