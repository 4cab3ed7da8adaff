"""The sync tool: files it has not downloaded, files it must not carry, and what a crash left behind."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.errors import StorageError, VaultError
from helix.vault.conflict_names import is_note_name
from helix.vault.leftovers import Leftover, State, examine, leftovers
from helix.vault.paths import TEMP_PREFIX, Root, read_settings

STIGNORE = ".stignore"
MAX_STIGNORE_BYTES = 1024 * 1024
STIGNORE_LINE = f"(?d){TEMP_PREFIX}*.tmp"

# What a tool leaves at the top of its folder. (`~/.dropbox` is something else: where Dropbox keeps its settings.)
_MARKS = {".stfolder": "Syncthing", ".dropbox.cache": "Dropbox", ".sync/ID": "Resilio Sync",
          ".tmp.drivedownload": "Google Drive", ".849C9593-D756-4E56-8D6E-42412F2A707B": "OneDrive",
          ".owncloudsync.log": "ownCloud", ".nextcloudsync.log": "Nextcloud"}  # fmt: skip
# How the folder is called; `Dropbox (Work)` and `OneDrive - Company` where somebody has two.
_NAMES = re.compile(
    r"(Dropbox|OneDrive|Google ?Drive|My Drive|iCloud ?Drive|Mobile Documents|Nextcloud|ownCloud|pCloud ?Drive)"
    r"(?: \(.*\)| - .*)?",
    re.IGNORECASE,
)
_ICLOUD = re.compile(r"\.(?P<name>.+\.md)\.icloud", re.IGNORECASE)
# Virtual files of Nextcloud and ownCloud on Linux: the name of the note and the name of the tool.
_VIRTUAL = re.compile(r"(?P<name>.+\.md)\.(?:nextcloud|owncloud)", re.IGNORECASE)
_DATALESS = 0x40000000  # macOS: SF_DATALESS in st_flags
_RECALL = 0x00400000 | 0x00040000 | 0x00001000  # Windows: recall on data access, recall on open, offline

_LONG = 24 * 3600.0

PLACEHOLDER = Kind(
    "not-downloaded",
    Severity.WARNING,
    "the sync tool keeps a note in the cloud only",
    "Its text is not on this machine, so no agent can be told it. It is not taken for deleted.",
    "Tell the tool to keep the folder on this machine, which it calls *keep downloaded* or *available offline*.",
)
EMPTY = Kind(
    "empty-note",
    Severity.WARNING,
    "a note has no bytes at all",
    "A placeholder that was not downloaded, or a save that was cut off, looks like this.",
    "Download it with your sync tool or restore it from its versions; delete it if it was meant to be empty.",
)
IGNORE_LINE = Kind(
    "stignore-missing",
    Severity.WARNING,
    "Syncthing may carry temp files of Helix to other machines",
    "Helix writes beside a note and renames. Such a file lives for a moment, and arrives elsewhere as rubbish.",
    f"Add the line `{STIGNORE_LINE}` to .stignore on each machine: Syncthing does not sync that file.",
)
GIT_SYNCED = Kind(
    "git-in-sync-folder",
    Severity.WARNING,
    "a sync tool carries the .git folder",
    "It carries single files of the repository, in any order; two machines that commit damage it.",
    "Share the repository with `git push` and `git pull`, and leave .git out of the sync tool, or the other way round.",
)
TEMP = Kind(
    "leftover-temp-file",
    Severity.WARNING,
    "a write that was cut short left its temp file",
    "It is in no answer. Nothing in it was acknowledged, or it is in the note as well.",
    "`helix doctor --fix` removes it; so does the daemon.",
)
LATE_SAVE = Kind(
    "late-save",
    Severity.WARNING,
    "a save of yours raced a write of Helix and waits beside the note",
    "Its text is safe in a temp file and not in the note yet.",
    "`helix doctor --fix` merges it; so does the daemon.",
)


LARGE_TEMP = Kind(
    "large-temp-file",
    Severity.WARNING,
    "a file is named like a temp file of Helix and is larger than any note",
    "No write of Helix left it. It is never read and never removed.",
    "Look what it is. Give it another name, or delete it.",
)


def find_sync_tool(examined: Examined) -> str | None:
    """The sync tool whose folder the vault is in, as far as it can be told."""
    vault = Path(os.path.realpath(examined.there))
    for folder in (vault, *vault.parents):
        for mark, tool in _MARKS.items():
            if os.path.lexists(folder / mark):
                return tool
        if folder.parent != folder and (match := _NAMES.fullmatch(folder.name)) is not None:
            return match[1]
    return None


def check_placeholders(examined: Examined) -> Iterator[Finding]:
    for entry in examined.entries.files:
        match = _ICLOUD.fullmatch(entry.name) or _VIRTUAL.fullmatch(entry.name)
        if match is not None:
            yield PLACEHOLDER.at(entry.path, f"it stands for {match['name']}")
        elif is_note_name(entry.name) and not entry.name.startswith("."):
            if _is_dataless(entry.info):
                yield PLACEHOLDER.at(entry.path, "its content is in the cloud only")
            elif entry.info.st_size == 0 and not examined.ignore.skips(entry.path):
                # Obsidian makes an empty note when somebody follows a link to one that is not there yet.
                severity = Severity.NOTE if find_sync_tool(examined) is None else Severity.WARNING
                yield EMPTY.at(entry.path, "it has 0 bytes", severity=severity)


def _is_dataless(info: os.stat_result) -> bool:
    flags, attributes = getattr(info, "st_flags", 0), getattr(info, "st_file_attributes", 0)
    return bool(flags & _DATALESS or attributes & _RECALL)


def check_tool(examined: Examined) -> Iterator[Finding]:
    tool = find_sync_tool(examined)
    if tool is None:
        return
    if tool == "Syncthing":
        yield from _check_stignore(find_stignore(examined))
    if (examined.there / ".git").is_dir() and not _ignores_git(tool, examined):
        yield GIT_SYNCED.at(".git", f"the vault is in a folder of {tool}")


def _check_stignore(path: Path) -> Iterator[Finding]:
    try:
        if not _ignores_temp_files(path):
            yield IGNORE_LINE.at(str(path), f"there is no line for {TEMP_PREFIX}*.tmp")
    except (VaultError, StorageError) as error:
        yield IGNORE_LINE.at(str(path), f"it was not looked into: {error.message}")


def find_stignore(examined: Examined) -> Path:
    """Syncthing reads the one at the top of its folder, which may be above the vault."""
    vault = Path(os.path.realpath(examined.there))
    top = next((folder for folder in (vault, *vault.parents) if (folder / ".stfolder").exists()), vault)
    return top / STIGNORE


def _ignores_temp_files(path: Path) -> bool:
    return any(line in (TEMP_PREFIX + "*.tmp", TEMP_PREFIX + "*", ".~*") for line in _rules(path))


def _ignores_git(tool: str, examined: Examined) -> bool:
    try:
        return tool == "Syncthing" and any(
            line.strip("/") == ".git" for line in _rules(find_stignore(examined))
        )
    except (VaultError, StorageError):
        return False


def _rules(path: Path) -> list[str]:
    lines = (
        (read_settings(path.parent, path.name, MAX_STIGNORE_BYTES) or b"")
        .decode("utf-8", "replace")
        .splitlines()
    )
    return [re.sub(r"^(?:\(\?[di]\))+", "", line.strip()).lstrip("/") for line in lines]


def check_leftovers(examined: Examined) -> Iterator[Finding]:
    root = Root(examined.there)
    now = examined.around.now.timestamp()
    try:
        for folder in examined.walk.temporary:
            for leftover in leftovers(root, folder):
                found = examine(
                    root, leftover, now, examined.config.follow.linger, examined.config.max_note_bytes
                )
                if found.state is State.GARBAGE and _was_cut_short(examined, leftover):
                    yield TEMP.at(leftover.path, "nothing in it is missing elsewhere")
                elif found.state is State.TOO_LARGE:
                    yield LARGE_TEMP.at(leftover.path, "it is larger than any note")
                elif found.state is State.LATE_SAVE:
                    yield LATE_SAVE.at(leftover.path, f"{len(found.data)} bytes that are in no note")
    finally:
        root.close()


def _was_cut_short(examined: Examined, leftover: Leftover) -> bool:
    """What a write swapped out is cleared by the next command: of interest only when none has come for long."""
    if leftover.new is None:
        return True
    try:
        age = examined.around.now.timestamp() - os.stat(examined.there / leftover.path).st_ctime
    except OSError:
        return False
    return age > _LONG


AREA = Area(
    "Sync",
    (PLACEHOLDER, EMPTY, IGNORE_LINE, GIT_SYNCED, TEMP, LATE_SAVE, LARGE_TEMP),
    (check_placeholders, check_tool, check_leftovers),
)
