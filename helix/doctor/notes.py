"""Notes that cannot be read, or that say so in a way that nobody can rely on."""

from __future__ import annotations

from collections.abc import Iterator

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.doctor.lines import line_in_body
from helix.vault.note import Note
from helix.vault.text_merge import COLLISION

_STAYS = "The file stays as it is and is in no answer, or with what it last said, until it can be read."


def _unreadable(code: str, about: str, remedy: str) -> Kind:
    return Kind(code, Severity.ERROR, about, _STAYS, remedy)


# The codes with which the vault floor refuses a file; it says line and remedy itself.
REFUSALS = (
    _unreadable("yaml-syntax", "the frontmatter is not YAML", "Correct the line that is named."),
    _unreadable("duplicate-key", "a key stands twice", "Keep one of the two lines and delete the other."),
    _unreadable(
        "not-a-mapping", "the frontmatter is not a list of `key: value` lines", "Write one key per line."
    ),
    _unreadable("bad-key", "a list or a mapping stands where a key should", "Put the text in quotes."),
    _unreadable(
        "unsupported-tag", "a YAML tag that is not understood", "Remove the tag, which begins with `!`."
    ),
    _unreadable("too-deep", "values are nested too deeply", "Move the value into the text of the note."),
    _unreadable(
        "too-many-nodes", "the frontmatter has too many values", "Move them into the text of the note."
    ),
    _unreadable("frontmatter-too-large", "the frontmatter is larger than 64 KiB", "Move text below it."),
    _unreadable(
        "unclosed-frontmatter", "the frontmatter is opened and not closed", "Add a line `---` after it."
    ),
    _unreadable("bom-inside", "a byte order mark inside the frontmatter", "Delete the invisible character."),
    _unreadable(
        "conflict-markers", "git's conflict markers in the frontmatter", "Keep one side, delete the markers."
    ),
    _unreadable("not-utf8", "the file is not UTF-8", "Save it as UTF-8 in your editor."),
    _unreadable(
        "nul-bytes", "the file holds NUL bytes", "Restore it from a version before; a crash may cause this."
    ),
    _unreadable(
        "note-too-large", "the file is larger than a note may be", "Split it, or raise max_note_bytes."
    ),
    _unreadable(
        "not-permitted", "you may not read the file", "Give yourself the permission: `chmod u+r` the file."
    ),
    _unreadable("io-error", "the disk does not give the file out", "Check the disk, and restore the file."),
    _unreadable("bad-note", "it is not a regular file", "Move it out of the vault."),
    _unreadable("unexpected", "Helix failed on the file", "Please report it as a bug."),
)
PROPERTIES = Kind(
    "properties-unread",
    Severity.WARNING,
    "notes have properties that cannot be read",
    "They are found by their text, under their file name or first heading. Helix does not write to them.",
    "Correct the line that is named. If they are templates, name their folder in Obsidian's settings or .helixignore.",
)
CONFLICT = Kind(
    "git-conflict",
    Severity.ERROR,
    "the text holds an unresolved git conflict",
    "Agents read both sides, markers and all.",
    "Keep one of the two sides and delete the marker lines.",
)
BAD_ID = Kind(
    "bad-id",
    Severity.WARNING,
    "the id cannot be one",
    "The note is known by its path instead and becomes another memory when it is moved.",
    "Use letters, digits, dashes and underscores, or remove the line and run `helix adopt`.",
)
BOTH_TEXTS = Kind(
    "both-texts-kept",
    Severity.WARNING,
    "two versions met, and both are in the text",
    "Helix merges what it can and never chooses between two texts. Agents read both.",
    "Keep what is right; delete the rest and the line that says so.",
)
REFUSED = Kind(
    "edit-refused",
    Severity.WARNING,
    "Helix has to change a note, and cannot without doing harm",
    "A copy is not merged, or a date not stamped, because the frontmatter is written in an unusual way.",
    "Write the frontmatter as plain `key: value` lines; Helix tries again.",
)
ERASED = Kind(
    "erased",
    Severity.WARNING,
    "a copy of an erased memory could not be erased",
    "Its text is still in that file.",
    "Delete the text in the file, or the file.",
)
OLD_FILE = Kind(
    "old-file",
    Severity.WARNING,
    "an older file of a hidden memory came back and cannot be replaced",
    "Helix keeps it out of all answers; another program or machine may not.",
    "Let Helix write to it. `helix restore ID` if the memory should be back.",
)
OLD_FILES = Kind(
    "old-files",
    Severity.NOTE,
    "older files of memories that were forgotten, superseded or erased since",
    "Helix keeps them out of all answers. It writes them again, but not while git has them checked out.",
    "Check out the latest commit, or start the daemon. `helix restore ID` if a memory should be back.",
)
FOLDER = Kind(
    "unreadable-folder",
    Severity.ERROR,
    "a folder cannot be listed",
    "Its memories stay as they were last seen, and changes in it are not.",
    "Check its permissions: `chmod u+rx` the folder.",
)
ODD_NAME = Kind(
    "odd-file-name",
    Severity.WARNING,
    "a file name is not UTF-8",
    "The file is not followed: no other program could be told its name.",
    "Rename the file.",
)
NO_ID = Kind(
    "no-id",
    Severity.NOTE,
    "notes without an id of their own",
    "They are read and found. But such a note is known by its path: renamed, it is a new memory.",
    "`helix adopt --all` gives them ids; it adds lines on top and leaves the rest.",
)

