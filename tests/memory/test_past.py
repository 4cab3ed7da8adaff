"""The answer as it would have been then: the same as that of a vault checked out at that commit."""

from __future__ import annotations

import random
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, HistoryError, MemoryNotFound
from helix.memory.reading.view import When
from helix.vault.times import format_time
from tests.memory.asking import Verbs
from tests.memory.world import ME, World, opened, record
from tests.scale import scaled
from tests.vault.git_sandbox import Sandbox

WORDS = ["cache", "token", "retry", "queue", "deploy", "staging", "schema", "broker"]


def some_text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=8)) + f" [[mem_{chance.randrange(12)}]]"


def answers(service: Verbs, when: When) -> dict[str, Any]:
    """What every reading verb says, without the cursors' names, which are made from the commit too."""
    said: dict[str, Any] = {
        "search": service.search(
            "cache token", caller=ME, limit=20, max_tokens=20_000, response_format="detailed", when=when
        ),
        "hidden": service.search(
            "queue", caller=ME, limit=20, max_tokens=20_000, include_deleted=True, when=when
        ),
        "context": service.context("deploy the broker to staging", caller=ME, when=when),
        "recent": service.recent(caller=ME, limit=50, max_tokens=20_000, when=when),
        "today": service.today(caller=ME, limit=50, max_tokens=20_000, when=when),
        "graph": service.graph(caller=ME, max_tokens=20_000, when=when),
        "stats": service.stats(caller=ME, when=when),
    }
    for memory_id in ("mem_1", "mem_5"):
        try:
            said[memory_id] = service.get(memory_id, when=when)
            said[f"around {memory_id}"] = service.neighbors(memory_id, depth=2, when=when)
        except MemoryNotFound:
            said[memory_id] = None
    return said


@pytest.mark.parametrize("model", ["none", "bundled"])
def test_answers_at_a_commit_equal_those_of_a_vault_checked_out_there(tmp_path: Path, model: str) -> None:
    chance = random.Random(5)
    sandbox = Sandbox.create(tmp_path / "now" / "vault")
    commits: list[tuple[str, datetime]] = []
    for _ in range(scaled(4)):
        for n in range(12):
            if chance.random() < 0.6:
                status = chance.choice(["active", "active", "active", "superseded", "deleted"])
                made = f"2025-06-{chance.randrange(10, 16)}T0{chance.randrange(10)}:00:00Z"
                sandbox.write(
                    f"{chance.choice('ab')}/m{n}.md",
                    record(f"mem_{n}", some_text(chance), status=status, created_at=made, updated_at=made),
                )
        commit = sandbox.save()
        made_at = datetime.fromisoformat(sandbox.git("log", "-1", "--format=%cI", commit))
        commits.append((commit, made_at))
    with opened(tmp_path / "now", model=model) as world:
        then = {commit: answers(world.service, When(ref=commit)) for commit, _ in commits}
        for commit, made_at in commits:
            moment = format_time(made_at + timedelta(minutes=1))
            assert world.service.stats(caller=ME, when=When(as_of=moment)) == then[commit]["stats"]
    for commit, made_at in commits:
        place = tmp_path / commit[:8]
        subprocess.run(
            ["git", "clone", "-q", str(tmp_path / "now" / "vault"), str(place / "vault")], check=True
        )
        subprocess.run(["git", "-C", str(place / "vault"), "checkout", "-q", commit], check=True)
        with opened(place, model=model, now=made_at) as world:
            world.recall.index.wait_until_embedded(60)
            assert answers(world.service, When()) == then[commit]


@pytest.fixture
def dated(tmp_path: Path) -> tuple[Path, Sandbox]:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("a.md", record("mem_a", "The API listens on 8080"))
    sandbox.save("first")
    sandbox.git("tag", "v1")
    sandbox.write("a.md", record("mem_a", "The API listens on 9090"))
    sandbox.write("b.md", record("mem_b", "The zeppelin lands at noon"))
    sandbox.save("second")
    return tmp_path, sandbox


def test_a_tag_a_branch_and_a_time_are_ways_to_say_when(dated: tuple[Path, Sandbox]) -> None:
    place, sandbox = dated
    first = sandbox.git("log", "-1", "--format=%cI", "v1")
    with opened(place) as world:
        assert "8080" in world.service.get("mem_a", when=When(ref="v1"))["text"]
        assert "8080" in world.service.get("mem_a", when=When(as_of=first))["text"]
        assert "9090" in world.service.get("mem_a", when=When(ref="main"))["text"]
        with pytest.raises(MemoryNotFound, match="commit"):
            world.service.get("mem_b", when=When(ref="v1"))
        with pytest.raises(HistoryError):
            world.service.recent(caller=ME, when=When(ref="no-such-branch"))
        with pytest.raises(HistoryError):
            world.service.recent(caller=ME, when=When(as_of="1999-01-01"))
        with pytest.raises(BadValue):
            world.service.recent(caller=ME, when=When(as_of="last tuesday"))


