"""SKILL.md: properties of which hosts read two, name and description, and what to do below them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from helix.errors import BadValue, NoteError
from helix.harnesses.rules import digest
from helix.vault.yaml_load import load

LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1024
LONGEST = 64 * 1024
"""bytes; hosts read a skill whole once they use it"""
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_WHOLE = re.compile(r"\A---\n(?P<head>.*?)\n---[ \t]*\n(?P<body>.*)\Z", re.DOTALL)


@dataclass(frozen=True)
class SkillFile:
    head: str
    """the properties, as they are written"""
    body: str

    @property
    def text(self) -> str:
        return f"---\n{self.head.strip()}\n---\n\n{self.body.strip()}\n"

    @property
    def hash(self) -> str:
        return digest(self.text)

    @property
    def description(self) -> str:
        try:
            found = load(self.head).get("description")
        except NoteError:
            return ""
        return " ".join(found.split())[:LONGEST_DESCRIPTION] if isinstance(found, str) else ""


def is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None


def check_name(name: str) -> str:
    if not is_name(name):
        raise BadValue(
            f"a skill is not called {name[:80]!r}; hosts take a to z, digits and single hyphens, at most {LONGEST_NAME}"
        )
    return name


def to_name(text: str) -> str:
    """The nearest name that hosts take."""
    name = re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:LONGEST_NAME].strip("-")
    if not name:
        raise BadValue(f"no folder can be named after {text[:80]!r}: it has no letter of a to z and no digit")
    return name


def make_head(name: str, description: str) -> str:
    # A JSON string is a YAML string, whatever stands in it.
    described = " ".join(description.split())[:LONGEST_DESCRIPTION]
    return f"name: {name}\ndescription: {json.dumps(described, ensure_ascii=False)}"


def parse(text: str, name: str) -> SkillFile:
    """Raises BadValue for what hosts would not read as the skill of this name."""
    if len(text.encode("utf-8", "replace")) > LONGEST:
        raise BadValue(f"a skill has at most {LONGEST:,} bytes; put what is longer into files beside it")
    found = _WHOLE.match("\n".join(text.removeprefix("\ufeff").split("\r\n")))
    if found is None:
        raise BadValue("a SKILL.md begins with its properties between two lines of ---")
    skill = SkillFile(found["head"].strip(), found["body"].strip())
    try:
        named = load(skill.head).get("name")
    except NoteError as error:
        raise BadValue(f"the properties of the skill cannot be read: {error.message}") from error
    if named != name or not skill.description or not skill.body:
        raise BadValue(
            f"the skill needs `name: {name}`, a description and a text; hosts pass over it without"
        )
    return skill
