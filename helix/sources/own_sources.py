"""The sources of a vault as one principal has them: those that they see, and what they may do with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from helix.errors import BadValue, Forbidden, SourceNotFound
from helix.index.filters import HasFacets, Where, to_predicate
from helix.index.query import ParsedQuery
from helix.sources.found import Hit, Shown, find, show
from helix.sources.source import SourceFolder
from helix.sources.sources import Health, Sources
from helix.vault.ownership import ownership_of

_LONGEST_NAME = 100

Allows = Callable[[HasFacets], bool]


@dataclass(frozen=True)
class OwnSources:
    sources: Sources
    sees: Allows
    changes: Allows
    user: str | None
    folders: Sequence[Path] | None
    """below which a folder must lie to be connected; None for anywhere"""

    def seen(self) -> list[SourceFolder]:
        return [source for source in self.sources.all() if self.sees(source)]

    def get(self, named: str) -> SourceFolder:
        """By its id or its name."""
        seen = self.seen()
        found = [source for source in seen if source.id == named] or [
            source for source in seen if source.name == named
        ]
        if not found:
            raise SourceNotFound(
                f"there is no source {named[:100]!r}; `helix source list` shows those there are"
            )
        if len(found) > 1:
            ids = ", ".join(source.id for source in found)
            raise BadValue(f"{len(found)} sources are called {named!r}; name one by its id: {ids}")
        return found[0]

    def may_tell_folder(self, source: SourceFolder) -> bool:
        """Whether they know of the disk of this machine already where the source is."""
        return self.folders is None or (self.user is not None and source.owner == self.user)

    def health(self, source: SourceFolder, problems: int = 20) -> Health:
        return self.sources.health(source, problems)

    def connect(
        self, path: str, *, name: str | None, project: str | None, visibility: str | None
    ) -> tuple[SourceFolder, bool]:
        """And whether it is new."""
        folder = self._checked(path)
        seen = self.seen()
        if (known := next((source for source in seen if source.folder == folder), None)) is not None:
            if name is None or name == known.name:
                return known, False
            raise BadValue(f"{folder} is connected already, as {known.name}")
        for other in seen:
            if folder.is_relative_to(other.folder) or other.folder.is_relative_to(folder):
                raise BadValue(f"{folder} and the source {other.name} ({other.folder}) lie in one another")
        scope = "global" if project is None else "project"
        owner, seen_by = ownership_of({"owner": self.user, "visibility": visibility}, scope, project)
        source = SourceFolder(
            self.sources.new_id(),
            self._named(name, folder, {other.name for other in seen}),
            folder,
            project,
            owner,
            seen_by,
            self.sources.now(),
        )
        self.sources.connect(source)
        return source, True

    def look(self, source: SourceFolder, *, anew: bool) -> None:
        self._check_change(source)
        self.sources.look_soon(source, anew=anew)

    def purge(self, source: SourceFolder) -> None:
        self._check_change(source)
        self.sources.purge(source)

    def find(self, query: ParsedQuery, where: Where, limit: int) -> list[Hit]:
        fits = to_predicate(where)
        sources = [source for source in self.seen() if fits(source)]
        self.sources.catch_up(sources)
        return find(sources, self.sources.index, query, limit)

    def show(self, source_id: str, passage: int, words: Sequence[str], *, whole: bool) -> Shown | None:
        """None for what is not there, not seen, or has changed since."""
        source = next((source for source in self.seen() if source.id == source_id), None)
        if source is None:
            return None
        return show(source, self.sources.index(source), passage, words, whole=whole)

    def _check_change(self, source: SourceFolder) -> None:
        if not self.changes(source):
            raise Forbidden(f"{source.name} is not yours, nor of a project that you are a member of")

    def _checked(self, path: str) -> Path:
        if "\0" in path or not os.path.isabs(path):
            raise BadValue(f"path is {path[:200]!r}; give one from the root, such as /home/me/work/shop")
        folder = Path(os.path.realpath(path))
        # Before anything is said of the disk: who may not name a folder learns nothing of it.
        if self.folders is not None and not any(folder.is_relative_to(allowed) for allowed in self.folders):
            raise Forbidden(
                "only the owner of this machine connects any folder; others those below `sources.folders` there"
            )
        if not folder.exists():
            raise BadValue(f"there is no {path}")
        if not folder.is_dir():
            raise BadValue(f"{path} is no folder; `helix ingest` takes a single file")
        if folder == Path(folder.anchor):
            raise BadValue(f"{path} is the whole disk; connect a folder on it")
        if not os.access(folder, os.R_OK | os.X_OK):
            raise BadValue(f"{path} cannot be read; check its permissions")
        return folder

    def _named(self, name: str | None, folder: Path, taken: set[str]) -> str:
        if name is not None:
            text = " ".join(name.split())
            if not text or len(text) > _LONGEST_NAME or "/" in text or text.startswith("src_"):
                raise BadValue(
                    f"name is {name[:60]!r}; give 1 to {_LONGEST_NAME} characters without a slash, and not src_…"
                )
            if text in taken:
                raise BadValue(f"a source is called {text} already; give another name")
            return text
        base = (folder.name.encode("utf-8", "replace").decode() or "source")[:_LONGEST_NAME]
        base = f"folder {base}"[:_LONGEST_NAME] if base.startswith("src_") else base
        names = [base, f"{folder.parent.name} {base}"[:_LONGEST_NAME]]
        names += [f"{base[:90]} {number}" for number in range(2, len(taken) + 3)]
        return next(candidate for candidate in names if candidate not in taken)
