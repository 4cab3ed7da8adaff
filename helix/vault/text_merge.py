"""Three-way merge of two texts by lines, in which no occurrence of a new line is lost and no two blocks are mixed.

What a side added at one place stays together in its order. Two additions at one place stand one after the other,
in an order that depends on what they say alone. docs/decisions/003-own-text-merge.md says why it is made like this.

Everything here works on texts whose line ends are all "\\n", and on offsets at the starts of lines.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from helix.vault.line_diff import TELLING, Hunk, diff_lines, weigh
from helix.vault.markdown_blocks import Span, blocks, fences, inside

COLLISION = (
    "> [!warning] Two versions of the next lines met here. Keep what is right; delete the rest and this line."
)
_WARNING = COLLISION + "\n\n"

# Letters and digits: from so many on, equal text is one text that both sides have from somewhere, and no two people's.
_UNMISTAKABLE = 40
# Additions larger than this are not looked through for lines that both have: people are warned of them anyway.
_LARGE = 64 * 1024
_LOOKS = 64


def merge_text(base: str | None, first: str, second: str) -> str:
    """The text that holds what both sides added and lacks what one side removed from `base`.

    Without a base every line of both sides stays. Line ends follow `first`.
    """
    if first == second or base == second:
        return first
    if base == first:
        return second
    # From here on it does not matter which side is which.
    one, two = sorted((_plain(first), _plain(second)))
    merged = _union(one, two) if base is None else _three_way(_plain(base), one, two)
    ends_open = not _ends_line(first) and not _ends_line(second)
    return _with_ends_of(first, merged, ends_open)


def without_collisions(text: str) -> str:
    """The text without the lines that warn of two versions; both versions stay."""
    kept, after_warning = [], False
    for line in _lines(text):
        is_warning = line.rstrip("\r\n") == COLLISION
        if not is_warning and not (after_warning and not line.strip()):
            kept.append(line)
        after_warning = is_warning
    return "".join(kept)


# With a base


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
            if added.start == added.end and _has(passage.text(), added.text()):
                added.added = ([], [])

    def text(self) -> str:
        return "".join((*self.added[0], *self.added[1]))

    def add(self, hunk: Hunk, side: int, text: str) -> None:
        self.end = max(self.end, hunk.end)
        self.added[side].append(text)
        self.touched.add(side)


def _three_way(base: str, one: str, two: str) -> str:
    changes = [(hunk, 0, one[hunk.other : hunk.other_end]) for hunk in _changes(base, one)]
    changes += [(hunk, 1, two[hunk.other : hunk.other_end]) for hunk in _changes(base, two)]
    changes.sort()
    merged = _carried_out(base, changes)
    absent = _absent(base, one, two, merged, changes)
    return _carried_out(base, _sparing(absent, base, changes)) if absent else merged


_Change = tuple[Hunk, int, str]
"""what was done to the base, by which side, and the text that stands in its place"""


def _absent(base: str, one: str, two: str, merged: str, changes: Sequence[_Change]) -> set[str]:
    """Lines that both sides still have and the merge has not: they stood in the base more than once, and each side
    removed another one of them."""
    removed: tuple[set[str], set[str]] = (set(), set())
    for hunk, side, _ in changes:
        removed[side].update(filter(_is_telling, _lines(base[hunk.start : hunk.end])))
    absent = removed[0] & removed[1]
    for text in (one, two):
        absent = {line for line in _lines(text) if line in absent} if absent else absent
    return absent.difference(_lines(merged)) if absent else absent


def _sparing(absent: set[str], base: str, changes: Sequence[_Change]) -> list[_Change]:
    """The changes without the first removal of each of these lines that the other side did not make too."""
    sought = set(absent)
    hunks = [[hunk for hunk, side, _ in changes if side == which] for which in (0, 1)]
    kept: list[_Change] = []
    for hunk, side, text in changes:
        places = _places(base, hunk)
        spared = []
        for line, start, end in places:
            if line in sought and not _is_removed(start, hunks[1 - side]):
                sought.discard(line)
                spared.append((start, end))
        if spared and not text and all(line in absent for line, _, _ in places if _is_telling(line)):
            continue  # a whole block: with its fences
        at = hunk.start
        for start, end in spared:
            kept.append((Hunk(at, start, hunk.other, hunk.other_end), side, text))
            at, text = end, ""
        kept.append((Hunk(at, hunk.end, hunk.other, hunk.other_end), side, text))
    return sorted(one for one in kept if one[2] or one[0].start < one[0].end)


def _is_removed(at: int, hunks: Sequence[Hunk]) -> bool:
    place = bisect_right(hunks, at, key=lambda hunk: hunk.start) - 1
    return place >= 0 and at < hunks[place].end


def _places(base: str, hunk: Hunk) -> list[tuple[str, int, int]]:
    """The lines of the base that a change takes away, with where each begins and ends."""
    found, at = [], hunk.start
    for line in _lines(base[hunk.start : hunk.end]):
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
    merged, at = _Merged(base), 0
    for cluster in clusters:
        merged.keep(at, cluster.start)
        merged.add(_resolve(cluster), cluster.start)
        at = cluster.end
    merged.keep(at, len(base))
    return merged.text()


def _take_whole_fences(base: str, clusters: list[_Cluster]) -> None:
    """Two versions of nearly all of a code block are two code blocks: each side's stays whole."""
    spans = fences(base) if any(len(cluster.touched) == 2 for cluster in clusters) else []
    for place, cluster in enumerate(clusters):
        block = inside(spans, cluster.start)
        one, two = ("".join(texts) for texts in cluster.added)
        if block is None or not one.strip() or not two.strip() or one == two or cluster.end >= block.end:
            continue
        is_alone = (not place or clusters[place - 1].end <= block.start) and (
            place + 1 == len(clusters) or clusters[place + 1].start >= block.end
        )
        kept = weigh(base, block.start, cluster.start, _UNMISTAKABLE)
        kept += weigh(base, cluster.end, block.end, _UNMISTAKABLE)
        if is_alone and kept < _UNMISTAKABLE:
            above, below = base[block.start : cluster.start], base[cluster.end : block.end]
            cluster.added = ([above + one + below], [above + two + below])
            cluster.start, cluster.end = block


