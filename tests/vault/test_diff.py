from __future__ import annotations

from helix.vault.diff import diff
from helix.vault.walk import Signature

ONE, OTHER = Signature(1, 1, 1, 1), Signature(1, 1, 1, 2)


def test_what_is_new_changed_and_gone_comes_in_the_order_of_paths() -> None:
    disk = {"d": ONE, "c": OTHER, "b": ONE, "a": ONE, "same": ONE}
    catalog = {"z": ONE, "y": ONE, "same": ONE, "c": ONE, "b": OTHER}
    found = diff(disk, catalog)
    assert (found.new, found.changed, found.gone) == (["a", "d"], ["b", "c"], ["y", "z"])


def test_equal_listings_differ_in_nothing() -> None:
    found = diff({"a": ONE}, {"a": ONE})
    assert not (found.new)
    assert not (found.changed)
    assert not (found.gone)
