"""From a text to weighted words."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from unittest import mock

from helix.index.entries import KeywordDoc, to_entries, to_entry

_DOCS = [KeywordDoc(f"m{number}", body=f"word{number} common", hash=str(number)) for number in range(700)]


def test_titles_and_tags_weigh_more_than_the_body() -> None:
    entry = to_entry(KeywordDoc("a", "Retry policy", ("auth",), "The client retries.", "h"))
    assert entry.weights == {"retri": 4, "polici": 3, "auth": 2, "client": 1}
    assert entry.length == 10
    assert (entry.id, entry.hash) == ("a", "h")


def test_other_processes_give_the_same_in_the_same_order() -> None:
    assert list(to_entries(iter(_DOCS), 2)) == list(to_entries(iter(_DOCS), 1))


def test_the_work_of_a_process_that_was_killed_is_done_here() -> None:
    submit = ProcessPoolExecutor.submit
    calls = iter(range(10))

    def breaking(pool: ProcessPoolExecutor, act: object, batch: list[KeywordDoc]) -> object:
        if next(calls) == 1:
            raise BrokenProcessPool
        return submit(pool, act, batch)  # type: ignore[arg-type]

    with mock.patch.object(ProcessPoolExecutor, "submit", breaking):
        assert list(to_entries(iter(_DOCS), 2)) == list(to_entries(iter(_DOCS), 1))
