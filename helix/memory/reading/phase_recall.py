"""recall by phase: what an agent harness wants to know when it plans, works, reviews, debugs or releases.

What counts in a phase comes from the kind of a memory, its tags and its text. `.helix/phases.yaml` in the vault
changes a phase or adds one; it travels with the vault, as it should.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from helix.errors import BadValue, NoteError, VaultError
from helix.memory import answers
from helix.memory.budget import Budget
from helix.memory.place import reaches
from helix.memory.reading.context import to_piece
from helix.memory.reading.pack_text import pack
from helix.memory.reading.phase_cache import BundleKey
from helix.memory.reading.search import ask
from helix.memory.reading.view import View
from helix.memory.request import Request, verb
from helix.memory.size_limits import MOST_PHASES
from helix.vault.yaml_load import Value, load

PHASES_FILE = ".helix/phases.yaml"
_DEPTH = 60
_LEAST = 0.25  # of the best possible relevance; what lies below is not about the phase
_KIND, _TAG, _TEXT, _IMPORTANCE = 0.4, 0.3, 0.25, 0.05
_ANY_KIND = 0.4


@dataclass(frozen=True)
class Phase:
    kinds: Mapping[str, float] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    words: str = ""


DEFAULTS: Mapping[str, Phase] = {
    "plan": Phase(
        {"decision": 1.0, "preference": 0.8, "task": 0.8, "document": 0.6, "fact": 0.5},
        frozenset({"architecture", "design", "plan", "roadmap", "requirements", "scope"}),
        "architecture design decision requirement constraint trade-off scope plan goal",
    ),
    "work": Phase(
        {"preference": 1.0, "snippet": 0.9, "skill": 0.9, "decision": 0.7, "fact": 0.7, "task": 0.7},
        frozenset({"code", "style", "api", "convention", "conventions", "tooling", "setup"}),
        "convention style api configuration command build run install how to",
    ),
    "review": Phase(
        {"preference": 1.0, "decision": 0.9, "skill": 0.6, "fact": 0.5},
        frozenset({"review", "style", "quality", "security", "testing", "convention", "conventions"}),
        "review style test coverage security performance convention must never always",
    ),
    "debug": Phase(
        {"event": 0.9, "fact": 0.8, "skill": 0.8, "snippet": 0.7, "decision": 0.4},
        frozenset({"bug", "incident", "debug", "error", "troubleshooting", "postmortem", "workaround"}),
        "error failure bug crash incident timeout root cause fix workaround log",
    ),
    "release": Phase(
        {"skill": 0.9, "task": 0.8, "decision": 0.7, "event": 0.6, "fact": 0.5},
        frozenset({"release", "deploy", "deployment", "ci", "version", "migration", "rollback"}),
        "release deploy version changelog migration rollback tag publish",
    ),
}


@verb("recall")
def recall_phases(
    request: Request,
    phases: Sequence[str],
    *,
    budget_tokens: int = 4096,
    scope: str = "project",
    idempotency_key: str | None = None,
) -> answers.Pack:
    """A bundle for these phases. The same question under the same key gets the same bundle, as long as nothing in
    it was changed or forgotten."""
    budget = request.budget(budget_tokens)
    names = list(dict.fromkeys(name.strip().lower() for name in phases if name.strip()))
    if not names or len(names) > MOST_PHASES:
        raise BadValue(f"name 1 to {MOST_PHASES} phases, such as {', '.join(DEFAULTS)}")
    view = request.view()
    key = BundleKey(request.place, tuple(names), budget_tokens, scope, idempotency_key or "")
    if idempotency_key and (known := request.bundles.find(key, view)) is not None:
        return known
    bundle, hashes = _bundle(request, view, names, scope, budget)
    if idempotency_key:
        request.bundles.keep(key, bundle, hashes)
    return bundle


def _bundle(
    request: Request, view: View, names: Sequence[str], scope: str, budget: Budget
) -> tuple[answers.Pack, dict[str, str]]:
    try:
        wanted = phases_in(request.read_settings(PHASES_FILE))
    except VaultError as error:
        raise BadValue(error.message) from error
    relevance: dict[str, float] = {}
    degraded: str | None = None
    for name in names:
        phase = wanted.get(name) or Phase({}, frozenset({name}), name)
        found = ask(view, f"{name} {phase.words}", place=request.place, scope=scope, limit=_DEPTH)
        degraded = found.degraded or degraded
        best = found.hits[0].score if found.hits else 1.0
        in_text = {hit.memory_id: hit.score / best for hit in found.hits if best > 0}
        for row in view.rows(reaches(None if scope == "all" else scope, request.place)):
            score = (
                _KIND * phase.kinds.get(row.kind, _ANY_KIND)
                + _TAG * bool(phase.tags & {tag.casefold() for tag in row.tags})
                + _TEXT * in_text.get(row.id, 0.0)
                + _IMPORTANCE * (row.importance or 0.5)
            )
            relevance[row.id] = max(score, relevance.get(row.id, 0.0))
    best_first = sorted(
        (memory_id for memory_id, score in relevance.items() if score >= _LEAST),
        key=lambda memory_id: (-relevance[memory_id], memory_id),
    )
    notes = [note for memory_id in best_first[:_DEPTH] if (note := view.find(memory_id)) is not None]
    pieces = [to_piece(note) for note in notes if note.memory.visible]
    notices: answers.PackNotices = {"degraded": degraded} if degraded else {}
    bundle, _ = pack(pieces, budget, notices, left_out=len(best_first) - len(pieces))
    return bundle, {note.id: note.hash for note in notes if note.id in bundle["citations"]}


def phases_in(text: str | None) -> dict[str, Phase]:
    """The phases in force: the defaults, and what a vault's own file says on top."""
    phases = dict(DEFAULTS)
    if text is None:
        return phases
    try:
        settings = load(text)
    except NoteError as error:
        raise BadValue(f"{PHASES_FILE}: {error.message}; mend the file or remove it") from error
    for name, value in settings.items():
        phases[name.strip().lower()] = _phase(name, value, phases.get(name.strip().lower(), Phase()))
    return phases


def _phase(name: str, value: Value, before: Phase) -> Phase:
    if not isinstance(value, dict) or value.keys() - {"kinds", "tags", "words"}:
        raise BadValue(f"{PHASES_FILE}: a phase such as {name} has kinds, tags and words, and nothing else")
    kinds, tags, words = value.get("kinds"), value.get("tags"), value.get("words")
    if (
        not isinstance(kinds, dict | None)
        or not isinstance(tags, list | None)
        or not isinstance(words, str | None)
    ):
        raise BadValue(
            f"{PHASES_FILE}: in {name}, kinds is `kind: weight` pairs, tags a list and words a text"
        )
    weights = (
        before.kinds if kinds is None else {str(kind): _weight(name, one) for kind, one in kinds.items()}
    )
    return Phase(
        weights,
        before.tags if tags is None else frozenset(str(tag).lstrip("#").casefold() for tag in tags),
        before.words if words is None else words,
    )


def _weight(name: str, value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise BadValue(f"{PHASES_FILE}: in {name}, a kind's weight is a number from 0 to 1, not {value!r}")
    return float(value)