def test_paging_through_the_past_stays_in_the_past(dated: tuple[Path, Sandbox]) -> None:
    place, _ = dated
    with opened(place) as world:
        page = world.service.recent(caller=ME, limit=1, when=When(ref="HEAD"))
        world.service.forget("mem_a")
        world.service.forget("mem_b")
        rest = world.service.recent(caller=ME, cursor=page["next_cursor"])
        assert {page["results"][0]["id"], rest["results"][0]["id"]} == {"mem_a", "mem_b"}


def test_what_was_erased_is_not_handed_out_of_the_past_either(dated: tuple[Path, Sandbox]) -> None:
    place, _ = dated
    with opened(place) as world:
        assert world.found("zeppelin", when=When(ref="HEAD")) == ["mem_b"]
        world.service.forget("mem_b", mode="hard")
        assert world.found("zeppelin", when=When(ref="HEAD")) == []
        with pytest.raises(MemoryNotFound):
            world.service.get("mem_b", when=When(ref="HEAD"))
        left = [file for file in (place / "state").rglob("*.md") if b"zeppelin" in file.read_bytes()]
        assert left == []


def test_without_git_the_past_is_one_clear_sentence_and_the_present_goes_on(world: World) -> None:
    made = world.add("The API listens on 8080")
    with pytest.raises(HistoryError, match="git"):
        world.service.get(made["id"], when=When(ref="HEAD"))
    assert world.service.get(made["id"])["text"] == "The API listens on 8080"


def test_reading_the_past_leaves_vault_and_repository_as_they_are(dated: tuple[Path, Sandbox]) -> None:
    place, sandbox = dated
    before = {file: file.stat().st_mtime_ns for file in (place / "vault").rglob("*") if file.is_file()}
    with opened(place) as world:
        world.found("API", when=When(ref="v1"))
    after = {file: file.stat().st_mtime_ns for file in (place / "vault").rglob("*") if file.is_file()}
    assert after == before
    assert sandbox.git("status", "--porcelain") == ""


def test_what_another_machine_erased_is_not_handed_out_of_the_past_either(
    dated: tuple[Path, Sandbox],
) -> None:
    place, _ = dated
    erased = "---\nid: mem_b\nstatus: erased\ndeleted_at: 2026-11-16T12:00:00Z\n---\n"
    with opened(place) as world:
        assert world.found("zeppelin", when=When(ref="HEAD")) == ["mem_b"]
        world.put("b.md", erased)
        left = [file for file in (place / "state").rglob("*.md") if b"zeppelin" in file.read_bytes()]
        assert left == []
        assert world.found("zeppelin", when=When(ref="HEAD")) == []


def test_what_was_erased_while_nobody_served_is_not_handed_out_of_the_past_either(
    dated: tuple[Path, Sandbox],
) -> None:
    place, _ = dated
    with opened(place) as world:
        assert world.found("zeppelin", when=When(ref="HEAD")) == ["mem_b"]
    (place / "vault" / "b.md").write_text("---\nid: mem_b\nstatus: erased\ndeleted_at: 2026-11-16\n---\n")
    with opened(place) as world:
        assert world.found("zeppelin", when=When(ref="HEAD")) == []


def test_a_note_without_an_id_that_was_erased_is_not_handed_out_of_the_past(
    dated: tuple[Path, Sandbox],
) -> None:
    place, sandbox = dated
    sandbox.write("plain.md", "The gazebo key hangs in the shed\n")
    sandbox.save("third")
    with opened(place) as world:
        [memory_id] = world.found("gazebo", scope="all")
        world.service.forget(memory_id, mode="hard")
        assert world.found("gazebo", scope="all", when=When(ref="HEAD")) == []


def test_who_reads_the_past_goes_on_while_others_look_at_other_commits(dated: tuple[Path, Sandbox]) -> None:
    place, sandbox = dated
    for n in range(4):
        sandbox.write("a.md", record("mem_a", f"The API listens on 100{n}"))
        sandbox.save(f"more {n}")
    with opened(place) as world:
        first = world.service.request().view(When(ref="v1"))
        for n in range(4):
            world.service.request().view(When(ref=f"HEAD~{n}"))
        assert first.get("mem_a").memory.body.strip() == "The API listens on 8080"
        del first
        world.service.request().view(When(ref="HEAD"))
        assert len(list((place / "state").rglob("past/*"))) == 3


def test_what_a_killed_daemon_had_laid_out_is_swept_at_the_next_start(dated: tuple[Path, Sandbox]) -> None:
    place, _ = dated
    with opened(place) as world:
        world.found("API", when=When(ref="v1"))
        [laid_out] = (place / "state").rglob("past/*")
        kept = laid_out.parent / "killed"
    kept.mkdir(parents=True)
    with opened(place):
        assert not kept.exists()


