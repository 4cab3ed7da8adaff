"""What other tools call a relation, in the five kinds of edges that there are here."""

from __future__ import annotations

import re

_KINDS = {
    "supersedes": ("supersedes", "replaces", "obsoletes"),
    "depends_on": ("depends_on", "depends", "requires", "needs", "uses", "blocked_by", "builds_on"),
    "contradicts": ("contradicts", "conflicts_with", "disagrees_with", "refutes"),
    "refines": ("refines", "extends", "elaborates", "specializes", "details"),
}
_BY_NAME = {name: kind for kind, names in _KINDS.items() for name in names}


def edge_kind(relation: str) -> str:
    """`relates_to` for everything without a kind of its own; the note's text keeps the word itself."""
    name = re.sub(r"[\s-]+", "_", relation.strip().strip("\"'").lower())
    return _BY_NAME.get(name, "relates_to")
