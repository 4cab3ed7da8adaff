"""What the verbs about assets answer."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from helix.memory.answers import Page
from helix.memory.verbs.verb import About

AssetKind = Literal["prompt", "template", "snippet", "file"]


class Asset(TypedDict):
    """A file that a team shares, as its note tells of it."""

    id: Annotated[str, About("Of its note.")]
    name: str
    type: Annotated[str, About("What it is for: `prompt`, `template`, `snippet` or `file`.")]
    media_type: Annotated[str, About("Guessed from the name.")]
    size: Annotated[int, About("Bytes.")]
    hash: Annotated[str, About("SHA-256 of what is in it.")]
    version: Annotated[int, About("How many contents it has had.")]
    owner: str | None
    visibility: str
    project: str | None
    description: str
    updated: str
    status: Annotated[str, About("`deleted` when it was tombstoned: whoever has it takes it away.")]


class AssetList(Page):
    assets: list[Asset]


class PublishedAsset(TypedDict):
    id: str
    name: str
    version: int
    hash: str
    status: Annotated[
        Literal["created", "updated", "noop"], About("`noop` when it was published so already.")
    ]
    degraded: NotRequired[str | None]


class PulledAsset(Asset):
    """With what is in it, unless who asks has that."""

    base64: Annotated[str | None, About("None when who asks has it already, and of one that was tombstoned.")]


class TombstonedAsset(TypedDict):
    id: str
    name: str
    status: Literal["deleted"]
