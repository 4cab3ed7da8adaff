"""Every verb there is, by name: those about memories, sessions, documents, and what a team works with beside them."""

from __future__ import annotations

from helix.knowledge.verbs import KNOWLEDGE
from helix.memory.verbs.table import VERBS as ABOUT_MEMORIES
from helix.memory.verbs.verb import Verb
from helix.sessions.verbs import SESSIONS
from helix.workbench.asset_verbs import ASSET_VERBS
from helix.workbench.harness_verbs import HARNESS_VERBS
from helix.workbench.skill_verbs import SKILL_VERBS
from helix.workbench.verbs import WORKBENCH

VERBS: dict[str, Verb] = {
    **ABOUT_MEMORIES,
    **{
        verb.name: verb
        for verb in (*SESSIONS, *KNOWLEDGE, *HARNESS_VERBS, *SKILL_VERBS, *ASSET_VERBS, *WORKBENCH)
    },
}
