"""The verbs about sources. Each builds a call, as those about memories do."""

from __future__ import annotations

from helix.client.call import Call, does_once, of_source, reads
from helix.client.source_results import ConnectedSource, PurgedSource, SourceHealth, SourceList


class SourceVerbs:
    def connect(
        self, path: str, *, name: str | None = None, project: str | None = None, visibility: str | None = None
    ) -> Call[ConnectedSource]:
        """Search a folder or a repository of the daemon's machine where it is, and follow it.

        Nothing is written to it. `search("lane:source …")` looks into it; `health` says how far it is.
        """
        return does_once(
            "/sources", ConnectedSource, path=path, name=name, project=project, visibility=visibility
        )

    def list(self, *, limit: int = 50, max_tokens: int = 2000, cursor: str | None = None) -> Call[SourceList]:
        """The sources that are connected, and how they are."""
        return reads("/sources", SourceList, limit=limit, max_tokens=max_tokens, cursor=cursor)

    def health(self, source_id: str) -> Call[SourceHealth]:
        """How far a source, named by its id or its name, is indexed, and which files are not searched and why."""
        return reads(of_source(source_id, "/health"), SourceHealth)

    def index(self, source_id: str, *, anew: bool = False) -> Call[SourceHealth]:
        """Look at everything in a source now; with `anew` every file is read again."""
        return does_once(of_source(source_id, "/index"), SourceHealth, anew=anew)

    def purge(self, source_id: str) -> Call[PurgedSource]:
        """Forget a source: everything that was derived from it is removed. Its folder is not touched."""
        return does_once(of_source(source_id, "/purge"), PurgedSource)
