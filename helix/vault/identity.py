"""Which memory some bytes are, told without parsing them as a note."""

from __future__ import annotations

import json
import re

FRONTMATTER_BYTES = 64 * 1024
_ID_LINE = re.compile(rb"""(?:id|"id"|'id')[ \t]*:[ \t]+(.*)""")


def id_in_frontmatter(content: bytes) -> str | None:
    """The value of the `id:` line alone: the past may hold frontmatter that no longer parses as a whole."""
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
