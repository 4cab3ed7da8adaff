"""Which memory some bytes are, told without making a note of them."""

from __future__ import annotations

import json
import re

from helix.errors import NoteError
from helix.vault.frontmatter import parse
from helix.vault.git_conflict_markers import take_sides

FRONTMATTER_BYTES = 64 * 1024
_ID_LINE = re.compile(rb"""(?:id|"id"|'id')[ \t]*:[ \t]+(.*)""")
# As Helix writes it: the first line, one plain word, and a line after it that cannot be the rest of the value.
_AS_HELIX_WRITES = re.compile(rb"---\r?\nid: ([A-Za-z_][A-Za-z0-9_.-]*)\r?\n(?![\s])")
_WORDS_OF_YAML = frozenset({"true", "false", "null"})


def id_in_frontmatter(content: bytes) -> str | None:
    """The id that the frontmatter says, however it is spelled; None where it says none.

    The past may hold frontmatter that no longer loads as a whole: there the line alone is asked.
    """
    plain = _AS_HELIX_WRITES.match(content)
    if plain and (word := plain[1].decode("ascii")).lower() not in _WORDS_OF_YAML:
        return word
    if content.startswith(b"<<<<<<<") and b"---" in content:
        # Git's conflict took the frontmatter in: either side may say it.
        sides = (side.encode() for side in take_sides(content.decode(errors="replace")))
        return next(filter(None, map(_id_in, sides)), None)
    return _id_in(content)


def _id_in(content: bytes) -> str | None:
    if not content.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
        return None
    try:
        memory_id = parse(content).meta.get("id")
    except NoteError:
        return _id_line(content)
    return memory_id if isinstance(memory_id, str) and memory_id else None


def _id_line(content: bytes) -> str | None:
    lines = content[:FRONTMATTER_BYTES].removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if lines[0].rstrip() != b"---":
        return None
    for line in lines[1:]:
        if line.rstrip() in (b"---", b"..."):
            return None
        if match := _ID_LINE.match(line):
            return _scalar(match[1].decode(errors="replace").strip())
    return None


def _scalar(text: str) -> str | None:
    """What a one-line YAML value says: quoted in either way, or plain with a comment after it."""
    if text.startswith("'"):
        quoted = re.match(r"'((?:[^']|'')*)'", text)
        return quoted[1].replace("''", "'") if quoted else None
    if text.startswith('"'):
        quoted = re.match(r'"(?:[^"\\]|\\.)*"', text)
        try:
            return str(json.loads(quoted[0])) if quoted else None
        except json.JSONDecodeError:
            return None  # YAML's rarer escapes: nothing that Helix or a person writes into an id
    return re.split(r"(?:^|\s)#", text, maxsplit=1)[0].strip() or None