_BY_CODE = {kind.code: kind for kind in (*REFUSALS, CONFLICT, BAD_ID)}
_UNKNOWN = _BY_CODE["unexpected"]


def check_notes(examined: Examined) -> Iterator[Finding]:
    for looked in examined.looked.values():
        if (problem := looked.problem) is not None and (looked.note is None or looked.note.unread is None):
            kind = _BY_CODE.get(problem.code, _UNKNOWN)
            yield kind.at(
                problem.path, problem.reason, line=problem.line, remedy=problem.remedy, detail=problem.detail
            )


def check_properties(examined: Examined) -> Iterator[Finding]:
    unread = [note.unread for note in examined.notes if note.unread is not None]
    paths = [note.path for note in examined.notes if note.unread is not None]
    if unread:
        reasons = [
            f"{path}:{error.line}: {error.reason}" for path, error in zip(paths[:3], unread, strict=False)
        ]
        yield PROPERTIES.at(
            paths[0],
            f"{len(unread)} note{'s have' if len(unread) > 1 else ' has'} properties that cannot be read",
            line=unread[0].line,
            detail="; ".join([*reasons, "…"] if len(unread) > 3 else reasons),
        )


def check_refusals(examined: Examined) -> Iterator[Finding]:
    for problem in examined.refused:
        kind = {ERASED.code: ERASED, OLD_FILE.code: OLD_FILE}.get(problem.code, REFUSED)
        yield kind.at(problem.path, problem.reason, line=problem.line, remedy=problem.remedy)


def check_old_files(examined: Examined) -> Iterator[Finding]:
    reported = {problem.path for problem in examined.refused}
    paths = [path for path in examined.old_files if path not in reported]
    if paths:
        more = ", …" if len(paths) > 3 else ""
        yield OLD_FILES.at(paths[0], f"{len(paths)} file{'s' if len(paths) > 1 else ''}",
                           detail=f"{', '.join(paths[:3])}{more}")  # fmt: skip


def check_texts(examined: Examined) -> Iterator[Finding]:
    for note in examined.memories:
        if COLLISION in note.document.body:
            line = line_in_body(note, COLLISION)
            yield BOTH_TEXTS.at(note.path, "two versions of the lines below it are there", line=line)


def check_folders(examined: Examined) -> Iterator[Finding]:
    for folder in examined.walk.unreadable:
        yield FOLDER.at(folder or ".", "it cannot be listed")
    for name in examined.walk.odd_names:
        yield ODD_NAME.at(name, "its name is not UTF-8")


def check_ids(examined: Examined) -> Iterator[Finding]:
    without = [note.path for note in examined.memories if _lacks_id(note)]
    if without:
        more = ", …" if len(without) > 3 else ""
        yield NO_ID.at(without[0], f"{len(without)} note{'s have' if len(without) > 1 else ' has'} none",
                       detail=f"{', '.join(without[:3])}{more}")  # fmt: skip


def _lacks_id(note: Note) -> bool:
    return note.meta.get("id") is None and note.unread is None


AREA = Area(
    "Notes",
    (
        *REFUSALS,
        PROPERTIES,
        CONFLICT,
        BAD_ID,
        BOTH_TEXTS,
        REFUSED,
        ERASED,
        OLD_FILE,
        OLD_FILES,
        FOLDER,
        ODD_NAME,
        NO_ID,
    ),
    (check_notes, check_properties, check_texts, check_refusals, check_old_files, check_folders, check_ids),
)
