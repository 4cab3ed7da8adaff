"""What a side did to the base of a merge, as passages of both.

All line ends are "\\n", and offsets stand at the starts of lines.
"""

from __future__ import annotations

from helix.vault.line_diff import Hunk, diff_lines, weigh
from helix.vault.markdown_blocks import BlockSpan, fences, inside


def changes_to(base: str, side: str) -> list[Hunk]:
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
    for index, hunk in enumerate(hunks):
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
            after = hunks[index + 1] if index + 1 < len(hunks) else None
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


def _best_step(start: int, up: int, down: int, blocks: list[BlockSpan]) -> int:
    block = inside(blocks, start + down)
    return block.start - start if block is not None and block.start >= start - up else down
