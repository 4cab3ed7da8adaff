from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helix.vault import files as files_module
from helix.vault import leftovers as leftovers_module
from helix.vault.syscalls import exchange
from tests.scale import scaled
from tests.vault import races
from tests.vault.races import STYLES, Save, Tally

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the editor is forked")

PER_NOTE = 100


def slow_exchange(fd: int | None, one: str, other: str) -> None:
    """Keep the instant between check and swap open for long enough to be hit often."""
    time.sleep(0.001)
    exchange(fd, one, other)


def no_exchange(fd: int | None, one: str, other: str) -> None:
    time.sleep(0.001)
    raise OSError(22, "Invalid argument")


def no_links(*args: object, **kwargs: object) -> None:
    raise OSError(1, "Operation not permitted")


@contextmanager
def nobody_can_tell(fd: int) -> Iterator[bool]:
    yield True


def play(folder: Path, style: Save, rounds: int) -> Tally:
    tally = Tally()
    for number in range(rounds):
        place = folder / str(number)
        place.mkdir()
        races.run(place, style, PER_NOTE, seed=number, tally=tally)
    print(style.__name__, tally)
    return tally


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_no_save_of_a_person_is_lost(tmp_path: Path, style: Save) -> None:
    tally = play(tmp_path, style, scaled(2))
    assert (tally.lost, tally.unsettled) == (0, 0)
    assert tally.writes > 0


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_no_save_is_lost_in_the_instant_before_the_swap(
    tmp_path: Path, style: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "_exchange", slow_exchange)
    tally = play(tmp_path, style, scaled(2))
    assert (tally.lost, tally.unsettled) == (0, 0)
    assert tally.late_saves > 0, "the instant was never hit, so nothing was shown"


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
def test_waiting_alone_loses_no_save_where_writers_cannot_be_seen(
    tmp_path: Path, style: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers_module, "without_writers", nobody_can_tell)
    tally = play(tmp_path, style, scaled(1))
    assert (tally.lost, tally.unsettled) == (0, 0)


@pytest.mark.parametrize("style", STYLES[:3], ids=lambda style: style.__name__)
def test_without_exchange_an_editor_that_writes_into_the_file_loses_no_save(
    tmp_path: Path, style: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "_exchange", no_exchange)
    tally = play(tmp_path, style, scaled(1))
    assert (tally.lost, tally.unsettled) == (0, 0)


def test_this_race_can_see_a_loss_when_swap_and_links_are_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "_exchange", no_exchange)
    monkeypatch.setattr(os, "link", no_links)
    assert play(tmp_path, races.rename_over, 3).lost > 0
