"""Properties that a note has beside those of the record format."""

from __future__ import annotations

from typing import Any

import pytest

from helix.errors import BadValue, KeyReused, SecretRefused
from helix.memory.writing.amend import Amendment
from helix.memory.writing.write import NewText
from tests.memory.world import ME, World

OWN: dict[str, Any] = {"namespace": "ops", "confidence": 0.5, "metadata": {"ticket": "OPS-7", "seen": [1, 2]}}


def test_they_stand_in_the_note_and_are_filtered_by(world: World) -> None:
    made = world.service.write(NewText("The backup of the harbour runs at three", extra=OWN), ME)
    world.service.write(NewText("The backup of the quay runs at five", extra={"namespace": "a, b"}), ME)
    note = world.service.get(made["id"])
    assert note["extra"] == OWN
    assert "namespace: ops" in world.read(made["id"])
    for filters in ({"namespace": "ops"}, {"namespace": "x,OPS"}, {"confidence": "0.5", "kind": "fact"}):
        assert world.found("backup", filters=filters) == [made["id"]]
        listed = world.service.recent(caller=ME, filters=filters, scope="all")["results"]
        assert [memory["id"] for memory in listed] == [made["id"]]
    assert len(world.found("backup", filters={"namespace": "a, b"})) == 1
    assert world.found("backup", filters={"namespace": "x"}) == []


def test_an_update_sets_some_takes_some_away_and_leaves_the_rest(world: World) -> None:
    made = world.service.write(NewText("The backup of the harbour runs at three", extra=OWN), ME)
    world.service.update(made["id"], Amendment(extra={"namespace": "night", "confidence": None}))
    assert world.service.get(made["id"])["extra"] == {"namespace": "night", "metadata": OWN["metadata"]}


@pytest.mark.parametrize(
    "extra",
    [
        {"owner": "mallory"},
        {"visibility": "team"},
        {"Members": ["me"]},
        {"name": "x"},
        {"id": "mem_x"},
        {"two words": 1},
        {"": 1},
        {"x" * 65: 1},
        {"x": "y" * 20000},
        {"x": float("nan")},
        {"x": object()},
    ],
)
def test_what_has_a_meaning_is_no_ones_own_and_neither_is_what_cannot_be_kept(
    world: World, extra: dict[str, Any]
) -> None:
    with pytest.raises(BadValue):
        world.service.write(NewText("The backup of the harbour runs at three", extra=extra), ME)
    made = world.service.write(NewText("The lamp of the harbour is red"), ME)
    before = world.read(made["id"])
    with pytest.raises(BadValue):
        world.service.update(made["id"], Amendment(extra=extra))
    assert world.read(made["id"]) == before


def test_nobody_takes_the_owner_away(world: World) -> None:
    made = world.service.write(NewText("The lamp of the harbour is red"), ME)
    with pytest.raises(BadValue, match="owner"):
        world.service.update(made["id"], Amendment(extra={"owner": None}))


def test_a_credential_in_one_is_refused_and_a_retry_with_another_one_is_no_retry(world: World) -> None:
    text = "The backup of the harbour runs at three"
    with pytest.raises(SecretRefused):
        world.service.write(NewText(text, extra={"note": "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"}), ME)
    made = world.service.write(NewText(text, idempotency_key="k", extra={"namespace": "a"}), ME)
    again = world.service.write(NewText(text, idempotency_key="k", extra={"namespace": "a"}), ME)
    assert (again["id"], again["status"]) == (made["id"], "noop")
    with pytest.raises(KeyReused):
        world.service.write(NewText(text, idempotency_key="k", extra={"namespace": "b"}), ME)