def _resolve(cluster: _Cluster) -> str:
    """What stands in the place of lines that were changed. A line of the base that one side removed stays removed."""
    one, two = ("".join(texts) for texts in cluster.added)
    if len(cluster.touched) == 1 or one == two:
        return one or two
    if cluster.start == cluster.end:
        return _union(one, two, added=True, warn=False)
    if one.strip() and two.strip():
        return _union(one, two, added=True)
    # One side removed what the other one changed, or added to: the change stays, and is shown.
    changed = _both(one, two, warn=True)
    return changed if COLLISION in changed or not changed.strip() else _WARNING + changed


def _changes(base: str, side: str) -> list[Hunk]:
    """What a side did to the base: additions stand where they cut no block, and a passage that was written anew is one
    change, also when a blank line in it happens to be the same."""
    hunks: list[Hunk] = []
    for hunk in _slid(diff_lines(base, side), base, side):
        if hunks and _is_rewrite(hunks[-1], base, side) and _is_rewrite(hunk, base, side):
            last = hunks[-1]
            if weigh(base, last.end, hunk.start, 1) == 0:
                hunks[-1] = Hunk(last.start, hunk.end, last.other, hunk.other_end)
                continue
        hunks.append(hunk)
    return hunks


def _is_rewrite(hunk: Hunk, base: str, side: str) -> bool:
    return weigh(base, hunk.start, hunk.end, 1) > 0 and weigh(side, hunk.other, hunk.other_end, 1) > 0


