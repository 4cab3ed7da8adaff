from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest

from helix.vault import ids

NOON = datetime(2026, 6, 18, 12, tzinfo=UTC)


def test_a_new_id_holds_the_date_in_utc_and_the_words_of_the_title() -> None:
    late = datetime(2026, 6, 18, 23, 30, tzinfo=timezone(-timedelta(hours=2)))
    assert re.fullmatch(
        r"mem_2026-06-19_auth-retry_[a-z2-7]{6}", ids.new_id("Auth: retry!", late, lambda _: False)
    )


def test_an_id_that_differs_only_in_case_counts_as_taken() -> None:
    asked = []

    def taken(candidate: str) -> bool:
        asked.append(candidate)
        return len(asked) < 4

    found = ids.new_id("Übergröße", NOON, taken)
    assert all(candidate == candidate.casefold() for candidate in asked)
    assert found.casefold() == asked[-1]
    assert len({len(candidate) for candidate in asked}) == 4, "every collision makes the next one less likely"


@pytest.mark.parametrize("title", ["", "  ", "日本語", "!!!", "../../etc/passwd", "a/b\\c", "x" * 500])
def test_an_id_is_always_a_safe_file_name(title: str) -> None:
    assert re.fullmatch(r"mem_2026-06-18_[a-z0-9-]+_[a-z2-7]{6}", ids.new_id(title, NOON, lambda _: False))


def test_the_id_of_a_file_without_one_is_the_same_for_composed_and_decomposed_names() -> None:
    composed = unicodedata.normalize("NFC", "notes/Café.md")
    assert ids.derived_id(composed) == ids.derived_id(unicodedata.normalize("NFD", composed))


def test_the_id_of_a_file_without_one_depends_on_its_folder_too() -> None:
    assert ids.derived_id("a/todo.md") != ids.derived_id("b/todo.md")
    assert ids.derived_id("a/todo.md").startswith("file_todo_")


def test_every_derived_id_can_be_used_in_a_link() -> None:
    assert all(map(ids.is_usable, (ids.derived_id("a [b]#c|d.md"), ids.stub_id("mem_a", "x (1).md"))))


@pytest.mark.parametrize("value", ["mem_a", "202606181200", "Kraków-notes", "x" * 200])
def test_an_id_of_a_person_is_usable(value: str) -> None:
    assert ids.is_usable(value)


@pytest.mark.parametrize(
    "value", ["", "two words", "a/b", "a|b", "a#b", "[[a]]", "x" * 201, "a\nb", 12, None, True, ["a"]]
)
def test_what_fits_in_no_link_or_file_name_is_not_an_id(value: object) -> None:
    assert not ids.is_usable(value)
