"""The hosts whose transcripts are read: where their files are, and who reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from helix.capture import claude_code, codex, gemini_cli
from helix.capture.draft import CapturedEvent, SoFar


@dataclass(frozen=True)
class TranscriptHost:
    name: str
    home: str
    """its folder below the user's home"""
    moved_by: str
    """the environment variable that names another one"""
    files: Callable[[Path], Iterator[Path]]
    find_folder: Callable[[Path, Iterable[str]], str | None]
    """the folder that a transcript is about, or `sha256:` and the digest of its name"""
    read: Callable[[Iterable[str], str, SoFar], list[CapturedEvent]]

    def root(self, env: Mapping[str, str], home: Path) -> Path:
        moved = env.get(self.moved_by, "").strip() if self.moved_by else ""
        return Path(moved) if moved else home / self.home


HOSTS = {
    module.NAME: TranscriptHost(
        module.NAME, module.HOME, module.MOVED_BY, module.files, module.find_folder, module.read
    )
    for module in (claude_code, codex, gemini_cli)
}