def _slid(hunks: list[Hunk], base: str, side: str) -> list[Hunk]:
    """The same changes, where equal lines leave a choice: two are one when they can be, and each stands as far down
    as it goes, but not in a fenced block.

    "``` b ```" put before "``` a ```" may also be read as "b ``` ```" put behind the first fence.
    """
    whole = fences(base), fences(side)
    done: list[Hunk] = []
    for place, hunk in enumerate(hunks):
        if hunk.start == hunk.end or hunk.other == hunk.other_end:
            adds = hunk.start == hunk.end
            text, spans = (side, whole[1]) if adds else (base, whole[0])
            while True:
                start, end = (hunk.other, hunk.other_end) if adds else (hunk.start, hunk.end)
                last = done[-1] if done else Hunk(0, 0, 0, 0)
                floor = last.other_end if adds else last.end
                up = _slack_above(text, start, end, floor)
                is_alike = (last.start == last.end) if adds else (last.other == last.other_end)
                if not done or start - up > floor or not is_alike:
                    break
                done.pop()
                hunk = Hunk(last.start, hunk.end - up, last.other, hunk.other_end - up)
            after = hunks[place + 1] if place + 1 < len(hunks) else None
            room = (len(base) if after is None else after.start) - hunk.end
            step = _best_step(start, up, _slack_below(text, start, end, room), spans)
            hunk = Hunk(*(at + step for at in hunk))
        done.append(hunk)
    return done


def _slack_above(text: str, start: int, end: int, floor: int) -> int:
    """How far up the lines from `start` to `end` can slide and still say the same."""
    up = 0
    while start - up > floor:
        line = text.rfind("\n", 0, start - up - 1) + 1
        same = end - (start - line)  # where that line would stand, were it the last one of the block
        if line < floor or text[same - 1] != "\n" or not text.startswith(text[line : start - up], same):
            break
        up = start - line
    return up


def _slack_below(text: str, start: int, end: int, room: int) -> int:
    down = 0
    while down < room:
        line = text.find("\n", start + down) + 1
        if line - start > room or not text.startswith(text[start + down : line], end + down):
            break
        down = line - start
    return down


def _best_step(start: int, up: int, down: int, blocks: list[Span]) -> int:
    block = inside(blocks, start + down)
    return block.start - start if block is not None and block.start >= start - up else down


# Without a base


def _union(one: str, two: str, *, added: bool = False, warn: bool = True) -> str:
    """Both texts as if their base were what they share, where that is more than chance.

    Equal lines that say little, or stand within one block, do not hold two differing texts together: to repeat
    `sleep 30` or a whole block is right, to mix two blocks is not. With `added` the two are additions at one place:
    then both stay whole, unless they share text that no two people write. With `warn` two texts at one place are
    versions of each other, else only when they have a line in common.
    """
    if _has(one, two) or _has(two, one):
        return max(one, two, key=len)
    short, long = sorted((one, two), key=len)
    if not added or weigh(short, 0, len(short), _UNMISTAKABLE) == _UNMISTAKABLE:
        rest = _lines(long)
        if all(line in rest for line in _lines(short)):
            return long
    merged, at, looks = _Merged(one), 0, _LOOKS
    regions = _regions(one, two, added)
    for hunk in regions:
        merged.keep(at, hunk.start)
        mine, theirs = one[hunk.start : hunk.end], two[hunk.other : hunk.other_end]
        if looks and weigh(theirs, 0, len(theirs), _UNMISTAKABLE) == _UNMISTAKABLE:
            looks -= 1
            theirs = "" if _was_moved(one, two, theirs, regions) else theirs
        merged.add(_both(mine, theirs, warn), hunk.start)
        at = hunk.end
    merged.keep(at, len(one))
    return merged.text()


def _was_moved(one: str, two: str, part: str, regions: list[Hunk]) -> bool:
    """Whether the first text has this part of the second one too, elsewhere: moved, or merged in another order."""
    mark = f"\n{part}"
    at = f"\n{one}".find(mark)
    is_single = at >= 0 and f"\n{two}".find(mark) == f"\n{two}".rfind(mark)
    return is_single and any(hunk.start <= at and at + len(part) <= hunk.end for hunk in regions)


