"""Where harnesses look in a project for what an agent is told. Where a fact comes from is said in docs/harnesses.md."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from helix.errors import BadValue

_ALWAYS_APPLIES = "---\ndescription: Rules of this project\nalwaysApply: true\n---\n\n"


@dataclass(frozen=True)
class Harness:
    name: str
    title: str
    file: str
    """of a project, with what an agent is told at its start"""
    head: str = ""
    """with which the file begins when it is made"""
    skills: str = ""
    """the folder of a project with its skills, each a folder with a SKILL.md"""
    user_skills: str = ""
    """the same for all projects, from the home folder"""
    sign: str = ""
    """a folder of a project that is worked on with it, where the file by itself does not say so"""


HARNESSES = (
    Harness("claude-code", "Claude Code", "CLAUDE.md", "", ".claude/skills", ".claude/skills"),
    Harness("codex", "Codex", "AGENTS.md", "", ".agents/skills", ".agents/skills"),
    Harness("opencode", "opencode", "AGENTS.md", "", ".opencode/skills", ".config/opencode/skills"),
    Harness(
        "cursor",
        "Cursor",
        ".cursor/rules/helix.mdc",
        _ALWAYS_APPLIES,
        ".cursor/skills",
        ".cursor/skills",
        ".cursor",
    ),
    Harness("gemini", "Gemini CLI", "GEMINI.md", "", ".gemini/skills", ".gemini/skills"),
    Harness("vscode", "VS Code", ".github/copilot-instructions.md"),
)
NAMES = tuple(harness.name for harness in HARNESSES)


def get_harness(name: str) -> Harness:
    found = next((harness for harness in HARNESSES if harness.name == name), None)
    if found is None:
        close = difflib.get_close_matches(name, NAMES, 1)
        hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(NAMES)}"
        raise BadValue(f"there is no harness {name[:60]!r}{hint}")
    return found


def named(names: Iterable[str]) -> tuple[Harness, ...]:
    return tuple(get_harness(name) for name in dict.fromkeys(names))


def is_worked_with(harness: Harness, folder: Path) -> bool:
    return (folder / (harness.sign or harness.file)).exists()
