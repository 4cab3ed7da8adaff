"""What a person, an editor or a sync client does to the vault, as the running follower sees it."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import watchfiles

from helix.vault.hashes import content_hash
from tests.flows.followed import Followed, followed
from tests.follow.rig import record
from tests.scale import scaled
from tests.waiting import wait_for


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Followed]:
    with followed(tmp_path) as world:
        world.write("a.md", record("mem_a", "The first text.\n", title="First"))
        wait_for(lambda: world.title("mem_a") == "First")
        yield world


def pause(seconds: float) -> None:
    """A person's or an editor's pause: the time itself is what is tested."""
    threading.Event().wait(seconds)


# Edits


def test_an_edit_on_disk_is_seen(world: Followed) -> None:
    world.write("a.md", record("mem_a", "Another text.\n", title="Second"))
    wait_for(lambda: world.title("mem_a") == "Second")


def test_a_save_by_moving_the_old_file_away_is_an_edit_and_never_a_loss(world: Followed) -> None:
    new = record("mem_a", "Saved by vim.\n", title="Vim")
    with world.seen_hashes("mem_a") as seen:
        for _ in range(5):
            os.rename(world.folder / "a.md", world.folder / "a.md~")
            (world.folder / "4913").touch()
            os.unlink(world.folder / "4913")
            world.write("a.md", new)
            os.unlink(world.folder / "a.md~")
        wait_for(lambda: world.title("mem_a") == "Vim")
    assert "" not in seen
    assert world.paths() == ["a.md"]


def test_a_file_that_is_truncated_and_written_after_a_pause_is_never_half_read(world: Followed) -> None:
    old, new = world.row("mem_a").hash, record("mem_a", "Written in place.\n" * 2000, title="Whole")
    with world.seen_hashes("mem_a") as seen:
        with (world.folder / "a.md").open("wb") as file:
            pause(0.3)
            file.write(new.encode())
        wait_for(lambda: world.title("mem_a") == "Whole")
    assert seen <= {old, content_hash(new.encode())}


def test_an_edit_that_keeps_size_and_mtime_is_seen(world: Followed) -> None:
    file = world.folder / "a.md"
    before = file.stat()
    file.write_text(file.read_text().replace("First", "Fifth"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = file.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    wait_for(lambda: world.title("mem_a") == "Fifth")


# Moves


def test_a_renamed_file_stays_the_same_memory(world: Followed) -> None:
    with world.seen_hashes("mem_a") as seen:
        (world.folder / "sub").mkdir()
        os.rename(world.folder / "a.md", world.folder / "sub/renamed.md")
        wait_for(lambda: world.paths() == ["sub/renamed.md"])
    assert "" not in seen


def test_the_files_in_a_folder_that_is_moved_in_are_seen(world: Followed, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "b.md").write_text(record("mem_b"))
    (outside / "deep/c.md").write_text(record("mem_c"))
    os.rename(outside, world.folder / "inside")
    wait_for(lambda: world.paths() == ["a.md", "inside/b.md", "inside/deep/c.md"])


def test_a_renamed_folder_takes_its_memories_along(world: Followed) -> None:
    for number in range(20):
        world.write(f"old/{number:02}.md", record(f"mem_{number}"))
        world.write(f"old/plain/{number:02}.md", f"No id, text {number}.\n")
    wait_for(lambda: len(world.paths()) == 41)
    os.rename(world.folder / "old", world.folder / "new")
    wait_for(lambda: sum(path.startswith("new/") for path in world.paths()) == 40)
    wait_for(lambda: len(world.paths()) == 41)
    assert world.state == "following"


# Files that go


def test_a_file_that_comes_back_within_the_grace_never_left(tmp_path: Path) -> None:
    with followed(tmp_path, grace=30) as world:
        text = record("mem_a")
        world.write("a.md", text)
        wait_for(lambda: world.path("mem_a"))
        with world.seen_hashes("mem_a") as seen:
            os.unlink(world.folder / "a.md")
            wait_for(lambda: world.helix.reconciler.missing == ["a.md"])
            world.write("a.md", text)
            wait_for(lambda: not world.helix.reconciler.missing)
        assert seen == {content_hash(text.encode())}


def test_a_file_that_stays_away_takes_its_memory_out_of_the_answers(world: Followed) -> None:
    os.unlink(world.folder / "a.md")
    wait_for(lambda: world.catalog.find("mem_a") is None)
    assert world.state == "following"


@pytest.fixture
def many(tmp_path: Path) -> Iterator[Followed]:
    def fill(folder: Path) -> None:
        for number in range(30):
            (folder / f"{number:02}.md").write_text(record(f"mem_{number}"))

    with followed(tmp_path, prepare=fill) as world:
        assert len(world.paths()) == 30
        yield world


def test_many_files_that_go_at_once_are_not_believed_and_come_back_by_themselves(
    many: Followed, tmp_path: Path
) -> None:
    away = tmp_path / "away"
    away.mkdir()
    for number in range(30):
        os.rename(many.folder / f"{number:02}.md", away / f"{number:02}.md")
    wait_for(lambda: many.state == "degraded")
    pause(1.0)  # longer than the grace
    assert len(many.paths()) == 30
    assert "30 of 30" in (many.follower.health().reason or "")
    for number in range(30):
        os.rename(away / f"{number:02}.md", many.folder / f"{number:02}.md")
    wait_for(lambda: many.state == "following")
    assert len(many.paths()) == 30


def test_a_vault_that_is_unmounted_is_degraded_and_recovers_when_it_is_back(
    many: Followed, tmp_path: Path
) -> None:
    os.rename(many.folder, tmp_path / "away")
    many.folder.mkdir()
    wait_for(lambda: many.state == "degraded")
    assert "is not there" in (many.follower.health().reason or "")
    (tmp_path / "away" / "00.md").write_text(record("mem_0", title="Edited elsewhere"))
    many.folder.rmdir()
    os.rename(tmp_path / "away", many.folder)
    wait_for(lambda: many.state == "following")
    assert len(many.paths()) == 30
    wait_for(lambda: many.title("mem_0") == "Edited elsewhere")


def test_a_vault_that_comes_back_as_another_folder_is_followed_there(many: Followed, tmp_path: Path) -> None:
    os.rename(many.folder, tmp_path / "old-disk")
    wait_for(lambda: many.state == "degraded")
    shutil.copytree(tmp_path / "old-disk", many.folder)
    wait_for(lambda: many.state == "following")
    many.wait_for_watch()
    many.write("00.md", record("mem_0", title="On the new disk"))
    wait_for(lambda: many.title("mem_0") == "On the new disk")


# Watchers that die


def test_a_file_name_that_is_not_utf8_is_reported_and_stops_nothing(world: Followed) -> None:
    odd = os.path.join(os.fsencode(world.folder), b"caf\xe9.md")
    with open(odd, "wb") as file:
        file.write(b"Latin-1 in the name.\n")
    wait_for(lambda: world.problem("caf\\xe9.md"))
    world.write("a.md", record("mem_a", title="Later"))
    wait_for(lambda: world.title("mem_a") == "Later")
    os.unlink(odd)
    world.write("a.md", record("mem_a", title="Later still"))
    wait_for(lambda: world.title("mem_a") == "Later still")
    wait_for(lambda: world.problem("caf\\xe9.md") is None)


def test_after_the_watcher_died_edits_are_still_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, deaths = watchfiles.watch, [RuntimeError("inotify is out of watches"), OSError("gone")]

    def dying(*args: Any, **options: Any) -> Any:
        if deaths:
            raise deaths.pop()
        return real(*args, **options)

    monkeypatch.setattr(watchfiles, "watch", dying)
    with followed(tmp_path) as world:
        assert not deaths
        world.write("a.md", record("mem_a", title="Seen"))
        wait_for(lambda: world.title("mem_a") == "Seen")


# What Helix writes on its own account, and what it leaves alone


def test_a_status_that_a_person_flips_is_stamped_both_ways(world: Followed) -> None:
    world.write("a.md", record("mem_a", "Text.\n", status="deleted"))
    wait_for(lambda: "deleted_at: 20" in world.read("a.md"))
    wait_for(lambda: world.row("mem_a").status == "deleted")
    world.write("a.md", world.read("a.md").replace("status: deleted", "status: active"))
    wait_for(lambda: "restored_at: 20" in world.read("a.md"))
    wait_for(lambda: world.row("mem_a").needs == "")
    assert world.row("mem_a").status == "active"
    assert world.read("a.md").endswith("---\nText.\n")


def test_a_file_without_an_id_is_followed_and_not_rewritten(world: Followed) -> None:
    text = "# Shopping\n\nMilk, #food\n"
    file = world.write("lists/shopping.md", text)
    before = file.stat()
    wait_for(lambda: "lists/shopping.md" in world.paths())
    pause(2.5)  # longer than the mender waits before it writes
    after = file.stat()
    assert file.read_text() == text
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_dropbox_conflict_copy_becomes_part_of_its_memory_and_a_stub(world: Followed) -> None:
    copy = "a (Ann's conflicted copy 2026-09-25).md"
    world.write(copy, record("mem_a", "The first text.\nA line of Ann's.\n", title="First"))
    wait_for(lambda: "merged_into" in world.read(copy))
    wait_for(lambda: world.paths() == ["a.md"])
    assert "A line of Ann's." in world.read("a.md")
    assert "The first text." in world.read("a.md")
    wait_for(lambda: world.follower.health().conflicts == 0)


# Files that cannot be read


def test_a_broken_file_keeps_its_last_good_row_and_says_where_it_is_broken(world: Followed) -> None:
    world.write("a.md", "---\nid: mem_a\ntitle: First\ntags: [open\n---\nText.\n")
    wait_for(lambda: world.problem("a.md"))
    problem = world.problem("a.md")
    assert problem is not None
    assert (problem.code, problem.line) == ("yaml-syntax", 4)
    assert "]" in problem.remedy
    assert world.title("mem_a") == "First"
    world.write("a.md", record("mem_a", title="Mended"))
    wait_for(lambda: world.title("mem_a") == "Mended")
    assert world.problem("a.md") is None


@pytest.mark.parametrize("place", ["frontmatter", "body"])
def test_a_git_conflict_is_reported_with_both_sides(world: Followed, place: str) -> None:
    conflict = "<<<<<<< HEAD\ntitle: ours\n=======\ntitle: theirs\n>>>>>>> laptop\n"
    lines = ("---\nid: mem_a\n", conflict, "---\nText.\n")
    if place == "body":
        lines = ("---\nid: mem_a\n---\nText.\n", conflict, "")
    world.write("a.md", "".join(lines))
    wait_for(lambda: world.problem("a.md"))
    problem = world.problem("a.md")
    assert problem is not None
    assert problem.line == 3 if place == "frontmatter" else problem.line == 5
    assert "ours (HEAD):\ntitle: ours\n" in problem.detail
    assert "theirs (laptop):\ntitle: theirs\n" in problem.detail
    assert problem.remedy
    assert world.path("mem_a") == "a.md"


# Much at once


def test_an_edited_ignore_file_hides_and_shows_at_once(world: Followed) -> None:
    for number in range(30):
        world.write(f"private/{number}.md", record(f"mem_{number}"))
    wait_for(lambda: len(world.paths()) == 31)
    world.write(".helixignore", "private/\n")
    wait_for(lambda: world.paths() == ["a.md"])
    assert world.state == "following"
    world.write(".helixignore", "")
    wait_for(lambda: len(world.paths()) == 31)


def test_a_large_drop_is_taken_in_completely(world: Followed) -> None:
    count = scaled(1500)
    for number in range(count):
        world.write(f"drop/{number % 40:02}/{number}.md", record(f"mem_{number}", f"Text {number}.\n"))
    wait_for(lambda: world.catalog.count_seen() == count + 1, 60 + count / 100)
    assert len(world.paths()) == count + 1
