"""Edges between notes, however a person writes the link."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from helix.index.catalog import Catalog
from helix.memory.reading.link_graph import Links
from helix.vault.note import Note

Edges = Callable[[dict[str, str]], set[tuple[str, str, bool]]]


@pytest.fixture
def edges(tmp_path: Path) -> Edges:
    return lambda files: _edges(tmp_path / "catalog.db", files)


def _edges(place: Path, files: dict[str, str]) -> set[tuple[str, str, bool]]:
    catalog = Catalog(place)
    with catalog.transaction():
        for path, text in files.items():
            catalog.put(Note.parse(path, text.encode()))
    rows = catalog.memories(include_hidden=True)
    catalog.close()
    at = {row.id: row.path for row in rows}
    found = Links(rows).edges
    assert len(found) == len(set(found)), "an edge is listed once"
    return {(at[edge.source], at.get(edge.target, edge.target), edge.is_dangling) for edge in found}


def test_a_markdown_link_is_an_edge_as_a_wikilink_is(edges: Edges) -> None:
    files = {
        "languages/pure/index.md": "See [Haskell](../../haskell.md) and [[haskell]].\n",
        "haskell.md": "# Haskell\n\nBack to [the index](languages/pure/index.md#top).\n",
    }
    assert edges(files) == {
        ("languages/pure/index.md", "haskell.md", False),
        ("haskell.md", "languages/pure/index.md", False),
    }


def test_of_two_files_with_one_name_the_one_beside_is_meant(edges: Edges) -> None:
    files = {"a/index.md": "[x](note.md) ", "a/note.md": "one", "b/note.md": "two", "b/index.md": "[[note]]"}
    assert edges(files) == {("a/index.md", "a/note.md", False), ("b/index.md", "b/note.md", False)}


def test_an_alias_and_a_property_lead_to_the_note(edges: Edges) -> None:
    files = {
        "pump.md": "---\naliases: [Old Faithful]\n---\nIt starts at six.\n",
        "plan.md": '---\nup: "[[Old Faithful]]"\n---\nNothing.\n',
        "late.md": "See [[old faithful#Start|the pump]].\n",
    }
    assert edges(files) == {("plan.md", "pump.md", False), ("late.md", "pump.md", False)}


def test_two_spellings_of_a_link_to_one_note_are_one_edge(edges: Edges) -> None:
    files = {
        "a/index.md": "[[haskell]], [[Hask]], [[Haskell]] and [it](../haskell.md).\n",
        "haskell.md": "---\naliases: [Hask]\n---\nLazy.\n",
    }
    assert edges(files) == {("a/index.md", "haskell.md", False)}


def test_a_link_to_a_note_that_is_not_there_dangles(edges: Edges) -> None:
    assert edges({"a.md": "[x](sub/none.md)"}) == {("a.md", "sub/none", True)}
