"""What is erased leaves the files of the database within a minute; the daemon does it by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.index.postgres.server import needs_server
from tests.replicas.daemons import VERSION, Keeping, ask, recall, remember
from tests.waiting import wait_for

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: PostgreSQL is not tested")
pytestmark = needs_server
TEXT = "Whoever works here at night and finds the archive locked says one word at the gate: tumbrelquince"


def test_an_erased_word_is_in_no_file_of_the_tables_within_a_minute(kept: Keeping) -> None:
    written = remember(kept.keeper, TEXT)
    assert recall(kept.reader, "tumbrelquince", headers={"Helix-Seen": written.headers[VERSION]})
    wait_for(lambda: holding(kept, "tumbrelquince"))  # so that it would be seen
    ask(kept.reader, "/forget", {"id": written.body["id"], "mode": "hard"})
    assert recall(kept.reader, "tumbrelquince") == []
    wait_for(lambda: not holding(kept, "tumbrelquince"), 60)


def holding(kept: Keeping, word: str) -> list[str]:
    """The files of tables and indexes in which it stands, as they are on the disk."""
    with psycopg.connect(kept.server.url, autocommit=True) as connection:
        connection.execute("CHECKPOINT")
        [folder] = connection.execute("SHOW data_directory").fetchone() or ("",)
    files = [file for file in Path(str(folder), "base").rglob("*") if file.is_file()]
    found = []
    for file in files:
        try:
            if word.encode() in file.read_bytes():
                found.append(file.name)
        except FileNotFoundError:
            continue  # it was written anew meanwhile
    return found
