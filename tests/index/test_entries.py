"""From a text to weighted words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.index.entries import Helper, KeywordDoc, to_entries, to_entry

_DOCS = [KeywordDoc(f"m{number}", body=f"word{number} common", hash=str(number)) for number in range(700)]


def test_titles_and_tags_weigh_more_than_the_body() -> None:
    entry = to_entry(KeywordDoc("a", "Retry policy", ("auth",), "The client retries.", "h"))
    assert entry.weights == {"retri": 4, "polici": 3, "auth": 2, "client": 1}
    assert entry.length == 10
    assert (entry.id, entry.hash) == ("a", "h")


def test_other_processes_give_the_same_in_the_same_order() -> None:
    assert list(to_entries(iter(_DOCS), 2)) == list(to_entries(iter(_DOCS), 1))


def test_the_work_of_a_process_that_was_killed_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Helper.to_entries
    calls = iter(range(10))

    def breaking(helper: Helper, batch: list[KeywordDoc]) -> object:
        if next(calls) == 1:
            helper.process.kill()
            helper.process.wait()
        return ask(helper, batch)

    monkeypatch.setattr(Helper, "to_entries", breaking)
    assert list(to_entries(iter(_DOCS), 2)) == list(to_entries(iter(_DOCS), 1))


def test_a_build_that_is_broken_off_leaves_no_process_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    helpers: list[Helper] = []
    enter = Helper.__enter__

    def noted(helper: Helper) -> Helper:
        helpers.append(helper)
        return enter(helper)

    monkeypatch.setattr(Helper, "__enter__", noted)

    def documents() -> Iterator[KeywordDoc]:
        yield from _DOCS
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(to_entries(documents(), 2))
    assert [helper.process.poll() is None for helper in helpers] == [False, False]


def test_other_processes_take_no_module_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody stands in a vault that a stranger shared."""
    for name in sys.stdlib_module_names:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'a').write(__name__)\n")
    monkeypatch.chdir(tmp_path)
    assert len(list(to_entries(iter(_DOCS), 2))) == len(_DOCS)
    assert not (tmp_path / "sprung").exists()
