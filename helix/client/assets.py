"""The verbs about files that a team shares."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote

from helix.client.asset_results import AssetList, PublishedAsset, PulledAsset, TombstonedAsset
from helix.client.call import Call, does_once, reads

AssetKind = Literal["prompt", "template", "snippet", "file"]


class AssetVerbs:
    def list(
        self,
        *,
        include_deleted: bool = False,
        limit: int = 50,
        max_tokens: int = 4000,
        cursor: str | None = None,
    ) -> Call[AssetList]:
        """The files that are shared; not what is in them."""
        return reads(
            "/assets",
            AssetList,
            include_deleted=include_deleted,
            limit=limit,
            max_tokens=max_tokens,
            cursor=cursor,
        )

    def publish(
        self,
        name: str,
        *,
        text: str | None = None,
        base64: str | None = None,
        asset_type: AssetKind = "file",
        description: str = "",
        visibility: str | None = None,
        project: str | None = None,
        allow_secrets: bool = False,
    ) -> Call[PublishedAsset]:
        """Share a file, as text or base64. Under a name that is there already it becomes the next version."""
        return does_once(
            "/assets",
            PublishedAsset,
            name=name,
            text=text,
            base64=base64,
            type=asset_type,
            description=description,
            visibility=visibility,
            project=project,
            allow_secrets=allow_secrets,
        )

    def pull(self, memory_id: str, *, have: str | None = None) -> Call[PulledAsset]:
        """A file with what is in it, unless you have that: `have` is the hash of what you have."""
        return reads(f"/assets/{quote(memory_id, safe='')}", PulledAsset, have=have)

    def tombstone(self, memory_id: str) -> Call[TombstonedAsset]:
        """Take a file back. Who pulls next has it no more."""
        return does_once(f"/assets/{quote(memory_id, safe='')}/tombstone", TombstonedAsset)
