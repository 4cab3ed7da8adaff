"""The table of the verbs about sources."""

from __future__ import annotations

from typing import Annotated

from helix.knowledge.source_answers import SOURCE_ID
from helix.memory.verbs.fields import Budgeted, Visibility
from helix.memory.verbs.verb import About, Asks, Route, Verb

SourceName = Annotated[str, About("Its id or its name.", longest=200, example=SOURCE_ID)]


class ConnectSourceRequest(Asks):
    path: Annotated[str, About("A folder of the daemon's machine, from its root.", longest=4096)]
    name: Annotated[str | None, About("Default: that of the folder.", longest=100)] = None
    project: Annotated[str | None, About("Of which it is; without one it holds everywhere.", longest=200)] = (
        None
    )
    visibility: Annotated[
        Visibility | None,
        About("For whom it is beside who connects it; default: the members of its project."),
    ] = None


class SourcesRequest(Budgeted):
    limit: Annotated[int, About(least=1, most=200)] = 50


class SourceRequest(Asks):
    source_id: SourceName


class IndexSourceRequest(Asks):
    source_id: SourceName
    anew: Annotated[bool, About("Read every file again, not only those that changed.")] = False


_ANSWERS = "helix.knowledge.source_answers:"
_RUN = "knowledge.sources:"

SOURCES = (
    Verb(
        "source_connect", ConnectSourceRequest, f"{_ANSWERS}ConnectedSource", run=f"{_RUN}source_connect",
        permission="connectors", changes=True,
        route=Route("POST", "/sources", "connect_source", "sources", example={"path": "/home/me/work/shop"}),
        command="source", sdk="sources.connect",
        about="""Search a folder or a repository where it is, and follow it.

        Nothing is copied into the vault, and nothing written to the folder. The same folder again is known already.
        """,
    ),
    Verb(
        "sources", SourcesRequest, f"{_ANSWERS}SourceList", run=f"{_RUN}sources",
        permission="recall",
        route=Route("GET", "/sources", "list_sources", "sources"),
        command="source", sdk="sources.list",
        about="The sources that are connected, and how they are. A search with `lane:source` looks into them.",
    ),
    Verb(
        "source_health", SourceRequest, f"{_ANSWERS}SourceHealth", run=f"{_RUN}source_health",
        permission="recall",
        route=Route("GET", "/sources/{source_id}/health", "source_health", "sources", errors=(404,)),
        command="source", sdk="sources.health",
        about="How far a source is indexed, and which of its files are not searched and why.",
    ),
    Verb(
        "source_index", IndexSourceRequest, f"{_ANSWERS}SourceHealth", run=f"{_RUN}source_index",
        permission="connectors", changes=True,
        route=Route("POST", "/sources/{source_id}/index", "index_source", "sources", errors=(404,),
                    example={"anew": True}),
        command="source", sdk="sources.index",
        about="Look at everything in a source now. It is followed anyway.",
    ),
    Verb(
        "source_purge", SourceRequest, f"{_ANSWERS}PurgedSource", run=f"{_RUN}source_purge",
        permission="connectors", changes=True,
        route=Route("POST", "/sources/{source_id}/purge", "purge_source", "sources", errors=(404,)),
        command="source", sdk="sources.purge",
        about="Forget a source: everything that was derived from it is removed. Its folder is not touched.",
    ),
)  # fmt: skip
