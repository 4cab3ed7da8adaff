"""What each member of a team sees and may change, by what the notes say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, MemoryNotFound, NotYours
from helix.memory.place import Place
from helix.memory.principal import LOCAL, UNKNOWN, Principal
from helix.memory.writing.amend import Amendment
from helix.memory.writing.write import NewText
from helix.vault.ownership import RULES_FILE
from tests.memory.asking import Verbs
from tests.memory.world import World, opened, record
from tests.vault.git_sandbox import Sandbox

INES, BEN, CLEO = (Principal(name, user=name) for name in ("ines", "ben", "cleo"))
NOWHERE = Place()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path) as opened_world:
        yield opened_world


def has_members(world: World, name: str, owner: str, *members: str) -> None:
    world.put(
        f"projects/{name}.md",
        record(
            f"mem_of_{name}", f"Who is in {name}", kind="project", scope="project", project=name, name=name,
            owner=owner, members=f"[{', '.join(members)}]",
        ),
    )  # fmt: skip


def as_(world: World, principal: Principal) -> Verbs:
    return Verbs(world.workspace, principal)


def seen(world: World, principal: Principal) -> set[str]:
    found = as_(world, principal).recent(scope="all", include_deleted=True, limit=50, max_tokens=20_000)
    return {one["id"].removeprefix("mem_") for one in found["results"]}


def who_sees(world: World, memory_id: str) -> set[str]:
    """Of everybody who is asked for."""
    everybody = (INES, BEN, CLEO, UNKNOWN, LOCAL)
    return {principal.id for principal in everybody if memory_id in seen(world, principal)}


PROJECT = {"scope": "project", "project": "harbour"}
SEES: list[tuple[dict[str, Any], str]] = [
    ({"owner": "ines"}, "ines"),
    ({"owner": "ines", "visibility": "private"}, "ines"),
    ({"owner": "ines", "visibility": "team"}, "ines ben cleo"),
    ({"owner": "ines", "visibility": "Team"}, "ines ben cleo"),
    ({"owner": "ines", "visibility": "everybody"}, "ines"),
    ({"owner": "ines", "visibility": "project"}, "ines"),
    ({"owner": "ines", **PROJECT}, "ines ben"),
    ({"owner": "ines", **PROJECT, "visibility": "private"}, "ines"),
    ({"owner": "ines", **PROJECT, "visibility": "team"}, "ines ben cleo"),
    ({"owner": "cleo", **PROJECT}, "ines ben cleo"),
    ({"owner": "Ines"}, ""),
    ({"owner": "ines", "scope": "project"}, "ines"),
    ({"owner": "ines", "scope": "project", "project": "Harbour"}, "ines"),
    ({"owner": "ines", "scope": "session", "project": "harbour"}, "ines"),
    ({"owner": "ines", "scope": "session", "project": "harbour", "visibility": "project"}, "ines ben"),
    ({}, ""),
    (PROJECT, ""),
    ({**PROJECT, "visibility": "project"}, "ines ben"),
    ({"visibility": "team"}, "ines ben cleo"),
    ({"visibility": "private"}, ""),
    ({"owner": "[ines]"}, ""),
]


@pytest.mark.parametrize(("meta", "users"), SEES, ids=[f"{meta}" for meta, _ in SEES])
def test_who_sees_a_memory_is_what_its_note_says(world: World, meta: dict[str, Any], users: str) -> None:
    has_members(world, "harbour", "ines", "ben")
    world.put("a.md", record("mem_a", "The crane lifts at noon", **meta))
    assert who_sees(world, "a") == {*users.split(), "local"}


def test_a_member_by_hand_is_a_member_and_one_that_is_struck_out_is_none(world: World) -> None:
    world.put("a.md", record("mem_a", "The crane lifts", owner="ines", **PROJECT))
    assert who_sees(world, "a") == {"ines", "local"}
    has_members(world, "harbour", "ines", "ben", "cleo")
    assert who_sees(world, "a") == {"ines", "ben", "cleo", "local"}
    has_members(world, "harbour", "ines", "cleo")
    assert who_sees(world, "a") == {"ines", "cleo", "local"}


def test_a_credential_of_some_projects_sees_nothing_else_not_even_what_its_user_owns(world: World) -> None:
    has_members(world, "harbour", "ines", "ben")
    has_members(world, "quay", "cleo", "ines")
    world.put("a.md", record("mem_a", "The crane lifts", owner="ben", **PROJECT))
    world.put("b.md", record("mem_b", "Ropes are coiled", owner="cleo", scope="project", project="quay"))
    world.put("c.md", record("mem_c", "Ines likes tea", owner="ines"))
    world.put("d.md", record("mem_d", "All are paid on Fridays", owner="ines", visibility="team"))
    world.put(
        "e.md",
        record("mem_e", "The lamp glows", owner="cleo", scope="project", project="mast", visibility="team"),
    )
    tight = Principal("ines-key", user="ines", projects=frozenset({"harbour", "mast", "not-hers"}))
    assert seen(world, tight) == {"a", "e", "of_harbour"}
    assert seen(world, INES) == {"a", "b", "c", "d", "e", "of_harbour", "of_quay"}
    ines = as_(world, tight)
    with pytest.raises(BadValue):
        ines.write(NewText("Ines likes coffee", scope="global"), NOWHERE)
    with pytest.raises(BadValue):
        ines.write(NewText("The rope is new", project="quay"), NOWHERE)
    assert ines.write(NewText("The crane is new", project="harbour"), NOWHERE)["status"] == "created"


def test_a_write_is_owned_by_who_makes_it_and_by_nobody_in_local_mode(world: World) -> None:
    has_members(world, "harbour", "ines", "ben")
    mine = as_(world, INES).write(NewText("Ines likes tea", scope="global"), NOWHERE)["id"]
    ours = as_(world, BEN).write(NewText("The crane lifts at noon", project="harbour"), NOWHERE)["id"]
    told = as_(world, BEN).write(
        NewText("Wages come on Fridays", scope="global", visibility="team"), NOWHERE
    )["id"]
    assert "owner: ines" in world.read(mine)
    assert "visibility" not in world.read(mine)
    assert "owner: ben" in world.read(ours)
    assert "visibility: team" in world.read(told)
    assert who_sees(world, mine.removeprefix("mem_")) == {"ines", "local"}
    assert who_sees(world, ours.removeprefix("mem_")) == {"ines", "ben", "local"}
    assert who_sees(world, told.removeprefix("mem_")) == {"ines", "ben", "cleo", "local"}
    local = world.add("The API listens on port 8080")["id"]
    assert not {"owner", "visibility"} & {line.partition(":")[0] for line in world.read(local).splitlines()}
    for visibility, project in (("everybody", "harbour"), ("project", None)):
        with pytest.raises(BadValue):
            as_(world, INES).write(
                NewText("The mast is tall", project=project, visibility=visibility), NOWHERE
            )


def test_what_is_for_the_team_is_changed_by_its_owner_and_the_members_of_its_project(world: World) -> None:
    has_members(world, "harbour", "ines", "ben")
    world.put("a.md", record("mem_a", "All are paid on Fridays", owner="ines", visibility="team"))
    world.put("b.md", record("mem_b", "The crane lifts", owner="ines", visibility="team", **PROJECT))
    before = world.files()
    cleo = as_(world, CLEO)
    for memory_id in ("mem_a", "mem_b"):
        other = "mem_a" if memory_id == "mem_b" else "mem_b"
        for verb, arguments, named in (
            ("update", (memory_id, Amendment(text="Nobody is paid")), {}),
            ("forget", (memory_id,), {}),
            ("forget", (memory_id,), {"mode": "hard"}),
            ("relate", (memory_id, other, "refines"), {}),
            ("keep_both", (memory_id,), {}),
            ("merge", (memory_id,), {}),
        ):
            with pytest.raises(NotYours):
                getattr(cleo, verb)(*arguments, **named)
        with pytest.raises(NotYours):
            cleo.write(NewText("Nobody is paid", scope="global", supersede_hint=memory_id), NOWHERE)
    assert world.files() == before
    with pytest.raises(NotYours):
        as_(world, BEN).forget("mem_a")
    with pytest.raises(NotYours):
        as_(world, BEN).update("mem_b", Amendment(visibility="private"))
    assert as_(world, BEN).update("mem_b", Amendment(text="The crane lifts twice"))["status"] == "updated"
    assert as_(world, INES).update("mem_b", Amendment(visibility="private"))["status"] == "updated"
    assert who_sees(world, "b") == {"ines", "local"}


def test_who_is_a_member_is_no_matter_of_the_verbs_about_memories(world: World) -> None:
    has_members(world, "harbour", "ines", "ben")
    before = world.files()
    for principal in (INES, BEN):
        verbs = as_(world, principal)
        for change in (
            partial(verbs.forget, "mem_of_harbour"),
            partial(verbs.forget, "mem_of_harbour", mode="hard"),
            partial(verbs.update, "mem_of_harbour", Amendment(kind="fact")),
            partial(verbs.file, ["mem_of_harbour"], project="quay"),
        ):
            with pytest.raises(NotYours):
                change()
    assert world.files() == before
    cleo = as_(world, CLEO).write(
        NewText("I am of the harbour too", kind="project", scope="global", title="harbour"), NOWHERE
    )
    assert cleo["status"] == "created"
    assert "of_harbour" not in seen(world, CLEO)


def test_the_same_text_of_two_people_is_two_memories_also_for_the_one_who_tidies(world: World) -> None:
    has_members(world, "harbour", "ines", "ben")
    text = "The API listens on port 8080"
    written = {
        (principal.id, scope, visibility): as_(world, principal).write(
            NewText(text, scope=scope, project="harbour", visibility=visibility), NOWHERE
        )
        for principal in (INES, BEN)
        for scope, visibility in (("global", None), ("project", "private"))
    }
    assert {(one["status"], len(one.get("similar", ()))) for one in written.values()} == {("created", 0)}
    ours = as_(world, INES).write(NewText(text, project="harbour"), NOWHERE)
    again = as_(world, BEN).write(NewText(text, project="harbour"), NOWHERE)
    assert (again["status"], again["id"]) == ("merged", ours["id"]), "of one project, and for its members"
    assert world.service.consolidate()["applied"] == []
    newer = as_(world, BEN).write(NewText("The API listens on port 9090", scope="global"), NOWHERE)
    assert newer["supersedes"] == [written["ben", "global", None]["id"]]


def test_a_memory_is_restored_as_what_is_seen_of_it_says(world: World) -> None:
    has_members(world, "harbour", "ines", "ben")
    world.put("a.md", record("mem_a", "The crane lifts", owner="ines", status="deleted", **PROJECT))
    world.put("b.md", record("mem_b", "It lifts twice", owner="ines", supersedes='["[[mem_a]]"]'))
    assert as_(world, BEN).restore("mem_a")["memory_status"] == "active"


def test_a_past_that_was_private_stays_so(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", record("mem_a", "Zqsecret of Ines", title="Zqtitle", owner="ines"))
    first = sandbox.save()
    sandbox.write("b.md", record("mem_a", "The crane lifts", owner="ines", visibility="team"))
    (tmp_path / "vault" / "a.md").unlink()
    sandbox.save()
    with opened(tmp_path) as world:
        ben = as_(world, BEN)
        assert ben.get("mem_a")["text"] == "The crane lifts"
        with pytest.raises(MemoryNotFound):
            ben.diff("mem_a", first)
        assert "zq" not in str(ben.timeline(max_tokens=20_000)).lower()
        assert as_(world, INES).restore("mem_a", at=first)["memory_status"] == "active"
        assert who_sees(world, "a") == {"ines", "ben", "cleo", "local"}, "for whom it is, is of the present"


# What people write by hand


def test_what_is_written_by_hand_is_its_folders(world: World) -> None:
    rules = world.folder / RULES_FILE
    rules.parent.mkdir(exist_ok=True)
    world.put("people/ines/a.md", record("mem_a", "Ines likes tea"))
    world.put("people/ines/open/b.md", record("mem_b", "Ines is away in May"))
    world.put("handbook/c.md", record("mem_c", "All are paid on Fridays"))
    world.put("people/ines/d.md", record("mem_d", "Written by Ben", owner="ben"))
    world.put("elsewhere.md", record("mem_e", "Nobody says whose this is"))
    assert [who_sees(world, one) for one in "abcde"] == [{"local"}] * 3 + [{"ben", "local"}, {"local"}]
    rules.write_text(
        'people/*: {owner: "*"}\npeople/*/open: {owner: "*", visibility: team}\nhandbook/: {visibility: team}\n'
    )
    world.helix.reconciler.reconcile()
    everybody = {"ines", "ben", "cleo", "local"}
    assert [who_sees(world, one) for one in "abcde"] == [
        {"ines", "local"}, everybody, everybody, {"ben", "local"}, {"local"},
    ]  # fmt: skip
    assert as_(world, BEN).search("Fridays", scope="all")["results"][0]["id"] == "mem_c"
    assert as_(world, BEN).search("tea", scope="all")["results"] == []
    assert as_(world, INES).search("owner:ines tea", scope="all")["results"][0]["id"] == "mem_a"
    assert as_(world, INES).get("mem_a")["text"].strip() == "Ines likes tea"
    rules.write_text("handbook: {visibility: teem}\n")
    world.helix.reconciler.reconcile()
    assert [who_sees(world, one) for one in "abcde"] == [{"local"}] * 3 + [{"ben", "local"}, {"local"}]
    assert as_(world, BEN).search("Fridays", scope="all")["results"] == []


def test_owners_and_visibility_are_filters(world: World) -> None:
    world.put("a.md", record("mem_a", "Tea at noon", owner="ines", visibility="team"))
    world.put("b.md", record("mem_b", "Tea at six", owner="ben"))
    assert world.found("tea owner:ines") == ["mem_a"]
    assert world.found("tea visibility:private") == ["mem_b"]
    assert world.found("tea -visibility:team") == ["mem_b"]
    with pytest.raises(BadValue):
        world.found("tea visibility:everybody")
