"""File names and what hides or redirects files: what works on this machine and not on the next one."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.doctor.sync import find_sync_tool
from helix.errors import NoteError, VaultError
from helix.vault.conflict_names import is_note_name
from helix.vault.ignore import IGNORE_FILE, MAX_IGNORE_BYTES, MAX_RULES, Ignore
from helix.vault.normalize import normalize
from helix.vault.ownership import RULES_FILE, FolderRules
from helix.vault.paths import read_settings
from helix.vault.walk import find_templates, walk

_FORBIDDEN = re.compile(r'[<>:"\\|?*\x00-\x1f]')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_LONGEST = 240  # of 255 bytes that most file systems take; sync tools add words for conflict copies

COLLISION = Kind(
    "names-collide",
    Severity.WARNING,
    "two names differ only in case or in how an accent is written",
    "macOS and Windows take them for one file: a sync tool or git leaves one of them out there.",
    "Rename one of the two.",
)
WINDOWS = Kind(
    "name-windows-cannot-hold",
    Severity.NOTE,
    "a name that Windows cannot hold",
    "The file does not reach a Windows machine, nor OneDrive, and a git checkout fails there.",
    'Rename it without < > : " \\ | ? * and without a dot or space at the end.',
)
LONG = Kind(
    "name-too-long",
    Severity.WARNING,
    "a name so long that a sync tool cannot add to it",
    "A conflict copy of the file could not be written, and some drives refuse the file itself.",
    "Give it a shorter name; the id in the note stays.",
)
OUTSIDE = Kind(
    "link-leaves-vault",
    Severity.WARNING,
    "a symbolic link leads out of the vault",
    "Helix follows none: what lies there is not part of the memory, though it looks so in an editor.",
    "Move the files into the vault, or make the other folder a vault of its own.",
)
NOT_FOLLOWED = Kind(
    "link-not-followed",
    Severity.NOTE,
    "a symbolic link to another file of the vault",
    "Helix reads the file itself and not the link.",
    "Nothing to do; remove the link if it surprises you.",
)
HIDES_ALL = Kind(
    "ignores-everything",
    Severity.ERROR,
    ".helixignore hides every note",
    "Helix sees an empty vault.",
    "Correct the rule; it has the syntax of .gitignore, where `*` or `/` alone hides all there is.",
)
BAD_RULE = Kind(
    "bad-ignore-rule",
    Severity.WARNING,
    "a line of .helixignore is no pattern",
    "It hides nothing, though somebody meant it to.",
    "Correct the line, or delete it.",
)
UNREAD = Kind(
    "ignore-file-unread",
    Severity.WARNING,
    "rules of .helixignore are not read",
    "They hide nothing. The file comes along with a shared vault, so it must be small and no link.",
    f"Put a regular file there, of at most {MAX_IGNORE_BYTES // 1024} KiB and {MAX_RULES:,} rules.",
)

BAD_FOLDER_RULES = Kind(
    "folder-rules-unread",
    Severity.WARNING,
    ".helix/visibility.yaml is not followed",
    "In a team nobody but the owner of the vault sees what people wrote by hand, until it is put right.",
    "Correct what is named; docs/record-format.md says how such rules look.",
)
TEMPLATES = Kind(
    "templates-left-out",
    Severity.NOTE,
    "templates are left out",
    "Obsidian's settings name them as templates: forms to be filled in, which say nothing yet.",
    "Nothing to do. A line `!/Folder/` with its name in .helixignore lets Helix read them.",
)


def check_names(examined: Examined) -> Iterator[Finding]:
    folded: dict[str, list[str]] = defaultdict(list)
    travels = find_sync_tool(examined) is not None or (examined.there / ".git").exists()
    for path in (*(entry.path for entry in examined.entries.files), *examined.entries.folders):
        folded[normalize("NFC", path).casefold()].append(path)
        name = path.rpartition("/")[2]
        if name.startswith("."):
            continue
        if (reason := _why_not_on_windows(name)) is not None:
            severity = Severity.WARNING if travels else Severity.NOTE
            yield WINDOWS.at(path, reason, severity=severity)
        if is_note_name(name) and len(os.fsencode(name)) > _LONGEST:
            yield LONG.at(path, f"it has {len(os.fsencode(name))} bytes")
    for paths in folded.values():
        if len(paths) > 1:
            yield COLLISION.at(paths[-1], f"it collides with {', '.join(paths[:-1])}")


def _why_not_on_windows(name: str) -> str | None:
    if found := _FORBIDDEN.search(name):
        return f"it has {found[0]!r} in it"
    if name.endswith((".", " ")):
        return "it ends in a dot or a space"
    if _RESERVED.fullmatch(name):
        return "the name is taken by a device"
    return None


def check_links(examined: Examined) -> Iterator[Finding]:
    root = os.path.realpath(examined.there)
    for link in examined.entries.links:
        target = os.path.realpath(os.path.join(root, link.path))
        is_ours = os.path.isdir(target) or is_note_name(link.name)
        if link.name.startswith(".") or not is_ours:
            continue
        inside = target == root or target.startswith(root + os.sep)
        kind = NOT_FOLLOWED if inside and os.path.exists(target) else OUTSIDE
        yield kind.at(link.path, f"it leads to {target}")


def check_ignore(examined: Examined) -> Iterator[Finding]:
    if examined.ignore.why_unread:
        yield UNREAD.at(IGNORE_FILE, examined.ignore.why_unread)
    elif examined.ignore.first_unread is not None:
        yield UNREAD.at(IGNORE_FILE, "there are too many rules", line=examined.ignore.first_unread)
    for line in examined.ignore.bad_lines:
        yield BAD_RULE.at(IGNORE_FILE, "it is no pattern", line=line)
    if not examined.ignore.is_empty and not examined.walk.files:
        without = walk(os.path.realpath(examined.there), Ignore()).files
        if without:
            yield HIDES_ALL.at(IGNORE_FILE, f"{len(without)} notes are there and none is seen")


def check_folder_rules(examined: Examined) -> Iterator[Finding]:
    try:
        data = read_settings(examined.there, RULES_FILE)
        FolderRules(None if data is None else data.decode("utf-8", "replace"))
    except (NoteError, VaultError) as error:
        yield BAD_FOLDER_RULES.at(RULES_FILE, error.message)


def check_templates(examined: Examined) -> Iterator[Finding]:
    left_out = find_templates(os.path.realpath(examined.there), examined.ignore)
    if left_out:
        more = ", …" if len(left_out) > 3 else ""
        yield TEMPLATES.at(
            left_out[0],
            f"{len(left_out)} note{'s are' if len(left_out) > 1 else ' is'} left out",
            detail=f"{', '.join(left_out[:3])}{more}",
            severity=None if examined.walk.files else Severity.ERROR,
        )


AREA = Area(
    "Names",
    (
        COLLISION,
        WINDOWS,
        LONG,
        OUTSIDE,
        NOT_FOLLOWED,
        HIDES_ALL,
        BAD_RULE,
        UNREAD,
        BAD_FOLDER_RULES,
        TEMPLATES,
    ),
    (check_names, check_links, check_ignore, check_folder_rules, check_templates),
)
