"""What a shell offers after Tab: the ids, projects, kinds and tags of the vault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

Completion = tuple[str, str]
"""a value, and what the shell shows beside it"""


def complete_ids(context: typer.Context, incomplete: str) -> list[Completion]:
    from helix.index.completions import find_ids

    return _complete(context, incomplete, find_ids)


def complete_projects(context: typer.Context, incomplete: str) -> list[Completion]:
    from helix.index.completions import find_projects

    return _complete(context, incomplete, find_projects)


def complete_kinds(context: typer.Context, incomplete: str) -> list[Completion]:
    from helix.index.completions import find_kinds

    return _complete(context, incomplete, find_kinds)


def complete_tags(context: typer.Context, incomplete: str) -> list[Completion]:
    from helix.index.completions import find_tags

    return _complete(context, incomplete, find_tags)


def _complete(
    context: typer.Context, incomplete: str, find: Callable[[Path, str], list[Completion]]
) -> list[Completion]:
    from helix.cli.open_vault import config_of
    from helix.errors import HelixError
    from helix.index.catalog import CATALOG_FILE
    from helix.vault.vault_id import state_folder

    try:
        config = config_of(context)
        return find(state_folder(config.state_dir, config.vault) / CATALOG_FILE, incomplete)
    except (HelixError, OSError):
        return []
