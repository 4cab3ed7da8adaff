"""Which notes are templates, by Obsidian's own settings: forms to be filled in, which say nothing yet."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from helix.errors import HelixError
from helix.vault.new_memory import HOMES
from helix.vault.normalize import normalize
from helix.vault.paths import Root

CORE = ".obsidian/templates.json"
TEMPLATER = ".obsidian/plugins/templater-obsidian/data.json"
DAILY_NOTES = ".obsidian/daily-notes.json"
_FOLDERS = ((CORE, "folder"), (TEMPLATER, "templates_folder"))
_FILES = ((DAILY_NOTES, "template"),)

SETTINGS = (CORE, TEMPLATER, DAILY_NOTES)


@dataclass(frozen=True)
class Templates:
    folders: frozenset[str] = field(default_factory=frozenset)
    files: frozenset[str] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.folders or self.files)

    def know(self, path: str, *, is_folder: bool) -> bool:
        """Whether the settings name this very folder or file."""
        known = self.folders if is_folder else self.files
        return bool(known) and normalize("NFC", path) in known


NO_TEMPLATES = Templates()


def read_templates(root: Root) -> Templates:
    """What the settings of a vault name. They belong to another program: what is odd in them names nothing."""
    folders = {path for name, key in _FOLDERS if (path := _path(_read(root, name).get(key)))}
    files = {path for name, key in _FILES if (path := _path(_read(root, name).get(key)))}
    files |= {f"{path}.md" for path in files if not path.lower().endswith(".md")}
    return Templates(frozenset(path for path in folders if not _is_home(path)), frozenset(files))


def _read(root: Root, name: str) -> dict[str, object]:
    try:
        settings = json.loads(root.read_settings(name) or b"{}")
    except (HelixError, ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _path(value: object) -> str | None:
    """A path below the vault's root; the root itself, which is Obsidian's word for "not set", is none."""
    parts = value.strip().strip("/").split("/") if isinstance(value, str) else []
    if not parts or any(part in ("", ".", "..") for part in parts):
        return None
    return normalize("NFC", "/".join(parts))


def _is_home(path: str) -> bool:
    """Where Helix puts new memories is never left out: what was remembered must be found."""
    home, *below = path.split("/")
    return home.casefold() in HOMES and len(below) < 2
