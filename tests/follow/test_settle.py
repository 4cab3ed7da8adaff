from __future__ import annotations

from helix.follow.settle import Everything, Settle


def test_a_path_is_due_at_once_and_only_once() -> None:
    settle = Settle()
    settle.add(["a", "b"], 10.0)
    settle.add(["a"], 10.0)
    assert settle.next_due() == 10.0
    assert settle.take(10.0) == {"a", "b"}
    assert settle.take(10.0) == set()
    assert settle.next_due() is None


def test_a_path_that_was_not_ready_is_looked_at_again_after_growing_pauses() -> None:
    settle, now, pauses = Settle(), 0.0, []
    settle.add(["a"], now)
    for _ in range(9):
        settle.take(now)
        settle.again(["a"], now)
        due = settle.next_due()
        assert due is not None
        assert settle.take(due - 0.001) == set()
        pauses.append(round(due - now, 3))
        now = due
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (0.05, 3.0)


def test_after_a_path_was_ready_the_next_pause_is_short_again() -> None:
    settle = Settle()
    for _ in range(5):
        settle.again(["a"], 0.0)
        settle.take(100.0)
    settle.settled(["a"])
    settle.again(["a"], 0.0)
    assert settle.next_due() == 0.05


def test_an_event_is_not_kept_waiting_by_an_earlier_pause() -> None:
    settle = Settle()
    settle.again(["a"], 0.0)
    settle.add(["a"], 0.01)
    assert settle.take(0.01) == {"a"}
    settle.add(["a"], 0.02)
    settle.again(["a"], 0.02)
    assert settle.next_due() == 0.02


def test_everything_takes_all_waiting_paths_with_it() -> None:
    settle = Settle()
    settle.add(["a"], 1.0)
    settle.add_everything(5.0)
    settle.add_everything(2.0)
    settle.add_everything(9.0)
    assert len(settle) == 2
    assert settle.take(1.0) == {"a"}
    settle.add(["b"], 1.5)
    assert settle.take(2.0) is Everything
    assert settle.take(2.0) == set()
