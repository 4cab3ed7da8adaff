"""The verbs about harnesses: the rules that agents are told, and the files of projects that say them."""

from __future__ import annotations

from collections.abc import Sequence

from helix.client.call import Call, does_once, reads
from helix.client.harness_results import HarnessFiles, RuleList, SyncedFiles


class HarnessVerbs:
    def rules(
        self,
        *,
        project: str | None = None,
        limit: int = 100,
        max_tokens: int = 8000,
        cursor: str | None = None,
    ) -> Call[RuleList]:
        """The notes that are marked as rules, of the project and of all."""
        return reads(
            "/harnesses/rules", RuleList, project=project, limit=limit, max_tokens=max_tokens, cursor=cursor
        )

    def list(
        self,
        folder: str,
        *,
        project: str | None = None,
        limit: int = 100,
        max_tokens: int = 2000,
        cursor: str | None = None,
    ) -> Call[HarnessFiles]:
        """The files of a project that harnesses read, and how the block in each stands."""
        return reads(
            "/harnesses",
            HarnessFiles,
            folder=folder,
            project=project,
            limit=limit,
            max_tokens=max_tokens,
            cursor=cursor,
        )

    def sync(
        self,
        folder: str,
        *,
        project: str | None = None,
        harnesses: Sequence[str] = (),
        force: bool = False,
        dry_run: bool = False,
    ) -> Call[SyncedFiles]:
        """Write the rules into the files that harnesses read, in one block each."""
        return does_once(
            "/harnesses/sync",
            SyncedFiles,
            folder=folder,
            project=project,
            harnesses=[*harnesses],
            force=force,
            dry_run=dry_run,
        )

    def remove(
        self, folder: str, *, harnesses: Sequence[str] = (), force: bool = False, dry_run: bool = False
    ) -> Call[SyncedFiles]:
        """Take the blocks out again. The files are then what they were before, to the byte."""
        return does_once(
            "/harnesses/remove",
            SyncedFiles,
            folder=folder,
            harnesses=[*harnesses],
            force=force,
            dry_run=dry_run,
        )
