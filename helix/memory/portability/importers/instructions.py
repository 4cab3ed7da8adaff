"""Instruction files of coding agents (CLAUDE.md, AGENTS.md, rules of Cursor), split into memories.

A top-level bullet that says something on its own is a memory; the rest of a section is one together. What an edit
usually keeps, the heading and the first words, is what a memory is recognised by in the next import.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from helix.errors import BadValue, StorageError
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Item, Skipped
from helix.vault.new_memory import title_from
from helix.vault.paths import slug

_NAMES = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "gemini.md", ".cursorrules", ".windsurfrules"}
    | {"copilot-instructions.md"}
)
_LARGEST = 4 * 1024 * 1024
_OWN_BULLET = 30
_LEAST = 16
_WORDS_IN_KEY = 5
_FRONTMATTER = re.compile(r"\A---[ \t]*\r?\n(.*?\r?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_HEADING = re.compile(r"(#{1,6})[ \t]+")
_BULLET = re.compile(r"(?:[-*+]|\d{1,3}[.)])[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_WISH = re.compile(
    r"\b(?:always|never|prefer|avoid|must|should|do not|don't|please|use|keep|run|write|make sure|ensure|only|no)\b",
    re.IGNORECASE,
)


@dataclass
class _Section:
    headings: list[str]
    bullets: list[list[str]] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.headings[-1] if self.headings else ""


def is_rules(name: str) -> bool:
    place = PurePosixPath(name)
    return place.name.lower() in _NAMES or place.suffix == ".mdc"


def read(source: Source) -> Iterator[Item]:
    names = [name for name in source.names if is_rules(name)] if source.is_folder else source.names
    if not names:
        raise BadValue(f"{source.path} has no CLAUDE.md, AGENTS.md or rules of Cursor in it")
    project = _project(source.path.resolve(), source.is_folder)
    for name in names:
        try:
            text = source.text(name, _LARGEST)
        except (BadValue, StorageError) as error:
            yield Skipped(name, error.message)
        else:
            yield from _split(name, text, project, source.modified_at(name))


def _project(place: Path, is_folder: bool) -> str | None:
    """The folder's name; a file in a dot folder belongs to what holds that, and in the home folder to no project."""
    if not is_folder:
        place = place.parent
        while place.name == "rules" or (place.name.startswith(".") and place.name != ".claude"):
            place = place.parent
    return None if place.name in (".claude", "") or place == Path.home() else place.name


def _split(name: str, text: str, project: str | None, modified_at: str | None) -> Iterator[Item]:
    used: dict[str, int] = {}
    for section in _sections(_FRONTMATTER.sub("", text, count=1)):
        anchor = f"{name}#{slug('-'.join(section.headings), 80)}" if section.headings else name
        bullets = [_unbulleted(lines) for lines in section.bullets]
        own = [text for text in bullets if len(text) >= _OWN_BULLET]
        short = [f"- {text}" for text in bullets if len(text) < _OWN_BULLET]
        rest = "\n".join((*section.rest, *short)).strip()
        if rest and not (own and rest.endswith(":") and "\n" not in rest):
            if len(f"{section.name} {rest}") < _LEAST:
                yield Skipped(anchor, f"{rest!r} is too little to be a memory")
            else:
                title = section.name or title_from(rest)
                yield _memory(anchor, anchor, title, rest, project, modified_at)
        for text in own:
            key = f"{anchor}/{slug(' '.join(text.split()[:_WORDS_IN_KEY]))}"
            used[key] = used.get(key, 0) + 1
            key = key if used[key] == 1 else f"{key}-{used[key]}"
            title = f"{section.name}: {title_from(text)}" if section.name else title_from(text)
            yield _memory(key, anchor, title, text, project, modified_at)


def _memory(
    key: str, anchor: str, title: str, text: str, project: str | None, modified_at: str | None
) -> Brought:
    return Brought(
        key=f"{project}/{key}" if project else key,
        title=title,
        body=text,
        kind="preference" if _WISH.search(text) else "fact",
        project=project,
        created_at=modified_at,
        updated_at=modified_at,
        source={"uri": anchor},
    )


def _sections(text: str) -> Iterator[_Section]:
    section = _Section([])
    levels: list[int] = []
    bullet: list[str] | None = None
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        heading = None if fence else _HEADING.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        if heading:
            yield section
            level = len(heading[1])
            kept = [place for place, one in enumerate(levels) if one < level]
            # Stripped and not matched: a pattern that tries each closing mark takes cubic time.
            name = line[heading.end() :].rstrip(" \t").rstrip("#").rstrip(" \t")
            section = _Section([*(section.headings[place] for place in kept), name])
            levels = [*(levels[place] for place in kept), level]
            bullet = None
        elif not fence and _BULLET.match(line):
            bullet = [line]
            section.bullets.append(bullet)
        elif bullet is not None and (fence or mark or not line.strip() or line[0] in " \t"):
            bullet.append(line)
        else:
            bullet = None
            section.rest.append(line)
    yield section


def _unbulleted(lines: list[str]) -> str:
    first, *others = lines
    return "\n".join([_BULLET.sub("", first, count=1), *others]).strip()
