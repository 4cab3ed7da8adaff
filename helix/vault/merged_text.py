"""A merged text in the making, and the line that warns of two versions."""

from __future__ import annotations

from bisect import bisect_right

from helix.vault.markdown_blocks import BlockSpan, blocks, inside
from helix.vault.text_lines import lines

COLLISION = (
    "> [!warning] Two versions of the next lines met here. Keep what is right; delete the rest and this line."
)
WARNING = COLLISION + "\n\n"


def without_collisions(text: str) -> str:
    """The text without the lines that warn of two versions; both versions stay."""
    kept, after_warning = [], False
    for line in lines(text):
        is_warning = line.rstrip("\r\n") == COLLISION
        if not is_warning and not (after_warning and not line.strip()):
            kept.append(line)
        after_warning = is_warning
    return "".join(kept)


class MergedText:
    """A text in the making, of lines that stay and of lines that come in between."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._pieces: list[str] = []
        self._kept: list[tuple[int, int]] = []
        """the start of each piece that stays, and which piece it is"""
        self._blocks: list[BlockSpan] | None = None

    def keep(self, start: int, end: int) -> None:
        if start < end:
            self._kept.append((start, len(self._pieces)))
            self._pieces.append(self._base[start:end])

    def add(self, text: str, at: int) -> None:
        if text.startswith(WARNING) and self._warn_above(at):
            text = text.removeprefix(WARNING)
        if text:
            self._pieces.append(text)

    def text(self) -> str:
        return "".join(self._pieces)

    def _warn_above(self, at: int) -> bool:
        """Put the warning above the code or the table that it would break; False where it breaks none."""
        if self._blocks is None:
            self._blocks = blocks(self._base)
        block = inside(self._blocks, at)
        index = bisect_right(self._kept, (block.start, len(self._pieces))) - 1 if block is not None else -1
        if block is None or index < 0:
            return False
        start, piece = self._kept[index]
        cut = block.start - start
        text = self._pieces[piece]
        if cut >= len(text):
            return False  # the first line of the block is new
        before = text[:cut] or (self._pieces[piece - 1] if piece else "")
        if not before.endswith(WARNING):
            self._pieces[piece] = text[:cut] + WARNING + text[cut:]
        return True
