"""Every verb there is, by name."""

from __future__ import annotations

from helix.memory.verbs.maintenance import CONSOLIDATION, INBOX
from helix.memory.verbs.projects import PROJECTS
from helix.memory.verbs.reading import READING
from helix.memory.verbs.verb import Verb
from helix.memory.verbs.writing import WRITING

VERBS: dict[str, Verb] = {verb.name: verb for verb in (*READING, *WRITING, *PROJECTS, *CONSOLIDATION, *INBOX)}
