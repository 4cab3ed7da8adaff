"""The files that harnesses read: whether the blocks that Helix wrote into them still say what the notes say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.errors import HelixError
from helix.harnesses.harness import NAMES, named
from helix.harnesses.rules import find_rule, spell
from helix.harnesses.sync import ProjectFiles
from helix.harnesses.synced import SyncedProject, SyncedProjects

DRIFTED = Kind(
    "harness-drifted",
    Severity.WARNING,
    "a file of a harness does not say what the notes say",
    "Agents follow rules that do not hold any more, or do not know those that do.",
    "`helix harness diff` shows it, `helix harness sync` writes the block anew.",
)
EDITED = Kind(
    "harness-block-edited",
    Severity.WARNING,
    "somebody changed the block of Helix in a file of a harness by hand",
    "The notes do not say what was written there, and the block is not brought up to date any more.",
    "Write it into the notes, then `helix harness sync --force`.",
)
DAMAGED = Kind(
    "harness-block-damaged",
    Severity.WARNING,
    "the block of Helix in a file of a harness cannot be told from the rest",
    "The file is left as it is, with rules that grow old.",
    "Mend the two lines that the block stands between, or delete it, then `helix harness sync`.",
)


def check_synced(examined: Examined) -> Iterator[Finding]:
    vault = str(examined.there.resolve())
    for project in SyncedProjects(examined.config.state_dir).all():
        if project.vault == vault and Path(project.folder).is_dir():
            yield from _judge(examined, project)


def _judge(examined: Examined, project: SyncedProject) -> Iterator[Finding]:
    now = examined.around.now
    try:
        files = ProjectFiles.at(project.folder, examined.config.state_dir, examined.there)
        rules = [find_rule(note, project.project, now) for note in examined.memories]
        content = spell([rule for rule in rules if rule is not None], project.project)
        states = files.states(content, named(name for name in project.harnesses if name in NAMES))
    except HelixError as error:
        yield DRIFTED.at(project.folder, error.message)
        return
    for state in states:
        where = str(files.folder / state.file)
        if state.state == "damaged":
            yield DAMAGED.at(where, state.problem)
        elif state.state == "edited":
            yield EDITED.at(where, "its block is not what Helix wrote")
        elif state.state == "absent":
            yield DRIFTED.at(where, "the block that was written into it is not there")
        elif state.state == "outdated":
            yield DRIFTED.at(where, "the notes have changed since its block was written")


AREA = Area("Files of harnesses", (DRIFTED, EDITED, DAMAGED), (check_synced,))
