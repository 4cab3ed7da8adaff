"""The SQLite files of the state folder, which anybody may delete at any time."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

Place = tuple[int, int] | None


def connect(path: Path) -> sqlite3.Connection:
    """Autocommit, one writer and many readers. The rows that a power cut takes are made again from the notes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=NORMAL")
    return db


def place_of(path: Path) -> Place:
    """Which file is at a path. An open database goes on in its file after that was deleted, and nobody would know."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
