"""A request sees and changes what its principal may, whichever verb it is asked by."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, HelixError, KeyReused, MemoryNotFound
from helix.index.filters import of_projects
from helix.memory.maintenance.consolidate import Consolidator
from helix.memory.place import Place
from helix.memory.principal import CLOSED_WALL, LOCAL, OPEN_WALL, UNKNOWN, Principal, Wall
from helix.memory.reading.view import When
from helix.memory.tokens import Payload, serialize
from helix.memory.writing.amend import Amendment
from helix.memory.writing.idempotency import IdempotencyKeys
from helix.memory.writing.write import NewText
from tests.memory.asking import FUNCTIONS, Verbs
from tests.memory.world import World, opened, record
from tests.scale import scaled
from tests.vault.git_sandbox import Sandbox

ANA, BEN = Principal("ana"), Principal("ben")
ROOM = 20_000


OF_HARBOUR = Wall(*[of_projects(["harbour"])] * 4)


def visibility(principal: Principal) -> Wall:
    """Ana and Ben see one project, the owner everything, anybody else nothing."""
    if principal.sees_everything:
        return OPEN_WALL
    return OF_HARBOUR if principal in (ANA, BEN) else CLOSED_WALL


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with opened(tmp_path, visibility=visibility) as opened_world:
        yield opened_world


def fill(world: World) -> None:
    """Memories of two projects that link to, replace and contradict each other."""
    ours: dict[str, Any] = {"scope": "project", "project": "harbour"}
    theirs: dict[str, Any] = {"scope": "project", "project": "zqsecret"}
    world.put("a.md", record("mem_a", "The crane lifts at noon, see [[mem_z]] and [[mem_b]]", **ours))
    world.put("b.md", record("mem_b", "The tide turns at six", supersedes='["[[mem_y]]"]', **ours))
    world.put("y.md", record("mem_y", "The zqtide turned at five", status="superseded", **theirs))
    world.put(
        "z.md", record("mem_z", "The zqcrane rusts at night", title="Zqcrane", tags="[zqtag]", **theirs)
    )
    world.put("x.md", record("mem_x", "Zqlamp glows, see [[mem_a]]", relates_to='["[[mem_b]]"]', **theirs))
    world.put("copy.md", (world.folder / "z.md").read_text())
    world.put("broken.md", "---\nid: mem_broken\nproject: zqsecret\ntags: [open\n---\nzqbroken\n")


ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "search": (("crane zqcrane tide",), {"scope": "all", "include_deleted": True}),
    "context": (("lift the crane",), {"scope": "all", "explain": True}),
    "get": (("mem_z",), {"include_deleted": True}),
    "neighbors": (("mem_z",), {"depth": 3, "include_deleted": True}),
    "recent": ((), {"scope": "all", "include_deleted": True}),
    "today": ((), {"scope": "all"}),
    "stats": ((), {"scope": "all"}),
    "graph": ((), {"scope": "all", "include_deleted": True}),
    "history": (("mem_z",), {}),
    "diff": (("mem_z", "HEAD"), {}),
    "render": (("[[Zqcrane]] [[mem_z]]",), {}),
    "recall_phases": ((["plan", "work"],), {"scope": "all"}),
    "update": (("mem_z", Amendment(text="overwritten")), {}),
    "file": ((["mem_z"],), {"project": "harbour"}),
    "forget": (("mem_z",), {"mode": "hard"}),
    "restore": (("mem_y",), {}),
    "relate": (("mem_z", "mem_x", "supersedes"), {}),
    "dismiss": (("unreadable-0123456789ab",), {}),
    "accept": ((), {"key": "0123456789ab"}),
    "keep_both": (("mem_z",), {}),
    "merge": (("mem_z",), {}),
    "create_project": ((), {"project": "mill", "members": ["ben"]}),
    "share_project": ((), {"project": "zqsecret", "user": "ana"}),
    "unshare_project": ((), {"project": "zqsecret", "user": "ben"}),
    "leave_project": ((), {"project": "zqsecret"}),
    "transfer_project": ((), {"project": "zqsecret", "user": "ana"}),
    "delete_project": ((), {"project": "zqsecret"}),
    "activate_project": ((), {"project": "zqsecret"}),
}
TELLING = ("zq", "Zq", "mem_x")
"""of the other project, and in no memory that is seen: no answer may hold them"""


@pytest.mark.parametrize("verb", sorted(FUNCTIONS.keys() - {"write"}))
@pytest.mark.parametrize("principal", [UNKNOWN, ANA], ids=["unknown", "ana"])
def test_no_verb_shows_or_touches_what_its_principal_does_not_see(
    world: World, verb: str, principal: Principal
) -> None:
    fill(world)
    before = world.files()
    arguments, named = ARGUMENTS.get(verb, ((), {}))
    answer: Payload = {}
    with suppress(MemoryNotFound, BadValue, HelixError):
        answer = getattr(Verbs(world.workspace, principal), verb)(*arguments, **named)
    answer.pop("html", None)  # it repeats what was asked; see the test of render below
    told = serialize(answer)
    if verb in ("history", "diff", "get", "neighbors", "update", "file", "forget", "relate"):
        assert not answer or answer["id" if "id" in answer else "neighbors"] in ("mem_a", [])
    for word in TELLING:
        assert word not in told, verb
    if principal is UNKNOWN:
        assert "mem_" not in told
        assert "harbour" not in told
        assert world.files() == before
    others = {path: text for path, text in world.files().items() if path not in ("a.md", "b.md")}
    assert others == {path: text for path, text in before.items() if path not in ("a.md", "b.md")}


def test_a_name_of_what_is_not_seen_is_rendered_as_one_of_nothing(world: World) -> None:
    fill(world)
    for principal, is_link in ((LOCAL, True), (ANA, False), (UNKNOWN, False)):
        html = Verbs(world.workspace, principal).render("[[Zqcrane]]")["html"]
        assert ("data-memory" in html) is is_link


def test_nobody_unknown_writes_anything(world: World) -> None:
    fill(world)
    before = world.files()
    for principal, project in ((UNKNOWN, "harbour"), (ANA, "zqsecret"), (ANA, None)):
        with pytest.raises(BadValue):
            Verbs(world.workspace, principal).write(
                NewText("Gulls nest on the mast in May", project=project), Place()
            )
    with pytest.raises(BadValue):
        Verbs(world.workspace, ANA).file(["mem_a"], project="zqsecret")
    assert world.files() == before


def test_a_write_is_compared_with_what_its_principal_sees_alone(world: World) -> None:
    fill(world)
    ana = Verbs(world.workspace, ANA)
    world.put(
        "twin.md",
        record("mem_twin", "Ferries load cars on Mondays", scope="project", project="zqsecret"),
    )
    made = ana.write(NewText("Ferries load cars on Mondays", project="harbour"), Place())
    assert (made["status"], made.get("similar")) == ("created", None)
    again = ana.write(NewText("Ferries load cars on Mondays", project="harbour"), Place())
    assert (again["status"], again["id"]) == ("merged", made["id"])
    with pytest.raises(MemoryNotFound):
        ana.write(NewText("The crane rests on Sundays", project="harbour", supersede_hint="mem_z"), Place())


def test_the_events_of_a_memory_are_for_who_sees_it(world: World) -> None:
    fill(world)
    world.service.relate("mem_a", "mem_z", "refines")
    request = world.workspace.request(ANA, Place())
    assert {event.id for event in request.activity.after(0, 500)[0]} == {"mem_a", "mem_b"}
    assert "mem_z" not in str(request.activity.after(0, 500)[0])
    assert "mem_z" in str(world.service.timeline(max_tokens=ROOM))
    assert world.workspace.request(UNKNOWN, Place()).activity.after(0, 500)[0] == []


def test_what_was_put_out_of_sight_since_is_not_seen_in_the_past_either(tmp_path: Path) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", record("mem_a", "The crane lifts", scope="project", project="harbour"))
    sandbox.write("b.md", record("mem_b", "The tide turns", scope="project", project="zqsecret"))
    first = sandbox.save()
    sandbox.write("a.md", record("mem_a", "The crane lifts", scope="project", project="zqsecret"))
    sandbox.write("b.md", record("mem_b", "The tide turns now", scope="project", project="harbour"))
    sandbox.save()
    with opened(tmp_path, visibility=visibility) as world:
        ana, then = Verbs(world.workspace, ANA), When(ref=first)
        assert ana.recent(scope="all", when=then)["results"] == []
        with pytest.raises(MemoryNotFound):
            ana.get("mem_a", when=then)
        assert ana.get("mem_b")["text"] == "The tide turns now"
        with pytest.raises(MemoryNotFound):
            ana.diff("mem_b", first)
        with pytest.raises(MemoryNotFound):
            ana.restore("mem_b", at=first)
        with pytest.raises(MemoryNotFound):
            ana.history("mem_a")


# As if the others did not exist


WORDS = ["crane", "tide", "gull", "mast", "quay", "rope"]


def some_vault(chance: random.Random) -> dict[str, str]:
    notes = {}
    for number in range(10):
        text = " ".join(chance.choices(WORDS, k=6)) + f" [[mem_{chance.randrange(12)}]]"
        made = f"2026-01-{chance.randrange(10, 28)}T00:00:00Z"
        notes[f"m{number}.md"] = record(
            f"mem_{number}",
            text,
            scope="project",
            project=chance.choice(["harbour", "zqsecret"]),
            kind=chance.choice(["fact", "preference", "task"]),
            status=chance.choice(["active", "active", "active", "superseded", "deleted"]),
            supersedes=f'["[[mem_{chance.randrange(10)}]]"]',
            tags=f"[{chance.choice(WORDS)}]",
            created_at=made,
            updated_at=made,
        )
    return notes


def answers(verbs: Verbs) -> dict[str, Any]:
    found: dict[str, Any] = {}
    questions: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
        ("recent", (), {"scope": "all", "include_deleted": True, "response_format": "detailed", "limit": 50}),
        ("today", (), {"scope": "all"}),
        ("stats", (), {}),
        ("projects", (), {}),
        ("graph", (), {"scope": "all", "include_deleted": True}),
        ("conflicts", (), {}),
        ("strand_manifest", (), {}),
        ("render", (" ".join(f"[[mem_{number}]]" for number in range(12)),), {}),
        ("proposals", (), {}),
        ("inbox", (), {}),
        *(("get", (f"mem_{n}",), {"include_deleted": True}) for n in range(10)),
        *(("neighbors", (f"mem_{n}",), {"depth": 3, "include_deleted": True}) for n in range(10)),
    ]
    for verb, arguments, named in questions:
        room = {} if verb == "render" else {"max_tokens": ROOM}
        try:
            answer = getattr(verbs, verb)(*arguments, **room, **named)
        except MemoryNotFound as error:
            answer = {"error": error.message}
        found[f"{verb} {arguments}"] = {name: value for name, value in answer.items() if name != "vault"}
    timeline = verbs.timeline(max_tokens=ROOM)["events"]
    found["timeline"] = sorted((event["what"], event["id"], event["title"]) for event in timeline)
    found["proposals by look"] = Consolidator(verbs.request()).look()
    return found


def test_who_sees_a_part_is_answered_as_if_the_rest_did_not_exist(tmp_path: Path) -> None:
    for seed in range(scaled(4)):
        notes = some_vault(random.Random(seed))
        ours = {path for path, text in notes.items() if "project: harbour" in text}
        with opened(tmp_path / f"{seed}-all", visibility=visibility) as world:
            for path, text in notes.items():
                world.put(path, text)
            ana = Verbs(world.workspace, ANA)
            seen = answers(ana)
            # How rare a word is, is counted over the whole vault: scores differ, and with them where a list ends.
            hits = ana.search("crane tide", scope="all", include_deleted=True, limit=50, max_tokens=ROOM)
            assert {f"m{hit['id'][4:]}.md" for hit in hits["results"]} <= ours
        with opened(tmp_path / f"{seed}-part") as world:
            for path in sorted(ours):
                world.put(path, notes[path])
            alone = answers(world.service)
            world.workspace.upkeep.stop()
        for question, answer in alone.items():
            assert seen[question] == answer, (seed, question)


# Cursors and keys


def test_a_cursor_is_unknown_to_everybody_but_its_owner(world: World) -> None:
    fill(world)
    ana, ben = Verbs(world.workspace, ANA), Verbs(world.workspace, BEN)
    cursor = ana.recent(scope="all", limit=1)["next_cursor"]
    for other in (ben, world.service, Verbs(world.workspace)):
        with pytest.raises(BadValue) as refused:
            other.recent(scope="all", cursor=cursor)
        assert refused.value.code == "bad-cursor"
    assert ben.recent(scope="all", limit=1)["next_cursor"] == cursor, "the same listing, and each has its own"
    assert len(ana.recent(scope="all", cursor=cursor)["results"]) == 1


def test_what_leaves_the_sight_between_two_pages_is_not_on_the_second(world: World) -> None:
    fill(world)
    ana = Verbs(world.workspace, ANA)
    world.put("c.md", record("mem_c", "The quay is wet", scope="project", project="harbour"))
    pages = {verb: getattr(ana, verb)(limit=1) for verb in ("recent", "graph")}
    for name in ("a", "b", "c"):
        file = world.folder / f"{name}.md"
        world.put(f"{name}.md", file.read_text().replace("project: harbour", "project: zqsecret"))
    for verb, page in pages.items():
        assert "mem_" not in serialize(getattr(ana, verb)(cursor=page["next_cursor"]))


def test_a_key_of_somebody_else_is_free(world: World) -> None:
    ana, ben = Verbs(world.workspace, ANA), Verbs(world.workspace, BEN)
    one = ana.write(NewText("Gulls nest on the mast", project="harbour", idempotency_key="k"), Place())
    other = ben.write(NewText("Ropes are coiled at night", project="harbour", idempotency_key="k"), Place())
    mine = world.service.write(NewText("The quay is swept", project="harbour", idempotency_key="k"), Place())
    assert len({one["id"], other["id"], mine["id"]}) == 3
    again = ana.write(NewText("Gulls nest on the mast", project="harbour", idempotency_key="k"), Place())
    assert (again["status"], again["id"]) == ("noop", one["id"])
    with pytest.raises(KeyReused):
        ana.write(NewText("Something else is so", project="harbour", idempotency_key="k"), Place())
    ana.forget(one["id"], idempotency_key="f")
    assert ben.forget(other["id"], idempotency_key="f")["status"] == "forgotten"


def test_a_key_is_its_owners_also_when_what_was_asked_is_lost(tmp_path: Path) -> None:
    with opened(tmp_path, visibility=visibility) as world:
        Verbs(world.workspace, ANA).write(
            NewText("Gulls nest on the mast", project="harbour", idempotency_key="k"), Place()
        )
    for file in (tmp_path / "state").rglob("requests.db*"):
        file.unlink()
    with opened(tmp_path, visibility=visibility) as world:
        wish = NewText("Ropes are coiled at night", project="harbour", idempotency_key="k")
        assert Verbs(world.workspace, BEN).write(wish, Place())["status"] == "created"
        assert (
            world.service.write(NewText("The quay is swept", idempotency_key="k"), Place())["status"]
            == "created"
        )
        with pytest.raises(KeyReused):
            Verbs(world.workspace, ANA).write(wish, Place())


def test_keys_from_before_there_were_owners_are_the_local_ones(tmp_path: Path) -> None:
    file = tmp_path / "requests.db"
    keys = IdempotencyKeys(file)
    keys.of(LOCAL.id).keep("k", "mem_a", "digest", {"id": "mem_a"})
    keys.close()
    database = sqlite3.connect(file)
    database.executescript(
        "CREATE TABLE requests (key TEXT PRIMARY KEY, memory TEXT NOT NULL, digest TEXT NOT NULL,"
        " answer TEXT NOT NULL, at REAL NOT NULL);"
        "INSERT INTO requests SELECT key, memory, digest, answer, at FROM keys; DROP TABLE keys;"
        "PRAGMA user_version = 2;"
    )
    database.close()
    keys = IdempotencyKeys(file)
    assert keys.of(LOCAL.id).find("k", "digest") == {"id": "mem_a"}
    assert keys.of("ana").find("k", "digest") is None
    keys.close()


def test_each_answer_is_told_of_once(world: World) -> None:
    fill(world)
    heard: list[tuple[str, int | None]] = []
    world.workspace.tell_answers(lambda verb, answer, max_tokens: heard.append((verb, max_tokens)))
    world.service.today()
    world.service.render("text")
    world.service.get("mem_a", max_tokens=500)
    world.service.forget("mem_a")
    assert heard == [("today", 2000), ("render", None), ("get", 500), ("forget", None)]
