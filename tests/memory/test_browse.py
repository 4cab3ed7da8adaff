from __future__ import annotations

import threading
from pathlib import Path

import pytest

from helix.errors import BadValue, MemoryNotFound
from helix.memory.place import Place
from tests.memory.world import ME, World, opened, record
from tests.vault.git_sandbox import Sandbox


def test_get_shows_all_there_is_with_a_persons_own_keys(world: World) -> None:
    world.put(
        "a.md",
        record(
            "mem_a", "Text.\n\n#inline", tags="[one]", mood="fine", depends_on='["[[mem_b]]"]', importance=0.7
        ),
    )
    said = world.service.get("mem_a")
    assert said["tags"] == ["one", "inline"]
    assert said["edges"] == [{"rel": "depends_on", "to": "mem_b"}]
    assert said["extra"] == {"mood": "fine"}
    assert (said["importance"], said["path"]) == (0.7, "a.md")
    brief = world.service.get("mem_a", response_format="concise")
    assert set(brief) == {"id", "title", "text", "truncated", "next_cursor", "tokens_used"}
    assert world.service.get("MEM_A")["id"] == "mem_a"


def test_what_is_forgotten_or_replaced_is_shown_only_to_who_asks_for_it(world: World) -> None:
    old = world.add("The API listens on 8080")["id"]
    new = world.add("The API listens on 9090")["id"]
    with pytest.raises(MemoryNotFound, match=new):
        world.service.get(old)
    assert world.service.get(old, include_deleted=True)["status"] == "superseded"
    world.service.forget(new)
    with pytest.raises(MemoryNotFound, match="restore"):
        world.service.get(new)
    assert world.service.recent(caller=ME)["results"] == []
    assert len(world.service.recent(caller=ME, include_deleted=True)["results"]) == 2


@pytest.mark.parametrize("status", ["active", "superseded", "deleted", "erased"])
def test_who_asks_for_a_status_sees_what_has_it(world: World, status: str) -> None:
    old = world.add("The API listens on 8080")["id"]
    current = world.add("The API listens on 9090")["id"]
    gone = world.add("The API of the barn owl listens to mice")["id"]
    erased = world.add("The API key lies in the safe of the bank")["id"]
    world.service.forget(gone)
    world.service.forget(erased, mode="hard")
    wanted = {"active": current, "superseded": old, "deleted": gone, "erased": erased}[status]
    listed = world.service.recent(caller=ME, filters={"status": status}, scope="all")["results"]
    assert [one["id"] for one in listed] == [wanted]
    assert world.found("API", filters={"status": status}) == ([] if status == "erased" else [wanted])


def test_reading_at_a_scope_sees_it_and_the_wider_ones(world: World) -> None:
    where = {
        "everywhere": world.add("Deploys need two approvals", scope="global")["id"],
        "here": world.add("Deploys of billing run at noon")["id"],
        "now": world.add("Deploys are paused in this session", scope="session")["id"],
        "there": world.add("Deploys of auth run at night", Place("auth"))["id"],
        "other session": world.add("Deploys wait for Ana", Place("billing", "s-2"), scope="session")["id"],
    }

    def seen(caller: Place, scope: str) -> set[str]:
        found = set(world.found("deploys", caller, scope=scope))
        listed = {one["id"] for one in world.service.recent(caller=caller, scope=scope, limit=50)["results"]}
        drawn = {one["id"] for one in world.service.graph(caller=caller, scope=scope)["nodes"]}
        assert found == listed == drawn
        return {name for name, memory_id in where.items() if memory_id in found}

    assert seen(ME, "global") == {"everywhere"}
    assert seen(ME, "project") == {"everywhere", "here"}
    assert seen(ME, "session") == {"everywhere", "here", "now"}
    assert seen(Place("auth"), "project") == {"everywhere", "there"}
    assert seen(Place(), "project") == {"everywhere", "here", "there"}
    assert seen(Place(), "all") == set(where)
    with pytest.raises(BadValue):
        world.service.recent(caller=ME, scope="galaxy")


