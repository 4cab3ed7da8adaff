"""What people type into a search box."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.errors import BadValue
from helix.index.facets import Facets
from helix.index.filters import Values, Where, to_predicate
from helix.index.query import parse

_MADE_AT = datetime(2026, 6, 18, 9, 12, 44, tzinfo=UTC)


def test_filters_phrases_and_negations_are_taken_out_of_the_text() -> None:
    query = parse('tag:auth kind:decision project:billing "exact phrase" -draft -tag:old retry policy')
    assert query.text == "exact phrase retry policy"
    assert query.words == ["exact", "phrase", "retri", "polici"]
    assert query.phrases == ["exact phrase"]
    assert query.without == ["draft"]
    assert query.where == Where(
        tags=("auth",), kinds=("decision",), projects=("billing",), but_not=Values(tags=("old",))
    )


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("Tag:#auth,jwt", Where(tags=("auth", "jwt"))),
        ("tag:auth tag:jwt tag:auth", Where(tags=("auth", "jwt"))),
        ("kind:fact,decision", Where(kinds=("fact", "decision"))),
        ('project:"my project"', Where(projects=("my project",))),
        ("project:“my project”", Where(projects=("my project",))),
        ("status:deleted scope:global", Where(statuses=("deleted",), scopes=("global",))),
        ("unfiled:true", Where(unfiled=True)),
        ("-unfiled:TRUE", Where(unfiled=False)),
        ("unfiled:false", Where(unfiled=False)),
        ("id:mem_2026-06-18_a_b1c2", Where(ids=("mem_2026-06-18_a_b1c2",))),
        ("-status:deleted", Where(but_not=Values(statuses=("deleted",)))),
        ("after:2026", Where(after=datetime(2026, 1, 1, tzinfo=UTC))),
        ("after:2026-06", Where(after=datetime(2026, 6, 1, tzinfo=UTC))),
        ("before:2026-07-01", Where(before=datetime(2026, 7, 1, tzinfo=UTC))),
        ("after:2026-06-18T09:30Z", Where(after=datetime(2026, 6, 18, 9, 30, tzinfo=UTC))),
        ('after:"2026-06-18 09:30"', Where(after=datetime(2026, 6, 18, 9, 30, tzinfo=UTC))),
        ("after:2026 after:2027", Where(after=datetime(2027, 1, 1, tzinfo=UTC))),
        ("-after:2026", Where(before=datetime(2026, 1, 1, tzinfo=UTC))),
    ],
)
def test_a_filter_is_understood(text: str, where: Where) -> None:
    query = parse(text)
    assert query.where == where
    assert query.text == ""


@pytest.mark.parametrize(
    "text",
    [
        *(
            "std::vector",
            "http://example.com/a?b=c",
            "key:value",
            "error: failed",
            "tag:",
            "tag: auth",
            'tag:"open',
        ),
        *(
            'say "hi',
            '5" disk',
            '"',
            '""',
            "-",
            "--",
            "--max-old-space-size",
            "tail -f log",
            "-1",
            "a - b",
            ":",
            "::",
        ),
        *("10:30", "C:\\Users", "{a:1}", "foo:tag:bar", "re: status"),
    ],
)
def test_what_is_no_filter_is_words(text: str) -> None:
    query = parse(text)
    assert query.where == Where()
    assert not query.without
    assert query.text == (text if text != '""' else '""')


def test_a_lone_negation_is_what_is_looked_for() -> None:
    assert parse("-rf").words == ["rf"]
    assert parse("rm -rf").without == ["rf"]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("after:yesterdayish", "after:2026-06-18"),
        ("before:2026-13", "calendar"),
        ("after:2026-02-30", "calendar"),
        ("status:gone", "active, superseded, deleted, erased"),
        ("-scope:universe", "project, global, session"),
        ("unfiled:perhaps", "unfiled:true or unfiled:false"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused_with_advice(text: str, advice: str) -> None:
    with pytest.raises(BadValue, match=advice):
        parse(text)


def test_phrases_are_checked_on_the_text_without_case_accents_and_line_ends() -> None:
    query = parse('"retries  with jitter" -"not this"')
    assert query.fits("Retries\nwith JITTER, always")
    assert not query.fits("jitter with retries")
    assert not query.fits("retries with jitter but not this")
    assert parse("words").fits("anything")


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("", True),
        ("tag:auth", True),
        ("tag:auth tag:other", False),
        ("tag:AUTH/jwt", True),
        ("tag:aut", False),
        ("-tag:auth", False),
        ("-tag:other", True),
        ("kind:fact,decision", True),
        ("kind:fact", False),
        ("project:billing", True),
        ("-project:billing", False),
        ("id:m2", False),
        ("after:2026-06-18", True),
        ("after:2026-06-19", False),
        ("before:2026-06-18", False),
        ("before:2026-06-19", True),
        ("status:active -status:deleted scope:project", True),
    ],
)
def test_filters_accept_the_memories_they_describe(text: str, accepted: bool) -> None:
    row = Facets(
        *("m1", "active", "project", "Billing", "decision"), tags=frozenset({"auth/jwt"}), created=_MADE_AT
    )
    assert to_predicate(parse(text).where)(row) is accepted


def test_a_memory_without_a_time_is_in_no_period() -> None:
    assert not to_predicate(parse("after:1970").where)(Facets("m1"))


@given(st.text())
def test_no_text_without_filters_is_an_error(text: str) -> None:
    harmless = text.replace(":", ";")
    query = parse(harmless)
    assert query.where == Where()


@given(st.text(st.sampled_from('ab "-:tagkind\u201c\n#,'), max_size=40))
def test_pieces_of_syntax_in_any_order_are_no_error(text: str) -> None:
    parse(text)
