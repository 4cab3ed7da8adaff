"""What in a vault is not a record: dot folders, editors' and sync tools' temp files, templates, `.helixignore`."""

from __future__ import annotations

import copy
import time

from helix.errors import OutsideVault, StorageError, VaultError
from helix.vault.conflict_names import is_note_name
from helix.vault.ignore_rule import Rule, parse_rule
from helix.vault.paths import Root
from helix.vault.templates import NO_TEMPLATES, SETTINGS, Templates, read_templates

IGNORE_FILE = ".helixignore"
# The file comes along with a shared vault, and every name in it is held against every rule.
MAX_IGNORE_BYTES = 64 * 1024
MAX_RULES = 1_000
# Two writes within one tick of the file system's clock look alike: a file this young is read again.
_YOUNG_SECONDS = 2.0

# A dot hides .git, .obsidian, .trash, .stversions, vim's .x.swp, Emacs' .#x, macOS' ._x, iCloud's .x.md.icloud
# and Helix's own temp files; ~$ is Office's lock file. Every other temp name (x.md~, #x.md#, x.md.part, 4913,
# sedXXXXXX, ~syncthing~x.md.tmp) does not end like a note.
_NOT_A_NOTE = (".", "~$")
_FOLDERS = frozenset({"node_modules", "$recycle.bin", "@eadir", "lost+found", "__macosx"})


def read_ignore(root: Root) -> Ignore:
    """The rules of a vault. A file that the disk does not hand over is StorageError, and nothing is taken for shown."""
    templates = read_templates(root)
    try:
        data = root.read_settings(IGNORE_FILE, MAX_IGNORE_BYTES)
    except VaultError as error:
        return Ignore(why_unread=error.message, templates=templates)
    return Ignore((data or b"").decode("utf-8", "replace"), templates=templates)


class IgnoreFiles:
    """The rules of a vault, read again when one of the files that they come from has changed."""

    def __init__(self, root: Root) -> None:
        self._root = root
        self._kept: tuple[object, Ignore] | None = None

    def read(self) -> Ignore:
        now, kept = time.time(), self._kept
        seen = [self._look_at(name) for name in (IGNORE_FILE, *SETTINGS)]
        if kept is not None and kept[0] == seen:
            return kept[1]
        ignore = read_ignore(self._root)
        # What could not be looked at, or may yet change unseen, is not relied on.
        is_settled = all(one is None or (one and now - one[0] / 1e9 > _YOUNG_SECONDS) for one in seen)
        self._kept = (seen, ignore) if is_settled else None
        return ignore

    def _look_at(self, name: str) -> tuple[int, ...] | None:
        """The signature of a file; None when there is none, and nothing when it cannot be looked at."""
        try:
            info = self._root.stat(name)
        except FileNotFoundError:
            return None
        except (OutsideVault, StorageError):
            return ()
        youngest = max(info.st_mtime_ns, info.st_ctime_ns)
        return youngest, info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino, info.st_dev


class Ignore:
    """Decides by name alone; reading a file to decide would cost more than following it."""

    def __init__(self, rules: str = "", why_unread: str = "", templates: Templates = NO_TEMPLATES) -> None:
        self.templates = templates
        """left out too, unless a rule says otherwise"""
        self.why_unread = why_unread
        """why the rules of the file do not count: it is a link, no regular file or too large"""
        self.is_empty = not rules.strip()
        self.bad_lines: list[int] = []
        """lines that are no pattern: they hide nothing, and the others still count"""
        self.first_unread: int | None = None
        """the line of the first rule of too many: it and those after it hide nothing"""
        self._rules: list[Rule] = []
        # As git does, by line feeds alone.
        for number, line in enumerate(rules.removeprefix("\ufeff").split("\n"), 1):
            line = line.removesuffix("\r")
            if not line or line.startswith("#"):
                continue
            if len(self._rules) == MAX_RULES:
                self.first_unread = number
                break
            try:
                rule = parse_rule(line)
            except ValueError:
                self.bad_lines.append(number)
            else:
                self._rules += [] if rule is None else [rule]
        self._rules.reverse()  # the last rule that knows a name decides

    def without_templates(self) -> Ignore:
        """The same rules for a vault that has no templates."""
        other = copy.copy(self)
        other.templates = NO_TEMPLATES
        return other

    def skips_folder(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        if name.startswith(".") or name.lower() in _FOLDERS:
            return True
        return self._hides(path, name, is_folder=True)

    def hides_file(self, path: str) -> bool:
        """For a file of any kind in a folder that is not skipped."""
        name = path.rpartition("/")[2]
        return name.startswith(_NOT_A_NOTE) or self._hides(path, name, is_folder=False)

    def hides(self, path: str) -> bool:
        """The same for a file on its own, which may lie in a folder that is skipped."""
        return self.hides_file(path) or self.skips_below(path.rpartition("/")[0])

    def skips(self, path: str) -> bool:
        """Whether a file is not followed as a note: it is hidden, or its name is not a note's."""
        return not is_note_name(path.rpartition("/")[2]) or self.hides(path)

    def skips_below(self, folder: str) -> bool:
        """Whether a folder, or one that it lies in, is skipped."""
        parts = folder.split("/") if folder else []
        return any(self.skips_folder("/".join(parts[:count])) for count in range(1, len(parts) + 1))

    def _hides(self, path: str, name: str, *, is_folder: bool) -> bool:
        for rule in self._rules:
            if rule.knows(path, name, is_folder=is_folder):
                return rule.hides
        return self.templates.know(path, is_folder=is_folder)
