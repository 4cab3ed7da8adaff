from __future__ import annotations

import pytest

from helix.errors import BadValue
from helix.memory.maintenance.consolidate import Consolidator
from tests.memory.world import World, record


def proposals(world: World) -> dict[str, list[tuple[str, str | None]]]:
    found: dict[str, list[tuple[str, str | None]]] = {}
    for one in world.service.consolidate(dry_run=True)["proposals"]:
        found.setdefault(one["what"], []).append((one["memory"], one["other"]))
    return found


def test_a_tidy_vault_has_nothing_to_propose(world: World) -> None:
    world.add("The API listens on 8080")
    world.add("Prefer pnpm over npm", kind="preference")
    assert proposals(world) == {}


def test_an_exact_double_that_came_from_outside_is_superseded_by_the_older_one_and_says_why(
    world: World,
) -> None:
    world.put(
        "old.md", record("mem_old", "The cache is cleared every hour", title="Cache", created_at="2026-01-01")
    )
    text = record(
        "mem_new", "The cache is  cleared every hour", title="Cache", created_at="2026-02-01", tags="[web]"
    )
    world.put("new.md", text)
    before = world.files()
    assert proposals(world) == {"duplicate": [("mem_new", "mem_old")]}
    assert world.files() == before, "a dry run writes nothing"
    done = world.service.consolidate()
    assert [one["memory"] for one in done["applied"]] == ["mem_new"]
    assert world.found("cache cleared") == ["mem_old"]
    assert "helix-consolidation" in world.read("mem_new")
    assert "[[mem_new]]" in world.read("mem_old")
    assert "web" in world.read("mem_old")
    assert world.service.consolidate()["applied"] == []


def test_a_person_who_brings_a_double_back_is_not_fought(world: World) -> None:
    world.put(
        "old.md", record("mem_old", "The cache is cleared every hour", title="Cache", created_at="2026-01-01")
    )
    world.put(
        "new.md", record("mem_new", "The cache is cleared every hour", title="Cache", created_at="2026-02-01")
    )
    world.service.consolidate()
    path = world.folder / "new.md"
    path.write_text(path.read_text().replace("status: superseded", "status: active"))
    world.helix.reconciler.reconcile()
    assert world.service.consolidate()["applied"] == []
    assert set(world.found("cache cleared", filters={"id": "mem_new"})) == {"mem_new"}


def test_a_contradiction_is_proposed_and_done_only_when_named(world: World) -> None:
    world.put(
        "old.md", record("mem_old", "The API listens on 8080", title="API port", created_at="2026-01-01")
    )
    world.put(
        "new.md", record("mem_new", "The API listens on 9090", title="API port", created_at="2026-02-01")
    )
    [one] = world.service.consolidate()["proposals"]
    assert (one["what"], one["memory"], one["other"], one["certain"]) == (
        "contradiction",
        "mem_old",
        "mem_new",
        False,
    )
    assert "status: superseded" not in world.read("mem_old")
    [done] = world.service.consolidate(only=[one["id"]])["applied"]
    assert done["id"] == one["id"]
    assert "status: superseded" in world.read("mem_old")
    with pytest.raises(BadValue):
        world.service.consolidate(only=[one["id"]])


def test_what_is_over_or_was_left_lying_or_leads_nowhere_is_proposed(world: World) -> None:
    world.put("a.md", record("mem_over", "The freeze lasts until May", valid_until="2026-05-01"))
    world.put("b.md", record("mem_task", "Renew the certificate", kind="task", updated_at="2026-01-01"))
    world.put("c.md", record("mem_link", "See [[mem_gone]] for the rest"))
    world.put("d.md", record("mem_fresh", "Write the release notes", kind="task", updated_at="2026-11-10"))
    assert proposals(world) == {
        "expired": [("mem_over", None)],
        "stale-task": [("mem_task", None)],
        "dangling-link": [("mem_link", "mem_gone")],
    }
    before = world.files()
    world.service.consolidate()
    assert world.files() == before


def test_neighbours_are_left_alone(world: World) -> None:
    for n, text in enumerate(
        [
            "The staging API listens on 8080",
            "The production API listens on 9090",
            "The admin API listens on 7070",
        ]
    ):
        world.put(f"{n}.md", record(f"mem_{n}", text, title=f"API {n}"))
    assert proposals(world) == {}


def test_what_a_person_changed_since_the_look_is_left_alone(world: World) -> None:
    world.put(
        "old.md", record("mem_old", "The cache is cleared every hour", title="Cache", created_at="2026-01-01")
    )
    world.put(
        "new.md", record("mem_new", "The cache is cleared every hour", title="Cache", created_at="2026-02-01")
    )
    world.put("over.md", record("mem_over", "The fair is open", valid_until="2026-02-01"))
    consolidator = Consolidator(world.service.request())
    found = consolidator.look()
    assert {one.what for one in found} == {"duplicate", "expired"}
    world.put(
        "new.md", record("mem_new", "Lunch is at noon in the garden", title="Lunch", created_at="2026-02-01")
    )
    world.put("over.md", record("mem_over", "The fair is open", valid_until="2027-02-01"))
    before = world.files()
    assert consolidator.apply(found) == []
    assert world.files() == before
