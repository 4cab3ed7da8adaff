"""What the daemon answers about assets."""

from __future__ import annotations

import base64 as encoding
from dataclasses import dataclass

from helix.client.answer_shape import Listing, Result, each


@dataclass(frozen=True, kw_only=True)
class _AssetFields(Result):
    id: str
    """of its note"""
    name: str
    type: str
    """what it is for: `prompt`, `template`, `snippet` or `file`"""
    media_type: str
    size: int
    hash: str
    """SHA-256 of what is in it"""
    version: int
    owner: str | None = None
    visibility: str = "private"
    project: str | None = None
    description: str = ""
    updated: str = ""
    status: str = "active"
    """`deleted` when it was tombstoned"""


@dataclass(frozen=True, kw_only=True)
class Asset(_AssetFields):
    """A file that a team shares."""


@dataclass(frozen=True, kw_only=True)
class AssetList(Listing[Asset]):
    assets: tuple[Asset, ...] = each(Asset)

    @property
    def items(self) -> tuple[Asset, ...]:
        return self.assets


@dataclass(frozen=True, kw_only=True)
class PublishedAsset(Result):
    id: str
    name: str
    version: int
    hash: str
    status: str
    """`created`, `updated`, or `noop` when it was published so already"""
    degraded: str | None = None


@dataclass(frozen=True, kw_only=True)
class PulledAsset(_AssetFields):
    """A file that a team shares, with what is in it."""

    base64: str | None = None
    """None when who asks has it already, and of one that was tombstoned"""

    @property
    def data(self) -> bytes | None:
        return None if self.base64 is None else encoding.b64decode(self.base64)


@dataclass(frozen=True, kw_only=True)
class TombstonedAsset(Result):
    id: str
    name: str
    status: str
