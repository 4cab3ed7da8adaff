from __future__ import annotations

import pytest

from helix.errors import (
    BadValue,
    HelixError,
    KeyReused,
    MemoryErased,
    MemoryNotFound,
    SecretRefused,
    StaleHash,
)
from helix.memory.maintenance.consolidate import Consolidator
from helix.memory.place import Place
from helix.memory.writing.amend import Amendment
from tests.memory.world import ME, World, record


def test_an_update_rewrites_the_text_and_leaves_every_other_line(world: World) -> None:
    source = record("mem_a", "The API listens on 8080", tags="[net] # mine", mood="fine").replace(
        "kind: fact", 'kind: "fact"'
    )
    world.put("a.md", source)
    answer = world.service.update("mem_a", Amendment(text="The API listens on 9090"))
    assert answer["status"] == "updated"
    after = world.read("mem_a")
    for line in ('kind: "fact"', "tags: [net] # mine", "mood: fine"):
        assert line in after
    assert "9090" in after
    assert "8080" not in after
    assert world.found("9090") == ["mem_a"]


def test_an_update_based_on_what_is_no_longer_there_leaves_the_file_untouched(world: World) -> None:
    file = world.put("a.md", record("mem_a", "One"))
    with pytest.raises(StaleHash):
        world.service.update("mem_a", Amendment(text="Two"), based_on="0" * 64)
    assert file.read_text() == record("mem_a", "One")


def test_an_update_is_merged_with_a_persons_edit_made_meanwhile(world: World) -> None:
    made = world.add("First line about ports.\n\nLast line about hosts.")
    read = world.service.get(made["id"])
    path = world.folder / read["path"]
    path.write_text(path.read_text().replace("Last line about hosts.", "Last line about hosts and racks."))
    world.helix.reconciler.reconcile()
    world.service.update(
        made["id"],
        Amendment(text="First line about ports and pipes.\n\nLast line about hosts."),
        based_on=read["hash"],
    )
    text = world.read(made["id"])
    assert "ports and pipes" in text
    assert "hosts and racks" in text


def test_an_update_refuses_secrets_empty_texts_and_forgotten_memories(world: World) -> None:
    made = world.add("The API listens on 8080")
    with pytest.raises(SecretRefused):
        world.service.update(made["id"], Amendment(text="password is ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"))
    with pytest.raises(BadValue):
        world.service.update(made["id"], Amendment(text=" "))
    world.service.forget(made["id"])
    with pytest.raises(MemoryErased):
        world.service.update(made["id"], Amendment(text="The API listens on 9090"))
    with pytest.raises(MemoryNotFound):
        world.service.update("mem_nothing", Amendment(text="x"))


def test_forgetting_is_a_tombstone_and_twice_is_nothing_more(world: World) -> None:
    made = world.add("The API listens on 8080")
    assert world.service.forget(made["id"])["status"] == "forgotten"
    before = world.files()
    assert world.service.forget(made["id"])["status"] == "noop"
    assert world.files() == before
    assert world.found("API listens") == []
    assert world.found("API listens", include_deleted=True) == [made["id"]]
    assert world.service.restore(made["id"])["status"] == "restored"
    assert world.service.restore(made["id"])["status"] == "noop"
    assert world.found("API listens") == [made["id"]]


def test_a_hard_forget_leaves_no_word_and_cannot_be_undone(world: World) -> None:
    made = world.add("The zeppelin password is in the vault", title="Zeppelin")
    assert world.service.forget(made["id"], mode="hard")["status"] == "forgotten"
    assert "zeppelin password" not in world.read(made["id"]).lower()
    with pytest.raises(MemoryErased):
        world.service.restore(made["id"])
    assert world.service.forget(made["id"], mode="hard")["status"] == "noop"
    with pytest.raises(BadValue):
        world.service.forget(made["id"], mode="softly")