def test_filters_narrow_exactly_also_by_a_persons_own_keys(world: World) -> None:
    world.put("a.md", record("mem_a", "Cache rule one", kind="decision", tags="[web/cache]", team="red"))
    world.put("b.md", record("mem_b", "Cache rule two", created_at="2026-05-01", team="blue"))
    assert world.found("cache", filters={"kind": "decision"}) == ["mem_a"]
    assert world.found("cache", filters={"tag": "web"}) == ["mem_a"]
    assert world.found("cache", filters={"after": "2026-04"}) == ["mem_b"]
    assert world.found("cache", filters={"team": "blue"}) == ["mem_b"]
    assert world.found("cache", filters={"team": "blue", "kind": "decision"}) == []
    with pytest.raises(BadValue):
        world.found("cache", filters={"after": "soon"})
    assert [
        one["id"] for one in world.service.recent(caller=ME, filters={"kind": "decision"})["results"]
    ] == ["mem_a"]


def test_recent_is_newest_first_and_today_is_the_last_day(world: World) -> None:
    for day, memory_id in (
        ("2026-11-10", "mem_old"),
        ("2026-11-16T08:00:00Z", "mem_new"),
        ("2026-11-15T20:00:00Z", "mem_mid"),
    ):
        world.put(f"{memory_id}.md", record(memory_id, f"Text {memory_id}", updated_at=day))
    assert [one["id"] for one in world.service.recent(caller=ME)["results"]] == [
        "mem_new",
        "mem_mid",
        "mem_old",
    ]
    assert [one["id"] for one in world.service.today(caller=ME)["results"]] == ["mem_new", "mem_mid"]
    assert [one["id"] for one in world.service.recent(caller=ME, since="2026-11-16")["results"]] == [
        "mem_new"
    ]


def test_the_graph_has_typed_edges_wikilinks_and_shows_what_leads_nowhere(world: World) -> None:
    world.put(
        "a.md", record("mem_a", "See [[Notes on caching]] and [[mem_gone]]", depends_on='["[[mem_b]]"]')
    )
    world.put("b.md", record("mem_b", "Text"))
    world.put("Notes on caching.md", "Just a note.\n")
    graph = world.service.graph(caller=ME)
    edges = {(edge["from"], edge["rel"], edge["to"], edge.get("dangling", False)) for edge in graph["edges"]}
    [note] = [node["id"] for node in graph["nodes"] if node["title"] == "Notes on caching"]
    assert edges == {
        ("mem_a", "depends_on", "mem_b", False),
        ("mem_a", "relates_to", note, False),
        ("mem_a", "relates_to", "mem_gone", True),
    }


def test_every_edge_between_two_memories_is_listed(world: World) -> None:
    world.put("a.md", record("mem_a", "See [[mem_b]]", depends_on='["[[mem_b]]"]'))
    world.put("b.md", record("mem_b", "Text", contradicts='["[[mem_a]]"]'))
    for memory_id, other in (("mem_a", "mem_b"), ("mem_b", "mem_a")):
        [near] = world.service.neighbors(memory_id)["neighbors"]
        assert near["id"] == other
        assert {(one["from"], one["rel"]) for one in (near["edge"], *near["more_edges"])} == {
            ("mem_a", "depends_on"),
            ("mem_a", "relates_to"),
            ("mem_b", "contradicts"),
        }


def test_neighbours_are_found_both_ways_and_as_far_as_asked(world: World) -> None:
    for n in range(5):
        world.put(f"{n}.md", record(f"mem_{n}", f"Link in a chain [[mem_{n + 1}]]"))
    assert [one["id"] for one in world.service.neighbors("mem_2")["neighbors"]] == ["mem_1", "mem_3"]
    far = world.service.neighbors("mem_2", depth=2)["neighbors"]
    assert {one["id"]: one["distance"] for one in far} == {"mem_1": 1, "mem_3": 1, "mem_0": 2, "mem_4": 2}
    for depth in (0, 4):
        with pytest.raises(BadValue):
            world.service.neighbors("mem_2", depth=depth)
    with pytest.raises(MemoryNotFound):
        world.service.neighbors("mem_nothing")


