"""What stands in the catalog, for completion in a shell.

Only read, and never waited for: a shell that hangs on Tab is worse than one that offers nothing.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

MOST = 50
_PATIENCE = 0.2

_IDS = r"""
SELECT id, json_extract(meta, '$.title') FROM notes
WHERE id LIKE ? || '%' ESCAPE '\' AND status = 'active' AND NOT is_stub ORDER BY id DESC LIMIT ?
"""
_TAGS = r"""
SELECT value, count(*) || ' memories' FROM notes, json_each(notes.meta, '$.tags')
WHERE status = 'active' AND value LIKE ? || '%' ESCAPE '\' GROUP BY value ORDER BY count(*) DESC LIMIT ?
"""
_PROJECTS = r"""
SELECT json_extract(meta, '$.project') AS project, count(*) || ' memories' FROM notes
WHERE status = 'active' AND project LIKE ? || '%' ESCAPE '\' GROUP BY project ORDER BY count(*) DESC LIMIT ?
"""
_KINDS = r"""
SELECT json_extract(meta, '$.kind') AS kind, count(*) || ' memories' FROM notes
WHERE status = 'active' AND kind LIKE ? || '%' ESCAPE '\' GROUP BY kind ORDER BY count(*) DESC LIMIT ?
"""

Completion = tuple[str, str]
"""a value, and what a shell shows beside it"""


def find_ids(catalog: Path, prefix: str) -> list[Completion]:
    """Ids of memories in force that begin so, with their titles; newest first."""
    return _read(catalog, _IDS, prefix)


def find_projects(catalog: Path, prefix: str) -> list[Completion]:
    return _read(catalog, _PROJECTS, prefix)


def find_kinds(catalog: Path, prefix: str) -> list[Completion]:
    return _read(catalog, _KINDS, prefix)


def find_tags(catalog: Path, prefix: str) -> list[Completion]:
    return _read(catalog, _TAGS, prefix)


def _read(catalog: Path, query: str, prefix: str) -> list[Completion]:
    literal = prefix.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    try:
        with closing(sqlite3.connect(f"{catalog.as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)) as database:
            rows = database.execute(query, (literal, MOST)).fetchall()
    except sqlite3.Error:
        return []
    return [(str(value), " ".join(str(about or "").split())) for value, about in rows]