def test_an_edge_is_made_once_and_shows_in_both_memories(world: World) -> None:
    a, b = world.add("The gateway validates tokens")["id"], world.add("Tokens are signed with Ed25519")["id"]
    made = world.service.relate(a, b, "depends_on")
    assert made == {"edge_id": f"{a}--depends_on--{b}", "status": "created"}
    assert world.service.relate(a, b, "depends_on")["status"] == "noop"
    assert f"[[{b}]]" in world.read(a)
    assert world.service.neighbors(b)["neighbors"][0]["id"] == a
    with pytest.raises(BadValue):
        world.service.relate(a, b, "likes")
    with pytest.raises(BadValue):
        world.service.relate(a, a, "refines")
    with pytest.raises(MemoryNotFound):
        world.service.relate(a, "mem_nothing", "refines")


def test_relating_as_superseded_takes_the_old_one_out_of_the_answers(world: World) -> None:
    a, b = world.add("Releases go out on Tuesdays")["id"], world.add("Shipping happens weekly, by hand")["id"]
    world.service.relate(a, b, "supersedes")
    assert world.found("shipping by hand") == []
    with pytest.raises(MemoryNotFound, match=a):
        world.service.get(b)


def test_keys_make_changes_safe_to_repeat(world: World) -> None:
    made = world.add("The API listens on 8080")
    assert world.service.forget(made["id"], idempotency_key="f-1")["status"] == "forgotten"
    world.service.restore(made["id"])
    assert world.service.forget(made["id"], idempotency_key="f-1")["status"] == "noop"
    assert world.found("API listens") == [made["id"]]
    with pytest.raises(KeyReused):
        world.service.forget(made["id"], mode="hard", idempotency_key="f-1")


def test_two_memories_cannot_replace_each_other(world: World) -> None:
    for name in ("a", "b", "c"):
        world.put(f"{name}.md", record(f"mem_{name}", f"The {name} server listens on 8080"))
    world.service.relate("mem_b", "mem_a", "supersedes")
    world.service.relate("mem_c", "mem_b", "supersedes")
    before = world.files()
    with pytest.raises(BadValue, match="mem_c"):
        world.service.relate("mem_a", "mem_c", "supersedes")
    assert world.files() == before
    assert world.found("server listens") == ["mem_c"]


def test_an_update_takes_only_a_word_for_the_kind(world: World) -> None:
    made = world.add("The API listens on 8080")
    for kind in ("", "two words", "x" * 80, "3"):
        with pytest.raises(BadValue, match="kind"):
            world.service.update(made["id"], Amendment(kind=kind))
    world.service.update(made["id"], Amendment(kind="Decision"))
    assert world.service.get(made["id"])["kind"] == "decision"


def test_no_word_of_an_erased_memory_stays_in_what_is_kept_of_answers(world: World) -> None:
    old = world.add("The zeppelin lands on field 12", title="Zeppelin landing field")
    named = world.add(
        "The zeppelin lands in spring on a meadow near the lake",
        title="Zeppelin landing season",
        idempotency_key="k",
    )
    assert named["similar"][0]["title"] == "Zeppelin landing field"
    world.put("a.md", record("mem_a", "The API listens on 48213", title="Port", created_at="2026-01-01"))
    world.put("b.md", record("mem_b", "The API listens on 48214", title="Port", created_at="2026-02-01"))
    request = world.service.request()
    found = Consolidator(request).look()
    _, listing = request.listed(
        "consolidate", request.view(), None, lambda _: [one.to_dict() for one in found]
    )
    assert "48213" in str(listing.entries)
    request.cursors.keep(listing)
    world.service.forget(old["id"], mode="hard")
    world.service.forget("mem_a", mode="hard")
    kept = [
        file for name in ("requests.db*", "pages.db*") for file in world.helix.config.state_dir.rglob(name)
    ]
    for file in kept:
        assert b"Zeppelin landing field" not in file.read_bytes()
        assert b"48213" not in file.read_bytes()