SPELLINGS = {
    "folded": "id: >-\n  {id}\ntitle: t\n",
    "tagged": "id: !!str {id}\ntitle: t\n",
    "indented": "  id: {id}\n  title: t\n",
    "as a flow mapping": "{{id: {id}, title: t}}\n",
    "on the next line": "id:\n  {id}\ntitle: t\n",
    "after a text that looks like one": 'title: "of\n\nid: mem_decoy\n\n  that"\nid: {id}\n',
    "with escapes": 'id: "\\x6dem_odd"\ntitle: t\n',
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("moved", [False, True], ids=["in its place", "moved since"])
def test_what_was_erased_is_held_back_however_its_id_is_spelled(
    tmp_path: Path, spelling: str, moved: bool
) -> None:
    sandbox = Sandbox.create(tmp_path / "vault")
    sandbox.write("odd.md", f"---\n{spelling.format(id='mem_odd')}---\nThe zeppelin lands at noon\n")
    sandbox.save("first")
    with opened(tmp_path) as world:
        assert world.found("zeppelin", scope="all") == ["mem_odd"]
        assert world.found("zeppelin", scope="all", when=When(ref="HEAD")) == ["mem_odd"]
        if moved:
            (world.folder / "odd.md").rename(world.folder / "elsewhere.md")
            world.helix.reconciler.reconcile(["odd.md", "elsewhere.md"], settled=True)
        world.service.forget("mem_odd", mode="hard")
        assert world.found("zeppelin", scope="all", when=When(ref="HEAD")) == []
        with pytest.raises(MemoryNotFound):
            world.service.get("mem_odd", when=When(ref="HEAD"))


def test_a_file_whose_name_no_folder_can_hold_is_left_out_and_the_rest_is_read(
    dated: tuple[Path, Sandbox],
) -> None:
    place, sandbox = dated
    blob = sandbox.git("rev-parse", "HEAD:a.md")
    folder = sandbox.git("rev-parse", "HEAD^{tree}")
    entries = [
        f"100644 blob {blob}\t{'n' * 300}.md",
        f"100644 blob {blob}\tboth.md",
        f"040000 tree {folder}\tboth.md",
    ]
    kept = sandbox.git("ls-tree", "HEAD")
    tree = subprocess.run(
        ["git", "-C", str(sandbox.vault), "mktree"],
        input="\n".join([kept, *entries]) + "\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    commit = sandbox.git("commit-tree", tree, "-p", "HEAD", "-m", "impossible")
    with opened(place) as world:
        assert "9090" in world.service.get("mem_a", when=When(ref=commit))["text"]
        assert "mem_b" in world.found("zeppelin", when=When(ref=commit))


def test_a_commit_writes_no_file_outside_of_the_folder_where_it_is_laid_out(
    dated: tuple[Path, Sandbox],
) -> None:
    """Git itself makes no such names, but it hands them on: a clone of them is not refused."""
    place, sandbox = dated
    mine = place / "CLAUDE.md"
    mine.write_text("what the owner wrote\n")
    blob = sandbox.git("rev-parse", "HEAD:a.md")
    inner = _raw_tree(sandbox, ("100644", "CLAUDE.md", blob))
    names = (
        str(mine),
        f"..{mine}",
        "../CLAUDE.md",
        "x/../../../CLAUDE.md",
        "//a.md",
        "./b.md",
        "..\\c.md",
        "C:d.md",
    )
    tree = _raw_tree(
        sandbox,
        *(("100644", name, blob) for name in names),
        ("40000", str(place), inner),
        ("40000", "..", inner),
        ("100644", "ok.md", blob),
    )
    commit = sandbox.git("commit-tree", tree, "-p", "HEAD", "-m", "elsewhere")
    before = {file for file in place.rglob("*.md") if not file.is_relative_to(place / "state")}
    with opened(place) as world:
        assert "9090" in world.service.get("mem_a", when=When(ref=commit))["text"]
        laid_out = [file.name for file in place.rglob("state/**/past/**/*.md")]
        assert laid_out == ["ok.md"]
    assert mine.read_text() == "what the owner wrote\n"
    assert {file for file in place.rglob("*.md") if not file.is_relative_to(place / "state")} == before


def _raw_tree(sandbox: Sandbox, *entries: tuple[str, str, str]) -> str:
    data = b"".join(
        f"{mode} {name}".encode() + b"\0" + bytes.fromhex(object_id) for mode, name, object_id in entries
    )
    return (
        subprocess.run(
            ["git", "-C", str(sandbox.vault), "hash-object", "-t", "tree", "-w", "--literally", "--stdin"],
            input=data,
            capture_output=True,
            check=True,
        )
        .stdout.decode()
        .strip()
    )
