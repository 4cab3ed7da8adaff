"""What writers were compared with lately: it goes with the memory, also while somebody is comparing."""

from __future__ import annotations

from helix.memory.judgement.resemble import ComparedMemory
from helix.memory.writing.compared_texts import _FORGOTTEN, ComparedTexts

OLD = ComparedMemory("", "The harbour opens at six.")


def test_a_text_is_found_under_its_id_and_hash() -> None:
    texts = ComparedTexts()
    texts.keep("mem_a", "1", OLD, read_at=texts.moment())
    assert texts.find("mem_a", "1") is OLD
    assert texts.find("mem_a", "2") is None


def test_a_text_that_was_read_before_its_memory_was_forgotten_is_not_kept() -> None:
    texts = ComparedTexts()
    before = texts.moment()
    texts.forget(["mem_a"])
    texts.keep("mem_a", "1", OLD, read_at=before)
    texts.keep("mem_b", "1", OLD, read_at=before)
    assert texts.find("mem_a", "1") is None
    assert texts.find("mem_b", "1") is OLD  # nothing happened to this one


def test_a_memory_that_was_read_after_it_changed_is_kept_again() -> None:
    texts = ComparedTexts()
    texts.forget(["mem_a"])
    texts.keep("mem_a", "2", OLD, read_at=texts.moment())
    assert texts.find("mem_a", "2") is OLD


def test_also_when_very_many_were_forgotten_meanwhile() -> None:
    texts = ComparedTexts()
    before = texts.moment()
    texts.forget(["mem_a"])
    for number in range(_FORGOTTEN):
        texts.forget([f"mem_{number}"])
    texts.keep("mem_a", "1", OLD, read_at=before)
    assert texts.find("mem_a", "1") is None
