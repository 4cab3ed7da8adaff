"""The table of the verbs about assets."""

from __future__ import annotations

from typing import Annotated

from helix.memory.verbs.fields import Budgeted, HiddenToo, MemoryId, Visibility
from helix.memory.verbs.verb import About, Asks, Route, Verb
from helix.workbench.asset_answers import AssetKind


class AssetsRequest(Budgeted):
    include_deleted: HiddenToo = False
    limit: Annotated[int, About(least=1, most=200)] = 50
    max_tokens: Annotated[int, About("The whole answer fits in so many tokens.", least=64, most=200_000)] = (
        4000
    )


class AssetPublishRequest(Asks):
    asset_name: Annotated[str, About("The name of the file.", name="name", longest=200, example="review.md")]
    text: Annotated[str | None, About("What is in it, as text.")] = None
    base64: Annotated[str | None, About("What is in it, as bytes.")] = None
    asset_type: Annotated[AssetKind, About("What it is for.", name="type")] = "file"
    description: Annotated[str, About("What it is, in a few words.", longest=2000)] = ""
    visibility: Annotated[
        Visibility | None, About("For whom it is; a project's for its members, else the team.")
    ] = None
    project: Annotated[str | None, About("The project that it belongs to; none unless you say so.")] = None
    allow_secrets: Annotated[bool, About("Also a text that holds what looks like a credential.")] = False


class AssetPullRequest(Asks):
    memory_id: MemoryId
    have: Annotated[
        str | None, About("The hash of what you have: the same is not sent again.", longest=64)
    ] = None


class AssetTombstoneRequest(Asks):
    memory_id: MemoryId


_ANSWERS = "helix.workbench.asset_answers:"
_RUN = "workbench.assets"

ASSET_VERBS = (
    Verb(
        "assets", AssetsRequest, f"{_ANSWERS}AssetList", run=f"{_RUN}:assets", permission="recall",
        route=Route("GET", "/assets", "list_assets", "harnesses"), command="asset", sdk="assets.list",
        about="The files that are shared, as far as they are seen; not what is in them.",
    ),
    Verb(
        "asset_publish", AssetPublishRequest, f"{_ANSWERS}PublishedAsset", run=f"{_RUN}:asset_publish",
        permission="connectors", changes=True,
        route=Route("POST", "/assets", "publish_asset", "harnesses", errors=(422,),
                    example={"name": "review.md", "text": "Read it twice.", "type": "prompt"}),
        command="asset", sdk="assets.publish",
        about="""Share a file: a prompt, a template, a snippet, a small file of any kind.

        Under a name that is there already it becomes the next version; with the same content nothing changes.
        """,
    ),
    Verb(
        "asset_pull", AssetPullRequest, f"{_ANSWERS}PulledAsset", run=f"{_RUN}:asset_pull", permission="recall",
        route=Route("GET", "/assets/{id}", "pull_asset", "harnesses", errors=(404,)), command="asset",
        sdk="assets.pull",
        about="A file with what is in it, unless who asks has that. Of one that was tombstoned only that.",
    ),
    Verb(
        "asset_tombstone", AssetTombstoneRequest, f"{_ANSWERS}TombstonedAsset", run=f"{_RUN}:asset_tombstone",
        permission="connectors", changes=True,
        route=Route("POST", "/assets/{id}/tombstone", "tombstone_asset", "harnesses", errors=(404,)),
        command="asset", sdk="assets.tombstone",
        about="Take a file back. Who pulls next has it no more; restoring its note undoes it.",
    ),
)  # fmt: skip