def _both(one: str, two: str, warn: bool) -> str:
    """One block after the other, in the order of what they say: it is the same on every machine."""
    if _has(one, two) or _has(two, one):
        return max(one, two, key=len)
    is_known = COLLISION in one or COLLISION in two
    was_first = one.startswith(_WARNING) or two.startswith(_WARNING)
    blocks = "".join(sorted((one.removeprefix(_WARNING), two.removeprefix(_WARNING))))
    is_collision = not is_known and one.strip() and two.strip() and (warn or _share_a_line(one, two))
    return _WARNING + blocks if was_first or is_collision else blocks


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
        self._need = _UNMISTAKABLE if added else TELLING
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


def _has(text: str, part: str) -> bool:
    """Whether lines stand in a text one after the other."""
    return len(part) <= len(text) and f"\n{part}" in f"\n{text}"


def _share_a_line(one: str, two: str) -> bool:
    if len(one) > _LARGE or len(two) > _LARGE:
        return True
    shared = set(_lines(one)).intersection(_lines(two))
    return any(weigh(line, 0, len(line), 1) for line in shared)


class _Merged:
    """A text in the making, of lines that stay and of lines that come in between."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._pieces: list[str] = []
        self._kept: list[tuple[int, int]] = []
        """the start of each piece that stays, and which piece it is"""
        self._blocks: list[Span] | None = None

    def keep(self, start: int, end: int) -> None:
        if start < end:
            self._kept.append((start, len(self._pieces)))
            self._pieces.append(self._base[start:end])

    def add(self, text: str, at: int) -> None:
        if text.startswith(_WARNING) and self._warn_above(at):
            text = text.removeprefix(_WARNING)
        if text:
            self._pieces.append(text)

    def text(self) -> str:
        return "".join(self._pieces)

    def _warn_above(self, at: int) -> bool:
        """Put the warning above the code or the table that it would break; False where it breaks none."""
        if self._blocks is None:
            self._blocks = blocks(self._base)
        block = inside(self._blocks, at)
        place = bisect_right(self._kept, (block.start, len(self._pieces))) - 1 if block is not None else -1
        if block is None or place < 0:
            return False
        start, piece = self._kept[place]
        cut = block.start - start
        text = self._pieces[piece]
        if cut >= len(text):
            return False  # the first line of the block is new
        before = text[:cut] or (self._pieces[piece - 1] if piece else "")
        if not before.endswith(_WARNING):
            self._pieces[piece] = text[:cut] + _WARNING + text[cut:]
        return True


# Lines and their ends


# Not str.splitlines: that also cuts at U+2028, form feeds and others, which are text within a line.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def _lines(text: str) -> Iterator[str]:
    return (found.group() for found in _LINE.finditer(text))


def _plain(text: str) -> str:
    """Lines compare without their ends: a copy that came over Windows must not double every line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if _ends_line(text) else text + "\n"


def _ends_line(text: str) -> bool:
    return text[-1:] in ("\r", "\n", "")


def _with_ends_of(first: str, merged: str, ends_open: bool) -> str:
    """The merged text; a line of the first side keeps its own line end, and new ones get the usual end of that side."""
    if ends_open and merged.endswith("\n") and not merged.endswith("\n\n"):
        merged = merged[:-1]
    if "\r" not in first:
        return merged
    usual = "\r\n" if "\r\n" in first else "\n" if "\n" in first else "\r"
    if first.count("\r\n") == first.count("\n") == first.count("\r") or usual == "\r":
        return merged.replace("\n", usual)
    own: dict[str, str] = {}
    for line in _lines(first):
        text = line.rstrip("\r\n")
        if (end := line[len(text) :]) and end != usual:
            own.setdefault(text, end)
    pieces = [""]
    for line in _lines(merged):
        text = line.removesuffix("\n")
        end = own.get(text, usual) if text != line else ""
        # "\r" and "\n" would read as one line end, were nothing between them.
        pieces.append(text + ("\r" if end == "\n" and not text and pieces[-1].endswith("\r") else end))
    return "".join(pieces)
