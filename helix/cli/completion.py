"""What a shell offers after Tab: ids, projects, kinds and tags, straight from the catalog.

Only read, and never waited for: a shell that hangs on Tab is worse than one that offers nothing.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import typer

_MOST = 50


def complete_ids(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    return _found(
        context,
        "SELECT id, json_extract(meta, '$.title') FROM notes WHERE id LIKE ? || '%' ESCAPE '\\'"
        " AND status = 'active' AND NOT is_stub ORDER BY id DESC",
        incomplete,
    )


def complete_projects(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    return _used(context, "project", incomplete)


def complete_kinds(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    return _used(context, "kind", incomplete)


def complete_tags(context: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    return _found(
        context,
        "SELECT value, count(*) || ' memories' FROM notes, json_each(notes.meta, '$.tags')"
        " WHERE status = 'active' AND value LIKE ? || '%' ESCAPE '\\' GROUP BY value ORDER BY count(*) DESC",
        incomplete,
    )


def _used(context: typer.Context, key: str, incomplete: str) -> list[tuple[str, str]]:
    return _found(
        context,
        f"SELECT json_extract(meta, '$.{key}') AS it, count(*) || ' memories' FROM notes"
        " WHERE status = 'active' AND it LIKE ? || '%' ESCAPE '\\' GROUP BY it ORDER BY count(*) DESC",
        incomplete,
    )


def _found(context: typer.Context, query: str, incomplete: str) -> list[tuple[str, str]]:
    from helix.cli.open_vault import config_of
    from helix.errors import HelixError
    from helix.vault.vault_id import state_folder

    try:
        config = config_of(context)
        place = state_folder(config.state_dir, config.vault) / "catalog.db"
        with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True, timeout=0.2)) as catalog:
            literal = incomplete.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            rows = catalog.execute(f"{query} LIMIT {_MOST}", [literal]).fetchall()
    except (HelixError, sqlite3.Error, OSError):
        return []
    return [(str(value), " ".join(str(about or "").split())) for value, about in rows]
