"""One filter language: every compiler finds what the predicate finds, in any world."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix.index import vector_file
from helix.index.facet_index import FacetIndex
from helix.index.facets import Facets, from_texts, to_text
from helix.index.filters import (
    ALL_FIELDS,
    FIELDS,
    Reach,
    SqlDialect,
    Values,
    Where,
    filed,
    to_micros,
    to_predicate,
    to_sql,
)
from helix.index.vector_file import VectorFile
from helix.index.vector_matrix import Matrix, VectorEntry
from helix.index.vector_rows import VectorRows
from helix.index.vector_snapshot import VectorSnapshot
from helix.index.vector_writer import run_here
from helix.index.vectors import Vectors
from helix.memory.principal import Principal, visible_to
from helix.vault.note import SCOPES, STATUSES
from helix.vault.ownership import VISIBILITIES
from tests.index.memories import DIMENSIONS, unit_vectors

_DAY = datetime(2026, 6, 18, tzinfo=UTC)
_MOMENTS = [datetime(1066, 10, 14, tzinfo=UTC), *(_DAY + timedelta(hours=hours) for hours in (0, 1, 30))]
_QUERY = unit_vectors(1, 9)[0]

# Few values, so that memories and filters meet; with case, quotes, marks of SQL, nesting, and nothing.
_PROJECTS = st.sampled_from([None, "", "shop", "Shop", "o'brien", "a/b", "straße", "STRASSE"])
_SESSIONS = st.sampled_from([None, "s1", "S1", "s'2"])
_KINDS = st.sampled_from(["fact", "Fact", "decision", 'it\'s ? a "kind"; --'])
_TAGS = st.sampled_from(["auth", "Auth/JWT", "auth/jwt/old", "authority", "o'clock", "/", "a/"])
_OWNERS = st.sampled_from([None, "ines", "Ines", "o'neil"])
_IDS = ["m1", "M2", "mem_ü", "it's", "?"]
_TIMES = st.one_of(st.none(), st.sampled_from(_MOMENTS))

ROWS = st.builds(
    Facets,
    id=st.just("m1"),
    status=st.sampled_from(STATUSES),
    scope=st.sampled_from(SCOPES),
    project=_PROJECTS.map(lambda project: project or None),
    kind=_KINDS,
    tags=st.frozensets(_TAGS.map(str.casefold), max_size=3),
    session=_SESSIONS,
    created=_TIMES,
    changed=_TIMES,
    valid_from=_TIMES,
    valid_until=_TIMES,
    importance=st.sampled_from([None, 0.0, 0.3, 1.0]),
    title_words=st.frozensets(_TAGS, max_size=6),
    links=st.frozensets(st.sampled_from(_IDS)),
    owner=_OWNERS,
    visibility=st.sampled_from(VISIBILITIES),
)
WORLDS = st.lists(ROWS, max_size=len(_IDS)).map(
    lambda rows: [row._replace(id=name) for name, row in zip(_IDS, rows, strict=False)]
)


def _texts(values: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(values, min_size=1, max_size=2).map(tuple))


_VALUES: dict[str, st.SearchStrategy[tuple[str, ...]]] = {
    "tags": _texts(_TAGS),
    "kinds": _texts(_KINDS),
    "projects": _texts(_PROJECTS.map(lambda project: project or "")),
    "scopes": _texts(st.sampled_from([*SCOPES, "PROJECT"])),
    "statuses": _texts(st.sampled_from([*STATUSES, "Active"])),
    "owners": _texts(_OWNERS.map(lambda owner: owner or "")),
    "visibilities": _texts(st.sampled_from([*VISIBILITIES, "Team"])),
    "ids": _texts(st.sampled_from([*_IDS, "M1", "nobody"])),
}
REACHES = st.builds(
    Reach,
    st.sampled_from(SCOPES),
    st.one_of(st.none(), _texts(_PROJECTS.map(lambda project: project or ""))),
    _SESSIONS,
)
_SOME_PROJECTS = st.lists(_PROJECTS.map(lambda project: project or ""), max_size=2)
WALLS = st.builds(
    lambda user, member_of, only: visible_to(Principal("p", user=user, projects=only), member_of).sees,
    _OWNERS,
    _SOME_PROJECTS,
    st.one_of(st.none(), _SOME_PROJECTS.map(frozenset)),
)
WHERES = st.builds(
    Where,
    **_VALUES,
    unfiled=st.sampled_from([None, None, True, False]),
    after=st.one_of(st.none(), st.sampled_from(_MOMENTS)),
    before=st.one_of(st.none(), st.sampled_from(_MOMENTS)),
    but_not=st.one_of(st.just(Values()), st.builds(Values, **_VALUES)),
    reaches=st.one_of(st.none(), st.lists(REACHES, max_size=3).map(tuple)),
    among=st.one_of(st.none(), st.frozensets(st.sampled_from([*_IDS, "nobody"]))),
    active_only=st.booleans(),
    wall=st.one_of(st.none(), WALLS),
)


def _by_predicate(rows: list[Facets], where: Where) -> set[str]:
    return set(map(str, (row.id for row in filter(to_predicate(where), rows))))


def test_every_field_has_values_to_be_generated_here() -> None:
    """Who adds a field adds what it is tested with; that is all there is to add."""
    assert set(_VALUES) == set(FIELDS)


@settings(max_examples=400, deadline=None)
@given(WORLDS, WHERES)
def test_the_facets_of_all_memories_are_filtered_as_the_predicate_does(
    rows: list[Facets], where: Where
) -> None:
    index = FacetIndex()
    index.fill([row.id for row in rows], from_texts(map(to_text, rows)))
    assert index.within(where) == _by_predicate(rows, where)
    assert index.rows(row.id for row in rows) == rows


@settings(max_examples=200, deadline=None)
@given(WORLDS, WORLDS, WHERES)
def test_facets_that_were_changed_are_filtered_as_fresh_ones(
    before: list[Facets], after: list[Facets], where: Where
) -> None:
    index = FacetIndex()
    index.fill([row.id for row in before], from_texts(map(to_text, before)))
    for row in before[::2]:
        index.drop(row.id)
    for row in after:
        index.put(row)
    left = {row.id: row for row in before[1::2]} | {row.id: row for row in after}
    assert index.within(where) == _by_predicate(list(left.values()), where)
    assert {row.id: row for row in index.rows(left)} == left


@settings(max_examples=400, deadline=None)
@given(WORLDS, WHERES)
def test_the_mask_leaves_what_the_predicate_finds(rows: list[Facets], where: Where) -> None:
    matrix = Matrix(DIMENSIONS)
    matrix.put(
        VectorEntry.of(row, "h", unit_vectors(1 + number % 2, number)) for number, row in enumerate(rows)
    )
    assert {hit.memory_id for hit in matrix.search(_QUERY, 10, where)} == _by_predicate(rows, where)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("table")


@settings(max_examples=200, deadline=None)
@given(rows=WORLDS, wheres=st.lists(WHERES, min_size=2, max_size=4))
def test_a_serving_file_is_filtered_as_the_predicate_does(
    table: Path, rows: list[Facets], wheres: list[Where]
) -> None:
    entries = [
        VectorEntry.of(row, "h", unit_vectors(1 + number % 2, number)) for number, row in enumerate(rows)
    ]
    vector_file.write(table, VectorRows.of(entries, DIMENSIONS), "d" * 64, is_resident=True)
    snapshot = VectorSnapshot(VectorFile(table / vector_file.FILE_NAME, "d" * 64, DIMENSIONS))
    for where in wheres:
        assert {hit.memory_id for hit in snapshot.search(_QUERY, 10, where)} == _by_predicate(rows, where)


@settings(max_examples=400, deadline=None)
@given(WORLDS, WHERES)
def test_a_table_finds_what_the_predicate_finds_and_no_value_stands_in_the_sql(
    rows: list[Facets], where: Where
) -> None:
    database = sqlite3.connect(":memory:")
    try:
        names = ["memory_id", "created", *(field.name for field in ALL_FIELDS)]
        database.execute(f"CREATE TABLE memories ({', '.join(names)})")
        for row in rows:
            created = None if row.created is None else to_micros(row.created)
            values = [json.dumps(one) if isinstance(one, list) else one for one in filed(row).values()]
            marks = ", ".join("?" for _ in names)
            database.execute(f"INSERT INTO memories VALUES ({marks})", (row.id, created, *values))
        holds = "EXISTS (SELECT 1 FROM json_each({column}) WHERE value = {mark})"
        sql = to_sql(where, SqlDialect("?", holds), id_column="memory_id")
        assert "'" not in sql.text
        found = database.execute(f"SELECT memory_id FROM memories WHERE {sql.text}", sql.parameters)
        assert {row[0] for row in found} == _by_predicate(rows, where)
    finally:
        database.close()


@settings(max_examples=25, deadline=None)
@given(rows=WORLDS, wheres=st.lists(WHERES, min_size=4, max_size=8))
def test_the_vectors_on_disk_are_filtered_as_the_predicate_does(
    table: Path, rows: list[Facets], wheres: list[Where]
) -> None:
    vectors = Vectors(table / "vectors", "d" * 64, DIMENSIONS, resident_rows=-1, run=run_here)
    vectors.drop(_IDS)
    vectors.put([VectorEntry.of(row, "h", unit_vectors(1, number)) for number, row in enumerate(rows)])
    vectors.flush()
    for where in wheres:
        assert {hit.memory_id for hit in vectors.search(_QUERY, 10, where)} == _by_predicate(rows, where)


def test_what_one_project_may_see_another_that_is_spelled_alike_may_not() -> None:
    row = Facets("m1", scope="project", project="shop", tags=frozenset({"auth/jwt"}))
    assert to_predicate(Where(projects=("Shop",), tags=("AUTH",)))(row), "a filter is typed by people"
    assert not to_predicate(Where(reaches=(Reach("project", ("Shop",)),)))(row), "a reach is a wall"


def test_only_active_memories_unless_a_status_is_named() -> None:
    deleted = Facets("m1", status="deleted")
    assert not to_predicate(Where(active_only=True))(deleted)
    assert to_predicate(Where(active_only=True, statuses=("deleted",)))(deleted)
