"""What git ignores in a folder, told without git: `.gitignore` in every folder, and `info/exclude`.

A folder that is no repository may have the files too, and they count there as well. A rule of a deeper folder comes
before one of a higher, and in one file the last that knows a name decides, as git has it.
"""

from __future__ import annotations

from pathlib import Path

from helix.vault.git_folder import GitFolder, read_regular
from helix.vault.ignore_rule import Rule, parse_rule

IGNORE_FILE = ".gitignore"
_LARGEST = 1024 * 1024
_MOST_RULES = 5_000

Rules = tuple[Rule, ...]


class GitIgnore:
    """The rules of one source. They are read as its folders are come upon, and kept for one look."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._above: list[tuple[str, Rules]] = []
        """of the folders between the repository and the source: what stands before a path there, and the rules"""
        self._rules: dict[str, Rules] = {}
        repository = GitFolder.look_for(top)
        if not isinstance(repository, GitFolder):
            return
        inside = top.relative_to(repository.top).parts if top.is_relative_to(repository.top) else ()
        before = "/".join(inside)
        prefix = f"{before}/" if before else ""
        self._above.append((prefix, _read(repository.shared / "info" / "exclude")))
        for depth in range(len(inside)):
            here = repository.top.joinpath(*inside[:depth])
            rest = "/".join(inside[depth:])
            self._above.append((f"{rest}/", _read(here / IGNORE_FILE)))

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Of a path whose folders are not ignored."""
        name = path.rpartition("/")[2]
        parts = path.split("/")
        for depth in range(len(parts) - 1, -1, -1):
            rules = self._rules_of("/".join(parts[:depth]))
            if rules and (hides := _decides(rules, "/".join(parts[depth:]), name, is_folder)) is not None:
                return hides
        for prefix, rules in reversed(self._above):
            if (hides := _decides(rules, f"{prefix}{path}", name, is_folder)) is not None:
                return hides
        return False

    def _rules_of(self, folder: str) -> Rules:
        if folder not in self._rules:
            self._rules[folder] = _read(self._top / folder / IGNORE_FILE)
        return self._rules[folder]


def _decides(rules: Rules, path: str, name: str, is_folder: bool) -> bool | None:
    for rule in rules:
        if rule.knows(path, name, is_folder=is_folder):
            return rule.hides
    return None


def _read(file: Path) -> Rules:
    """The last first. A line that is no pattern hides nothing."""
    if file.is_symlink():  # git does not follow it either
        return ()
    data = read_regular(file, _LARGEST)
    rules: list[Rule] = []
    for line in (data or b"").decode("utf-8", "replace").removeprefix("\ufeff").split("\n")[:_MOST_RULES]:
        text = line.removesuffix("\r")
        if not text or text.startswith("#"):
            continue
        try:
            rule = parse_rule(text)
        except ValueError:
            continue
        if rule is not None:
            rules.append(rule)
    return tuple(reversed(rules))