def test_stats_count_by_status_scope_kind_project_and_tag(world: World) -> None:
    world.add("The API listens on 8080", tags=["old"])
    world.add("The API listens on 9090", tags=["api", "ports"])
    world.add("Prefer pnpm over npm", kind="preference", scope="global")
    said = world.service.stats(caller=ME)
    assert said["memories"] == 3
    assert said["by_status"] == {"active": 2, "superseded": 1}
    assert said["by_kind"] == {"fact": 1, "preference": 1}
    assert said["by_project"] == {"billing": 1}
    assert said["by_tag"] == {"api": 1, "ports": 1}


def test_conflicts_name_what_needs_a_person(world: World) -> None:
    world.put("broken.md", "---\nid: mem_x\ntags: [open\n---\nText\n")
    [one] = world.service.conflicts()["conflicts"]
    assert (one["path"], one["code"], one["line"]) == ("broken.md", "yaml-syntax", 3)


def test_a_search_must_not_make_a_file_dirty(world: World) -> None:
    world.put("a.md", record("mem_a", "Cache rule one"))
    before = world.files()
    world.found("cache")
    world.service.context("cache", caller=ME)
    world.service.get("mem_a")
    assert world.files() == before


def test_junk_does_not_fill_a_limit(world: World) -> None:
    for n in range(10):
        world.put(f"{n}.md", record(f"mem_{n}", f"Cache rule {n}"))
    answer = world.service.search("volcano eruptions in Iceland", caller=ME)
    assert answer["results"] == []
    assert answer["note"]


def test_a_memory_is_found_while_an_editor_is_saving_it(world: World) -> None:
    file = world.put("a.md", record("mem_a", "Cache rule one"))
    stop = threading.Event()

    def save_like_vim() -> None:
        while not stop.is_set():
            text = file.read_text()
            file.rename(file.with_name("a.md~"))
            stop.wait(0.002)
            file.write_text("")
            file.write_text(text)
            stop.wait(0.03)

    editor = threading.Thread(target=save_like_vim)
    editor.start()
    try:
        for _ in range(100):
            assert world.service.get("mem_a")["text"] == "Cache rule one"
    finally:
        stop.set()
        editor.join()


def test_the_manifest_of_an_export_is_read_in_pages_to_the_last_entry(world: World) -> None:
    for n in range(30):
        world.put(f"m{n}.md", record(f"mem_{n}", f"Text {n}"))
    page = world.service.strand_manifest(max_tokens=700)
    assert page["counts"]["memories"] == 30
    ids = [one.get("id") for one in page["entries"]]
    while page["next_cursor"] is not None:
        page = world.service.strand_manifest(max_tokens=700, cursor=page["next_cursor"])
        ids += [one.get("id") for one in page["entries"]]
    assert sorted(filter(None, ids)) == sorted(f"mem_{n}" for n in range(30))


def test_the_history_of_what_never_was_is_not_found_and_a_long_name_does_not_break_the_budget(
    tmp_path: Path,
) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    for port in (8080, 9090):
        sandbox.write("a.md", record("mem_a", f"The API listens on {port}"))
        sandbox.save()
    long = "mem_" + "x y " * 2000
    with opened(tmp_path) as world:
        for verb in (world.service.history, world.service.restore):
            with pytest.raises(MemoryNotFound) as refused:
                verb(long)
            assert len(refused.value.message) < 400
        page = world.service.history("mem_a", limit=1)
        rest = world.service.history(long, cursor=page["next_cursor"], max_tokens=300)
        assert rest["id"] == "mem_a"
        assert rest["tokens_used"] <= 300
