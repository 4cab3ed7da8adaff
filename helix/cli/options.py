"""Options and arguments that several commands have, with the same meaning everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

from helix.cli.completion import complete_ids, complete_kinds, complete_projects, complete_tags

MemoryId = Annotated[str, typer.Argument(metavar="ID", help="The memory's id.", autocompletion=complete_ids)]
Project = Annotated[
    str | None,
    typer.Option(
        help="The project; it, what is global and what is unfiled is seen. Default: that of the current folder.",
        autocompletion=complete_projects,
    ),
]
Global = Annotated[bool, typer.Option("--global", help="Only what holds everywhere.")]
Everything = Annotated[bool, typer.Option("--all", help="Every project.")]
Unfiled = Annotated[
    bool, typer.Option("--unfiled", help="Only those of which nobody has said of which project they are.")
]
Kind = Annotated[str | None, typer.Option(help="Only memories of this kind.", autocompletion=complete_kinds)]
Tag = Annotated[str | None, typer.Option(help="Only memories with this tag.", autocompletion=complete_tags)]
IncludeDeleted = Annotated[
    bool, typer.Option("--include-deleted", help="Also forgotten and superseded ones.")
]
AsOf = Annotated[
    str | None, typer.Option(metavar="TIME", help="As it was then (needs git): 2026-06-18T09:00Z.")
]
Ref = Annotated[
    str | None, typer.Option(metavar="REV", help="As it was at a commit, branch or tag (needs git).")
]
IdempotencyKey = Annotated[
    str | None, typer.Option(metavar="KEY", help="A retry with the same key is answered, not done again.")
]


def filters_of(**values: str | None) -> dict[str, str]:
    return {name: value for name, value in values.items() if value}
