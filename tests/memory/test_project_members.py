"""Projects: who makes one, who is a member, and what is seen of it by whom."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.errors import AlreadyExists, BadValue, HelixError, MemoryNotFound, NotYours
from helix.memory.place import Place
from helix.memory.principal import LOCAL, Principal
from helix.memory.writing.write import NewText
from tests.memory.asking import Verbs
from tests.memory.world import World, opened, record

INES, BEN, CLEO = (Principal(name, user=name) for name in ("ines", "ben", "cleo"))
NOWHERE = Place()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path) as opened_world:
        yield opened_world


def as_(world: World, principal: Principal) -> Verbs:
    return Verbs(world.workspace, principal)


def write(world: World, principal: Principal, text: str, place: Place = NOWHERE, **how: object) -> str:
    memory_id: str = as_(world, principal).write(NewText(text, **how), place)["id"]  # type: ignore[arg-type]
    return memory_id


def sees(world: World, principal: Principal, memory_id: str) -> bool:
    try:
        as_(world, principal).get(memory_id)
    except MemoryNotFound:
        return False
    return True


def test_a_project_is_shared_and_taken_back(world: World) -> None:
    ines, ben = as_(world, INES), as_(world, BEN)
    made = ines.create_project(project="harbour")
    assert (made["status"], made["owner"], made["members"]) == ("created", "ines", ["ines"])
    ours = write(world, INES, "The crane lifts at noon", project="harbour")
    assert not sees(world, BEN, ours)
    assert ines.share_project(project="harbour", user="ben")["members"] == ["ben", "ines"]
    assert ines.share_project(project="harbour", user="ben")["status"] == "noop"
    assert sees(world, BEN, ours)
    bens = write(world, BEN, "The tide turns at six", project="harbour")
    assert sees(world, INES, bens)
    [listed] = ben.projects()["projects"]
    assert (listed["project"], listed["owner"], listed["members"]) == ("harbour", "ines", ["ben", "ines"])
    assert ines.unshare_project(project="harbour", user="ben")["members"] == ["ines"]
    assert not sees(world, BEN, ours)
    assert sees(world, BEN, bens), "what he wrote is his"
    assert sees(world, INES, bens)
    assert not sees(world, CLEO, bens)


def test_only_its_owner_decides_and_everybody_may_leave(world: World) -> None:
    ines, ben, cleo = (as_(world, one) for one in (INES, BEN, CLEO))
    ines.create_project(project="harbour", members=["ben"])
    for verb, named in (
        ("share_project", {"user": "cleo"}),
        ("unshare_project", {"user": "ines"}),
        ("transfer_project", {"user": "ben"}),
        ("delete_project", {}),
    ):
        with pytest.raises(NotYours):
            getattr(ben, verb)(project="harbour", **named)
        with pytest.raises(MemoryNotFound) as unseen:
            getattr(cleo, verb)(project="harbour", **named)
        with pytest.raises(MemoryNotFound) as unknown:
            getattr(cleo, verb)(project="nowhere", **named)
        assert unseen.value.message == unknown.value.message.replace("nowhere", "harbour")
    with pytest.raises(NotYours):
        ines.leave_project(project="harbour")
    with pytest.raises(BadValue):
        ines.unshare_project(project="harbour", user="ines")
    assert ben.leave_project(project="harbour")["members"] == ["ines"]
    with pytest.raises(MemoryNotFound):
        ben.leave_project(project="harbour")
    assert ines.transfer_project(project="harbour", user="cleo")["owner"] == "cleo"
    assert cleo.unshare_project(project="harbour", user="ines")["members"] == ["cleo"]
    with pytest.raises(AlreadyExists):
        ben.create_project(project="harbour")


def test_a_retry_of_a_new_project_is_answered_and_not_refused(world: World) -> None:
    ines = as_(world, INES)
    first = ines.create_project(project="harbour", idempotency_key="k")
    again = ines.create_project(project="harbour", idempotency_key="k")
    assert (again["status"], again["id"]) == ("noop", first["id"])


def test_a_deleted_project_is_tombstones_and_what_is_others_alone_stays(world: World) -> None:
    ines = as_(world, INES)
    ines.create_project(project="harbour", members=["ben"])
    ours = write(world, BEN, "The crane lifts at noon", project="harbour")
    bens = write(world, BEN, "Ben is tired of the crane", project="harbour", visibility="private")
    elsewhere = write(world, INES, "Ines likes tea", scope="global")
    files = set(world.files())
    answer = ines.delete_project(project="harbour")
    assert (answer["status"], answer["forgotten"]) == ("deleted", 1)
    assert set(world.files()) == files, "no file is removed"
    assert "status: deleted" in world.read(ours)
    assert sees(world, BEN, bens)
    assert sees(world, INES, elsewhere)
    assert not sees(world, INES, ours)
    assert as_(world, BEN).restore(ours)["memory_status"] == "active", "he wrote it"
    assert ines.create_project(project="harbour")["status"] == "created"


def test_whoever_is_no_member_writes_into_a_project_for_themselves(world: World) -> None:
    as_(world, INES).create_project(project="harbour")
    for project in ("harbour", "nowhere"):
        memory_id = write(world, CLEO, f"The {project} is far away", project=project)
        assert "visibility: private" in world.read(memory_id)
        assert sees(world, CLEO, memory_id)
        assert not sees(world, INES, memory_id)
        with pytest.raises(BadValue):
            write(world, CLEO, f"The {project} is near", project=project, visibility="project")
        unfiled = write(world, CLEO, f"A {project} has ships")
        with pytest.raises(BadValue):
            as_(world, CLEO).file([unfiled], project=project)


def test_what_names_no_project_is_of_the_one_that_is_active(world: World) -> None:
    ines = as_(world, INES)
    for name in ("harbour", "quay"):
        ines.create_project(project=name)
    session = Place(session="s-1")
    ines.activate_project(project="harbour")
    ines.activate_project(project="quay", of_session="s-1")
    at_quay = write(world, INES, "The crane lifts at noon", session)
    at_harbour = write(world, INES, "The tide turns at six", Place(session="s-2"))
    assert ["project: quay" in world.read(at_quay), "project: harbour" in world.read(at_harbour)] == [
        True,
        True,
    ]
    assert [one["id"] for one in ines.search("crane tide", caller=session)["results"]] == [at_quay]
    assert ines.deactivate_project(of_session="s-1")["project"] == "harbour"
    assert [one["id"] for one in ines.search("crane tide", caller=session)["results"]] == [at_harbour]
    assert ines.deactivate_project()["project"] is None
    with pytest.raises(MemoryNotFound):
        as_(world, BEN).activate_project(project="harbour")


def test_a_project_is_active_for_as_long_as_one_is_a_member(world: World) -> None:
    ines, ben = as_(world, INES), as_(world, BEN)
    ines.create_project(project="harbour", members=["ben"])
    ben.activate_project(project="harbour")
    ines.unshare_project(project="harbour", user="ben")
    assert "project:" not in world.read(write(world, BEN, "The tide turns at six"))
    with opened(world.folder.parent / "other") as other:  # of another vault
        assert "project:" not in other.read(other.add("The tide turns", caller=NOWHERE)["id"])


def test_the_owner_of_the_vault_has_projects_too(world: World) -> None:
    local = as_(world, LOCAL)
    assert local.create_project(project="harbour", members=["ben"])["owner"] is None
    assert local.share_project(project="harbour", user="ines")["members"] == ["ben", "ines"]
    local.activate_project(project="harbour")
    written = world.read(world.add("The crane lifts", caller=NOWHERE)["id"])
    assert "project: harbour" in written
    assert "owner" not in written
    assert local.transfer_project(project="harbour", user="ines")["owner"] == "ines"
    assert as_(world, INES).unshare_project(project="harbour", user="ben")["members"] == ["ines"]


def test_what_is_active_is_known_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path) as world:
        as_(world, INES).create_project(project="harbour")
        as_(world, INES).activate_project(project="harbour")
    with opened(tmp_path) as world:
        assert "project: harbour" in world.read(write(world, INES, "The crane lifts"))
    for broken in ("[]", "{", '{"ines": 3}'):
        [file] = (tmp_path / "state").rglob("active-projects.json")
        file.write_text(broken)
        with opened(tmp_path) as world:
            assert "project:" not in world.read(write(world, INES, f"Something {broken} else is so"))


def test_names_that_cannot_be_meant_are_refused(world: World) -> None:
    ines = as_(world, INES)
    for named in ({"project": " "}, {"project": "x" * 300}, {"project": "a", "members": [" "]}):
        with pytest.raises(HelixError):
            ines.create_project(**named)
    ines.create_project(project="harbour")
    with pytest.raises(BadValue):
        ines.share_project(project="harbour", user="a\nb")


def test_whoever_makes_a_project_comes_by_no_memory_of_somebody_else(world: World) -> None:
    world.put("a.md", record("mem_a", "Zqsecret", owner="ines", scope="project", project="quay"))
    with pytest.raises(AlreadyExists):
        as_(world, BEN).create_project(project="quay")
    assert as_(world, INES).create_project(project="quay")["status"] == "created"
    as_(world, INES).delete_project(project="quay")
    assert "visibility: private" in world.read("mem_a")
    assert as_(world, BEN).create_project(project="quay")["status"] == "created"
    assert not sees(world, BEN, "mem_a")
    found = as_(world, BEN).recent(scope="all", include_deleted=True, max_tokens=20_000)["results"]
    assert "mem_a" not in {one["id"] for one in found}


def test_a_credential_of_some_projects_is_in_no_other(world: World) -> None:
    ines = as_(world, INES)
    for name in ("harbour", "quay"):
        ines.create_project(project=name)
    tight = Principal("ines-key", user="ines", projects=frozenset({"quay"}))
    with pytest.raises(MemoryNotFound):
        as_(world, tight).activate_project(project="harbour")
    assert as_(world, tight).activate_project(project="quay")["status"] == "activated"
    assert [one["project"] for one in as_(world, tight).projects()["projects"]] == ["quay"]
