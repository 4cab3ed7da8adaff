from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from helix.errors import BadValue, StaleHash
from helix.memory.budget import NO_HEAD
from helix.memory.pagination import Pages
from helix.memory.writing.amend import Amendment
from tests.memory.world import ME, World, opened, record
from tests.residue import residue
from tests.scale import scaled


def fill(world: World, count: int = 40) -> list[str]:
    for n in range(count):
        world.put(f"m{n}.md", record(f"mem_{n}", f"The cache of service {n} is cleared every {n} hours"))
    return [f"mem_{n}" for n in range(count)]


@pytest.mark.parametrize("verb", ["search", "recent"])
def test_writes_between_two_pages_make_nothing_repeat_and_nothing_be_skipped(
    tmp_path: Path, verb: str
) -> None:
    for seed in range(scaled(4)):
        chance = random.Random(seed)
        with opened(tmp_path / f"{verb}-{seed}") as world:
            everything = set(fill(world))
            seen: list[str] = []
            cursor, forgotten = None, set()
            while True:
                page = (
                    world.service.search("cache cleared", caller=ME, limit=7, max_tokens=4_000, cursor=cursor)
                    if verb == "search"
                    else world.service.recent(caller=ME, limit=7, max_tokens=4_000, cursor=cursor)
                )
                seen += [one["id"] for one in page["results"]]
                cursor = page["next_cursor"]
                if cursor is None:
                    break
                world.add(f"The cache of unit {chance.random()} is cleared never", scope="global", force=True)
                victim = f"mem_{chance.randrange(40)}"
                if victim in forgotten:
                    continue
                if chance.random() < 0.5:
                    world.service.update(
                        victim, Amendment(text=f"The cache was cleared {chance.random()} and so on")
                    )
                elif victim not in seen:
                    world.service.forget(victim)
                    forgotten.add(victim)
            assert len(seen) == len(set(seen))
            assert set(seen) == everything - (forgotten - set(seen))
            assert not forgotten & set(seen)


def test_a_cursor_holds_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        fill(world, 10)
        first = world.service.recent(caller=ME, limit=4)
    with opened(tmp_path) as world:
        second = world.service.recent(caller=ME, limit=50, cursor=first["next_cursor"])
        ids = [one["id"] for one in (*first["results"], *second["results"])]
        assert sorted(ids) == sorted(f"mem_{n}" for n in range(10))


def test_the_same_question_gets_the_same_answer_to_the_letter(world: World) -> None:
    fill(world, 30)
    ask = {"caller": ME, "limit": 5, "max_tokens": 900}
    assert world.service.search("cache", **ask) == world.service.search("cache", **ask)
    assert world.service.context("clear the cache", caller=ME) == world.service.context(
        "clear the cache", caller=ME
    )


def test_a_cursor_that_nobody_gave_out_is_refused(world: World) -> None:
    fill(world, 10)
    good = world.service.recent(caller=ME, limit=4)["next_cursor"]
    for cursor in ("", "nonsense", "nonsense.4", f"{good}x", f"{good.partition('.')[0]}.-1", "a" * 10_000):
        with pytest.raises(BadValue) as refused:
            world.service.recent(caller=ME, cursor=cursor)
        assert refused.value.code == "bad-cursor"
    with pytest.raises(BadValue):
        world.service.search("cache", caller=ME, cursor=good)


def test_a_cursor_into_a_text_that_changed_meanwhile_says_so(world: World) -> None:
    world.put("long.md", record("mem_long", "A sentence about caches. " * 200))
    page = world.service.get("mem_long", max_tokens=400)
    world.service.update("mem_long", Amendment(text="Another sentence about caches. " * 200))
    with pytest.raises(StaleHash):
        world.service.get("mem_long", max_tokens=400, cursor=page["next_cursor"])


def test_only_so_many_listings_are_kept(tmp_path: Path) -> None:
    kept = Pages(tmp_path / "pages.db")
    pages = kept.of("local")
    listings = [pages.start("recent", [[n]]) for n in range(2_200)]
    for listing in listings:
        pages.keep(listing)
    assert pages.find("recent", f"{listings[-1].key}.0").entries == [[2_199]]
    with pytest.raises(BadValue):
        pages.find("recent", f"{listings[0].key}.0")
    kept.close()


def test_a_listing_of_ids_is_written_with_the_next_scan_and_holds_after_a_crash_from_then_on(
    tmp_path: Path,
) -> None:
    kept = Pages(tmp_path / "pages.db")
    listing = kept.of("local").start("recent", [["mem_1"], ["mem_2"]])
    kept.of("local").keep(listing)
    assert kept.of("local").find("recent", f"{listing.key}.1").entries == [["mem_1"], ["mem_2"]]
    kept.write_again()
    after = Pages(tmp_path / "pages.db")  # beside the first, which is never closed
    assert after.of("local").find("recent", f"{listing.key}.1").start == 1
    with pytest.raises(BadValue):
        after.of("somebody else").find("recent", f"{listing.key}.1")
    after.close()
    kept.close()


