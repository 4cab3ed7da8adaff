"""What in a vault is not a record: dot folders, editors' and sync tools' temp files, `.helixignore`."""

from __future__ import annotations

import re

from pathspec import GitIgnoreSpec

from helix.vault.copies import is_note_name

IGNORE_FILE = ".helixignore"

# A dot hides .git, .obsidian, .trash, .stversions, vim's .x.swp, Emacs' .#x, macOS' ._x, iCloud's .x.md.icloud
# and Helix's own temp files; ~$ is Office's lock file. Every other temp name (x.md~, #x.md#, x.md.part, 4913,
# sedXXXXXX, ~syncthing~x.md.tmp) does not end like a note.
_NOT_A_NOTE = (".", "~$")
_FOLDERS = frozenset({"node_modules", "$recycle.bin", "@eadir", "lost+found", "__macosx"})


class Ignore:
    """Decides by name alone; reading a file to decide would cost more than following it."""

    def __init__(self, rules: str = "") -> None:
        lines = rules.removeprefix("\ufeff").splitlines()
        self.bad_lines = [number for number, line in enumerate(lines, 1) if not _is_rule(line)]
        """lines that are no pattern: they hide nothing, and the others still count"""
        self._spec = GitIgnoreSpec.from_lines(filter(_is_rule, lines))
        self._has_rules = bool(self._spec.patterns)

    def skips_folder(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        if name.startswith(".") or name.lower() in _FOLDERS:
            return True
        return self._has_rules and self._spec.match_file(path + "/")

    def skips_file(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        if name.startswith(_NOT_A_NOTE) or not is_note_name(name):
            return True
        return self._has_rules and self._spec.match_file(path)

    def skips(self, path: str) -> bool:
        """The same for a file on its own, which may lie in a folder that is skipped."""
        return self.skips_file(path) or self.skips_below(path.rpartition("/")[0])

    def skips_below(self, folder: str) -> bool:
        """Whether a folder, or one that it lies in, is skipped."""
        parts = folder.split("/") if folder else []
        return any(self.skips_folder("/".join(parts[:count])) for count in range(1, len(parts) + 1))


def _is_rule(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except (ValueError, re.error):  # `!` alone, `[z-a]`
        return False
    return True
