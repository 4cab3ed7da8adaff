"""A conversation as one memory: what was said by whom, within bounds."""

from __future__ import annotations

from collections.abc import Sequence

from helix.memory.portability.imported import Brought, Skipped
from helix.vault.new_memory import title_from

# A conversation is a document to look things up in, not a fact each line of which is worth a memory.
MOST_CHARACTERS = 48_000
_LONGEST_TURN = 8_000
_LEAST_CHARACTERS = 40

Turn = tuple[str, str]
"""who speaks, `user` or `assistant`, and the text"""


def to_memory(
    key: str,
    title: str,
    turns: Sequence[Turn],
    *,
    uri: str,
    created_at: str | None,
    updated_at: str | None,
    project: str | None = None,
) -> Brought | Skipped:
    spoken = [(who, text.strip()) for who, text in turns if text.strip()]
    if not any(who == "user" for who, _ in spoken):
        return Skipped(title or key, "is a conversation in which the user says nothing")
    if sum(len(text) for _, text in spoken) < _LEAST_CHARACTERS:
        return Skipped(title or key, "is a conversation of a few words")
    return Brought(
        key=key,
        title=title or title_from(next(text for who, text in spoken if who == "user")),
        body=_transcript(spoken, uri),
        kind="document",
        tags=["conversation"],
        project=project,
        created_at=created_at,
        updated_at=updated_at,
        source={"uri": uri},
    )


def _transcript(turns: Sequence[Turn], uri: str) -> str:
    parts: list[str] = []
    length = 0
    for place, (who, text) in enumerate(turns):
        shown = text if len(text) <= _LONGEST_TURN else f"{text[:_LONGEST_TURN].rstrip()} … (cut)"
        if length + len(shown) > MOST_CHARACTERS:
            parts.append(f"(Cut here: {len(turns) - place} more turns are in the original, {uri}.)")
            break
        length += len(shown)
        parts.append(f"**{who.capitalize()}:** {shown}")
    return "\n\n".join(parts)
