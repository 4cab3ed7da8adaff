"""The table of the verbs about harnesses: the rules that agents are told, and the files of projects that say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from helix.memory.verbs.fields import Budgeted, TokensOfAll
from helix.memory.verbs.verb import About, Asks, Route, Verb

_Many = Annotated[int, About(least=1, most=200)]
_Project = Annotated[str | None, About("The project of the rules, beside those that hold everywhere.")]
_Folder = Annotated[
    str,
    About("The folder of a project, on the machine of the daemon, from the root.", longest=4096,
          example="/home/me/code/billing-api"),
]  # fmt: skip
_Names = Annotated[
    Sequence[str],
    About("The names of harnesses; none means those that the project is worked on with.", name="harnesses"),
]
_Force = Annotated[bool, About("Also a block that somebody changed by hand.")]
_DryRun = Annotated[bool, About("Tell what would change, and change nothing.")]


class RulesRequest(Budgeted):
    project: _Project = None
    limit: _Many = 100
    max_tokens: TokensOfAll = 8000


class HarnessesRequest(Budgeted):
    folder: _Folder
    project: _Project = None
    limit: _Many = 100


class HarnessSyncRequest(Asks):
    folder: _Folder
    project: _Project = None
    harness_names: _Names = ()
    force: _Force = False
    dry_run: _DryRun = False


class HarnessRemoveRequest(Asks):
    folder: _Folder
    harness_names: _Names = ()
    force: _Force = False
    dry_run: _DryRun = False


_ANSWERS = "helix.workbench.harness_answers:"
_RUN = "workbench.harnesses"
_EXAMPLE = {"folder": "/home/me/code/billing-api", "dry_run": True}

HARNESS_VERBS = (
    Verb(
        "rules", RulesRequest, f"{_ANSWERS}RuleList", run=f"{_RUN}:rules", permission="recall", uses_caller=True,
        route=Route("GET", "/harnesses/rules", "list_rules", "harnesses"), command="harness", sdk="harnesses.rules",
        about="""The notes that are marked as rules: of kind `rule`, or with the tag `rule`.

        Those of the project and those that hold everywhere, as far as they are seen.
        """,
    ),
    Verb(
        "harnesses", HarnessesRequest, f"{_ANSWERS}HarnessFiles", run=f"{_RUN}:harnesses", permission="connectors",
        route=Route("GET", "/harnesses", "list_harness_files", "harnesses"), command="harness", sdk="harnesses.list",
        uses_caller=True,
        about="The files of a project that harnesses read at their start, and how the block in each stands.",
    ),
    Verb(
        "harness_sync", HarnessSyncRequest, f"{_ANSWERS}SyncedFiles", run=f"{_RUN}:harness_sync",
        permission="connectors", changes=True, uses_caller=True,
        route=Route("POST", "/harnesses/sync", "sync_harnesses", "harnesses", errors=(422,), example=_EXAMPLE),
        command="harness", sdk="harnesses.sync",
        about="""Write the rules into the files that harnesses read, in one block each.

        Everything else in a file stays as it is, to the byte.
        """,
    ),
    Verb(
        "harness_remove", HarnessRemoveRequest, f"{_ANSWERS}SyncedFiles", run=f"{_RUN}:harness_remove",
        permission="connectors", changes=True,
        route=Route("POST", "/harnesses/remove", "remove_harness_blocks", "harnesses", errors=(422,), example=_EXAMPLE),
        command="harness", sdk="harnesses.remove",
        about="Take the blocks out again. The files are then what they were before, to the byte.",
    ),
)  # fmt: skip
