from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helix.errors import IndexNotReady, StaleHash
from helix.memory.tokens import Payload
from tests.memory.world import ME, World, opened, record
from tests.waiting import wait_for

HARBOUR = ["boats", "piers", "ropes", "anchors", "sails", "tides", "masts", "hulls", "gulls", "buoys"]
KITCHEN = ["pans", "bread", "soup", "knives", "ovens", "spoons", "flour", "salt", "butter", "onions"]


def drawn(world: World, **asked: Any) -> Payload:
    def look() -> Payload | None:
        try:
            return world.service.map(caller=ME, **{"max_tokens": 50_000, **asked})
        except IndexNotReady:
            return None

    said = wait_for(look, seconds=30)
    assert said is not None
    return said


@pytest.mark.model
def test_the_map_shows_what_is_embedded_names_its_clusters_and_stays_as_it_is(tmp_path: Path) -> None:
    with opened(tmp_path, model="bundled") as world:
        for topic, words in (("harbour", HARBOUR), ("kitchen", KITCHEN)):
            for word in words:
                text = f"In the {topic} the {word} are looked after by the {topic} master every morning"
                world.put(
                    f"{word}.md", record(f"mem_{word}", text, title=f"{topic.title()} {word}", project=topic)
                )
        world.put("gone.md", record("mem_gone", "The harbour cat", status="deleted"))
        assert world.recall.index.wait_until_embedded(60)
        said = drawn(world)
        points = {one["id"]: one for one in said["points"]}
        assert points.keys() == {f"mem_{word}" for word in (*HARBOUR, *KITCHEN)}
        assert all(-1 <= one["x"] <= 1 and -1 <= one["y"] <= 1 for one in points.values())
        assert said["waiting"] == 0
        named = {one["cluster"]: one for one in said["clusters"]}
        assert sum(one["count"] for one in named.values()) == 20
        for topic, words in (("harbour", HARBOUR), ("kitchen", KITCHEN)):
            around = [named[points[f"mem_{word}"]["cluster"]]["terms"] for word in words]
            assert sum(topic in terms for terms in around) >= 8
        assert drawn(world)["points"] == said["points"]
        assert {one["project"] for one in drawn(world, project="kitchen")["points"]} == {"kitchen"}
        _pages(world, said)
        # What was forgotten a moment ago is not shown, on the map that was drawn before, too.
        world.service.forget("mem_boats", mode="hard")
        left = drawn(world)
        assert "mem_boats" not in {one["id"] for one in left["points"]}
        assert "boats" not in str(left)
    [kept] = (tmp_path / "state").rglob("map.json")
    assert "Kitchen" not in kept.read_text("utf-8")
    with opened(tmp_path, model="bundled") as world:
        assert world.recall.index.wait_until_embedded(60)  # the last few come from the cache
        again = {one["id"]: one for one in drawn(world)["points"]}
        moved = [
            abs(again[one]["x"] - points[one]["x"]) + abs(again[one]["y"] - points[one]["y"]) for one in again
        ]
        assert sorted(moved)[len(moved) // 2] < 0.3


def _pages(world: World, whole: Payload) -> None:
    seen: list[Payload] = []
    cursor: str | None = None
    while True:
        page = drawn(world, limit=6, max_tokens=700, cursor=cursor)
        assert page["tokens_used"] <= 700
        assert ("clusters" in page) == (cursor is None)
        seen += page["points"]
        if (cursor := page["next_cursor"]) is None:
            break
    assert seen == whole["points"]
    with pytest.raises(StaleHash):
        world.service.map(caller=ME, cursor="3.othermap")


def test_without_a_model_there_is_an_empty_map_that_says_so(world: World) -> None:
    world.put("a.md", record("mem_a", "Text"))
    said = drawn(world)
    assert said["points"] == []
    assert said["method"].startswith("none")