def test_what_was_forgotten_between_two_pages_is_in_the_second_one_of_no_verb(world: World) -> None:
    for n in range(4):
        world.put(f"{n}.md", record(f"mem_{n}", f"Note {n}", relates_to='["[[mem_0]]"]' if n else "[]"))
    graph = world.service.graph(caller=ME, limit=1)
    around = world.service.neighbors("mem_0", limit=1)
    asked = world.service.neighbors("mem_0", limit=1, include_deleted=True)
    world.service.forget("mem_3")
    rest = world.service.graph(caller=ME, cursor=graph["next_cursor"])
    assert "mem_3" not in [one["id"] for one in rest["nodes"]]
    assert "mem_3" not in str(rest["edges"])
    found = world.service.neighbors("mem_0", cursor=around["next_cursor"])["neighbors"]
    assert [one["id"] for one in found] == ["mem_2"]
    found = world.service.neighbors("mem_0", cursor=asked["next_cursor"])["neighbors"]
    assert [one["id"] for one in found] == ["mem_2", "mem_3"]


def test_a_cursor_into_a_listing_that_quotes_is_refused_after_an_erasure(
    tmp_path: Path, world: World
) -> None:
    world.put("a.md", record("mem_a", "See [[Zqlinkone of things]] and [[Zqlinktwo]]", tags="[zqtagword]"))
    world.put("b.md", record("mem_b", "Another text about things"))
    pages = {
        "graph": world.service.graph(caller=ME, limit=1),
        "neighbors": world.service.neighbors("mem_a", limit=1),
        "stats": world.service.stats(caller=ME, max_tokens=64),
    }
    recent = world.service.recent(caller=ME, limit=1)
    assert residue("zqlink", tmp_path / "state")
    world.service.forget("mem_a", mode="hard")
    ask = {
        "graph": partial(world.service.graph, caller=ME),
        "neighbors": partial(world.service.neighbors, "mem_a"),
        "stats": partial(world.service.stats, caller=ME),
    }
    for verb, page in pages.items():
        with pytest.raises(BadValue) as refused:
            ask[verb](cursor=page["next_cursor"])
        assert refused.value.code == "bad-cursor"
    rest = world.service.recent(caller=ME, cursor=recent["next_cursor"])  # a listing of ids holds
    assert "mem_a" not in str(rest)
    world.recall.index.tend(tidy=False)
    assert residue("zqlink", tmp_path / "state") == []
    assert residue("zqtag", tmp_path / "state") == []


def test_a_listing_that_was_found_before_an_erasure_and_kept_after_it_is_not_kept(
    tmp_path: Path, world: World
) -> None:
    world.put("a.md", record("mem_a", "See [[Zqlinkone of things]] and [[Zqlinktwo]]"))
    request = world.service.request()

    def entries(_: object) -> list[list[str]]:
        found = [["mem_a", "Zqlinkone of things"], ["mem_a", "Zqlinktwo"]]
        world.service.forget("mem_a", mode="hard")
        return found

    _, listing = request.listed("neighbors", request.view(), None, entries)
    page = request.page(
        "neighbors", listing, lambda entry: {"id": entry[0]},
        lambda _, items, end: {"neighbors": list(items), **end}, head=NO_HEAD, limit=1, max_tokens=500,
    )  # fmt: skip
    with pytest.raises(BadValue) as refused:
        world.service.neighbors("mem_a", cursor=page["next_cursor"])
    assert refused.value.code == "bad-cursor"
    world.recall.index.tend(tidy=False)
    assert residue("zqlink", tmp_path / "state") == []


def test_listings_are_kept_within_a_number_of_bytes_and_the_latest_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("helix.memory.pagination.BYTES_KEPT", 200_000)
    kept, chance = Pages(tmp_path / "pages.db"), random.Random(1)
    pages = kept.of("local")
    listings = [
        pages.start("graph", [[f"mem_{chance.random()}", n] for n in range(1_000)]) for _ in range(60)
    ]
    for listing in listings:
        pages.keep(listing)
    kept.empty_log()
    assert (tmp_path / "pages.db").stat().st_size < 400_000
    assert pages.find("graph", f"{listings[-1].key}.0").entries == listings[-1].entries
    with pytest.raises(BadValue) as refused:
        pages.find("graph", f"{listings[0].key}.0")
    assert refused.value.code == "bad-cursor"
    kept.close()