def test_filing_says_of_which_project_memories_are_and_touches_nothing_else(world: World) -> None:
    file = world.put(
        "projects/default/old.md",
        record("mem_old", "The API listens on 8080", scope="project", project="default", mood="fine"),
    )
    new = world.add("Deploys need two approvals", Place())["id"]
    before = file.read_text("utf-8")
    listed = world.service.recent(caller=ME, filters={"unfiled": "true"})["results"]
    assert {one["id"] for one in listed} == {"mem_old", new}
    assert world.found("API unfiled:true") == ["mem_old"]
    assert (
        file.read_text("utf-8") == before
    )  # what stands in files of earlier versions is read, not rewritten

    said = world.service.file(["MEM_OLD", new, new], project=" billing ")
    assert said == {"status": "filed", "project": "billing", "filed": ["mem_old", new]}
    assert "project: billing\n" in world.read(new)
    kept = [line for line in before.splitlines() if not line.startswith(("project:", "updated_at:"))]
    assert set(kept) <= set(file.read_text("utf-8").splitlines())
    assert world.service.recent(caller=ME, filters={"unfiled": "true"})["results"] == []
    assert set(world.found("API approvals", ME)) == {"mem_old", new}
    assert world.found("API approvals", Place("shop")) == []
    assert world.service.file([new], project="billing")["status"] == "noop"
    assert world.service.file([new], project="shop")["filed"] == [new]  # it was filed wrongly


def test_a_memory_can_be_filed_under_a_project_that_is_really_called_default(world: World) -> None:
    made = world.add("Deploys need two approvals", Place())["id"]
    assert world.service.file([made], project="default")["filed"] == [made]
    assert world.service.get(made)["project"] == "default"
    assert world.found("deploys", ME) == []
    assert world.service.file([made], project="billing")["filed"] == [made]
    assert "filed:" not in world.read(made)


def test_when_one_of_the_memories_cannot_be_filed_none_is(world: World) -> None:
    good = world.add("Deploys need two approvals", Place())["id"]
    everywhere = world.add("The API listens on 8080", scope="global")["id"]
    gone = world.add("The barn owl eats mice", Place())["id"]
    world.service.forget(gone)
    before = world.files()
    for bad, error in ((everywhere, BadValue), (gone, MemoryErased), ("mem_nowhere", MemoryNotFound)):
        with pytest.raises(error):
            world.service.file([good, bad], project="billing")
    for ids, project in (([good], "  "), ([], "billing")):
        with pytest.raises(BadValue):
            world.service.file(ids, project=project)
    assert world.files() == before


def test_when_a_file_cannot_be_read_any_more_none_of_the_memories_is_filed(world: World) -> None:
    good = world.add("Deploys need two approvals", Place())["id"]
    torn = world.add("The barn owl eats mice", Place())["id"]
    path = world.folder / world.service.get(torn)["path"]
    path.write_text(f"<<<<<<< HEAD\n{path.read_text()}=======\nx\n>>>>>>> other\n")  # not taken in yet
    before = world.files()
    with pytest.raises(HelixError):
        world.service.file([good, torn], project="billing")
    assert world.files() == before


@pytest.mark.parametrize("name", ["x" * 201, "a\x00b", "\x1b[31mred"])
def test_a_project_has_a_name_that_a_header_can_say(world: World, name: str) -> None:
    made = world.add("Deploys need two approvals", Place())["id"]
    with pytest.raises(BadValue, match="project"):
        world.service.file([made], project=name)
    with pytest.raises(BadValue, match="project"):
        world.add("The barn owl eats mice", project=name)
    assert world.service.file([made], project=" shop \n floor ")["project"] == "shop floor"


def test_a_filing_that_is_repeated_under_its_key_is_done_once(world: World) -> None:
    made = world.add("Deploys need two approvals", Place())["id"]
    world.service.file([made], project="billing", idempotency_key="k")
    world.service.file([made], project="shop")
    assert world.service.file([made], project="billing", idempotency_key="k")["status"] == "noop"
    assert world.service.get(made)["project"] == "shop"
