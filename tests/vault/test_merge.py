"""Two versions of one record become one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helix.vault import frontmatter
from helix.vault.frontmatter import Document
from helix.vault.merge import erased_record, fold, is_erased, lacks_base, merge, state_of, with_ancestors
from helix.vault.note import Note, ancestors_of, status_of
from helix.vault.revision import Edit, revise
from tests.scale import scaled

ID = "mem_2026-01-01_pump_abcdef"
LATE = "2026-02-01T00:00:00Z"


def _version(body: str = "text\n", rev: tuple[str, ...] = (), **meta: Any) -> Document:
    said = {"id": ID, "title": "Pump", "updated_at": "2026-01-01T00:00:00Z", **meta}
    return frontmatter.parse(frontmatter.create({**said, "rev": with_ancestors(said, body, rev)}, body))


def _nothing(state: str) -> Document | None:
    return None


def _knows(*documents: Document) -> Any:
    return {state_of(document): document for document in documents}.get


def test_a_typed_status_erases_nothing_and_both_texts_survive() -> None:
    typed = _version("the pump leaks\n", status="erased")
    active = _version("the pump leaks\nand one more line\n", status="active")
    for one, other in ((typed, active), (active, typed)):
        merged = fold(merge(one, other, _nothing), [one, other])
        assert merged.body == "the pump leaks\nand one more line\n"
        assert merged.meta["title"] == "Pump"
        assert status_of(merged.meta) == "erased"  # hidden, as the person wished, until they type it back
        assert not is_erased(merged)


def test_a_typed_status_that_was_typed_back_shows_the_memory_again() -> None:
    typed = _version(status="erased")
    back = _version(rev=(state_of(typed),), status="active")
    edited = _version("text\nmore\n", rev=(state_of(typed),), status="erased")
    merged = merge(back, edited, _knows(typed))
    assert (status_of(merged.meta), merged.body) == ("active", "text\nmore\n")


def test_a_bare_erased_record_wins_over_every_text_for_good() -> None:
    erased = erased_record(ID, "2026-02-01T00:00:00Z")
    for text in (_version(), _version(status="erased"), _version(updated_at="2027-01-01T00:00:00Z")):
        merged = merge(erased, text, _nothing)
        assert (is_erased(merged), merged.meta["deleted_at"]) == (True, "2026-02-01T00:00:00Z")


@pytest.mark.parametrize(
    ("base", "left", "right", "merged"),
    [
        (["a", "b"], ["a"], ["a", "b", "c"], ["a", "c"]),
        ([], ["x", "y"], ["y", "z"], ["x", "y", "z"]),
    ],
)
def test_a_list_has_what_both_added_and_lacks_what_one_removed(
    base: list[Any], left: list[Any], right: list[Any], merged: list[Any]
) -> None:
    known = _version(things=base)
    newer = _version(rev=(state_of(known),), things=left, updated_at="2026-01-03T00:00:00Z")
    older = _version(rev=(state_of(known),), things=right, updated_at="2026-01-02T00:00:00Z")
    assert _said(merge(newer, older, _knows(known)).meta)["things"] == merged
    if not base:
        assert _said(merge(newer, older, _nothing).meta)["things"] == merged


def _said(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    return meta


def test_a_merge_lacks_its_base_only_when_a_shared_state_is_not_known_here() -> None:
    base = _version("base\n")
    one, two = (_version(f"base\n{word}\n", rev=(state_of(base),)) for word in ("one", "two"))
    later = _version("base\none\nlater\n", rev=(state_of(one), *ancestors_of(one.meta)))
    assert lacks_base([one, two], _nothing)
    assert not lacks_base([one, two], _knows(base))
    assert not lacks_base([one, later], _nothing)  # one descends from the other
    assert not lacks_base([one, _version("stranger\n")], _nothing)
    assert lacks_base([one, later, two], _nothing)


def test_a_fold_lists_every_version_that_went_into_it_also_one_that_said_nothing_new() -> None:
    base = _version("base\n")
    same = _version("base\none\n", rev=(state_of(base),))
    one = _version("base\none\n", updated_at="2026-06-18T10:00:00Z", rev=(state_of(base),))
    later = _version("base\n", updated_at="2026-06-18T11:00:00Z", rev=(state_of(one), state_of(base)))
    versions = [same, one, later]
    first = merge(merge(same, one, _knows(base)), later, _knows(base))
    folded = fold(first, versions)
    assert {state_of(version) for version in versions} <= set(ancestors_of(folded.meta))
    assert merge(folded, same, _knows(base)).body == folded.body, "a late copy brings nothing back"


def test_three_versions_fold_to_the_same_bytes_in_whatever_order_they_were_found() -> None:
    base = _version("base\n")
    versions = [
        _version(f"base\n{word}\nsleep 30\n", rev=(state_of(base),)) for word in ("one", "two", "three")
    ]

    def folded(documents: list[Document]) -> bytes:
        first, *others = sorted(documents, key=frontmatter.emit)
        for other in others:
            first = merge(first, other, _knows(base))
        return frontmatter.emit(fold(first, documents))

    assert folded(versions) == folded(versions[::-1])
    assert folded(versions).count(b"sleep 30\n") == 3


@settings(max_examples=scaled(300), deadline=None)
@given(st.data())
def test_whether_two_copies_lack_their_base_is_what_their_merge_would_find_out(data: st.DataObject) -> None:
    versions = [_version("base\n")]
    for number in range(data.draw(st.integers(1, 8))):
        one, other = data.draw(st.sampled_from(versions)), data.draw(st.sampled_from(versions))
        if data.draw(st.booleans()):
            versions.append(merge(one, other, _knows(*versions)))
        else:
            time = datetime(2026, 1, data.draw(st.integers(1, 28)), tzinfo=UTC)
            versions.append(revise(Note("a.md", one), Edit({}, f"{one.body}{number}\n"), time).document)
    copies = sorted(data.draw(st.tuples(*[st.sampled_from(versions)] * 2)), key=frontmatter.emit)
    known = _knows(*data.draw(st.lists(st.sampled_from(versions))), *copies)
    missed = []

    def find(state: str) -> Document | None:
        if known(state) is None:
            missed.append(state)
        return cast("Document | None", known(state))

    merge(copies[0], copies[1], find)
    assert lacks_base(copies, known) == bool(missed)


def test_of_two_words_for_whom_a_record_is_the_tighter_one_counts() -> None:
    base = _version(visibility="project")
    rev = (state_of(base),)
    for tight, wide in (("private", "team"), ("private", "project"), ("project", "team"), ("mine", "team")):
        for first, second in ((tight, wide), (wide, tight)):
            apart = _version(visibility=first), _version(visibility=second, updated_at=LATE)
            assert merge(*apart, _nothing).meta["visibility"] == tight
            known = _version(visibility=first, rev=rev), _version(visibility=second, rev=rev, updated_at=LATE)
            changed_by_both = "project" not in (first, second)
            expected = tight if changed_by_both else (first if second == "project" else second)
            assert merge(*known, _knows(base)).meta["visibility"] == expected
