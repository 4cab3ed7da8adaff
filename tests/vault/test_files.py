from __future__ import annotations

import errno
import os
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.errors import AlreadyExists, BadValue, OutsideVault, StaleHash, StorageError, VaultUnavailable
from helix.vault import files as files_module
from helix.vault import folder as folder_module
from helix.vault.files import Files, Write, Written
from helix.vault.hashes import content_hash
from helix.vault.leftovers import Leftover, State
from helix.vault.paths import Root
from helix.vault.syscalls import exchange
from tests.scale import scaled
from tests.vault.descriptors import open_in

OLD, NEW = b"the old text\n", b"the new text\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "note.md").write_bytes(OLD)
    return folder


@pytest.fixture
def files(vault: Path) -> Iterator[Files]:
    root = Root(vault)
    yield Files(root)
    root.close()


def unsupported(fd: int | None, one: str, other: str) -> None:
    raise OSError(errno.EINVAL, "Invalid argument")


def no_links(*args: object, **kwargs: object) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


def temps(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith(".~"))


def later() -> float:
    return time.time() + 5


def test_a_replace_puts_the_new_content_in_place_and_keeps_the_old_file_for_a_while(
    vault: Path, files: Files
) -> None:
    written = files.write(Write("note.md", NEW, content_hash(OLD)))
    assert (vault / "note.md").read_bytes() == NEW
    assert (written.path, written.hash, written.late_save) == ("note.md", content_hash(NEW), False)
    assert written.leftover is not None
    assert (vault / written.leftover.path).read_bytes() == OLD
    assert files.leftovers("") == [written.leftover]
    assert files.has_exchange


def test_a_create_leaves_nothing_behind(vault: Path, files: Files) -> None:
    assert files.write(Write("fresh.md", NEW, None)) == Written("fresh.md", content_hash(NEW))
    assert (vault / "fresh.md").read_bytes() == NEW
    assert temps(vault) == []


def test_a_create_makes_the_folders_it_needs(vault: Path, files: Files) -> None:
    files.write(Write("projects/billing/fresh.md", NEW, None))
    assert (vault / "projects/billing/fresh.md").read_bytes() == NEW


def test_a_new_file_has_the_mode_that_an_editor_would_give_it(vault: Path, files: Files) -> None:
    files.write(Write("fresh.md", NEW, None))
    (vault / "other.md").touch()
    assert (vault / "fresh.md").stat().st_mode == (vault / "other.md").stat().st_mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_a_replace_keeps_mode_and_owner(vault: Path, files: Files, mode: int) -> None:
    note = vault / "note.md"
    note.chmod(mode)
    if os.getuid() == 0:
        os.chown(note, 1234, 5678)
    before = note.stat()
    files.write(Write("note.md", NEW, content_hash(OLD)))
    after = note.stat()
    assert after.st_mode & 0o7777 == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)


def test_a_replace_keeps_the_users_attributes(vault: Path, files: Files) -> None:
    try:
        os.setxattr(vault / "note.md", "user.xdg.tags", b"important")
    except OSError as error:
        pytest.skip(f"this file system has no user attributes: {error}")
    files.write(Write("note.md", NEW, content_hash(OLD)))
    assert os.getxattr(vault / "note.md", "user.xdg.tags") == b"important"


@pytest.mark.parametrize("expect", [content_hash(b"something else"), "", "../../x", "0" * 63, "G" * 64])
def test_a_stale_hash_leaves_the_file_untouched(vault: Path, files: Files, expect: str) -> None:
    before = (vault / "note.md").stat()
    with pytest.raises(StaleHash):
        files.write(Write("note.md", NEW, expect))
    after = (vault / "note.md").stat()
    assert (vault / "note.md").read_bytes() == OLD
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert os.listdir(vault) == ["note.md"]


@pytest.mark.parametrize("path", ["gone.md", "no/such/folder.md", "note.md/x.md"])
def test_a_replace_of_a_missing_file_is_stale_and_creates_nothing(
    vault: Path, files: Files, path: str
) -> None:
    with pytest.raises(StaleHash):
        files.write(Write(path, NEW, content_hash(OLD)))
    assert os.listdir(vault) == ["note.md"]


def test_a_file_that_vanishes_between_check_and_swap_is_stale(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = exchange

    def moved_away_first(fd: int | None, one: str, other: str) -> None:
        os.rename(vault / "note.md", vault / "note.md~")
        real(fd, one, other)

    monkeypatch.setattr(files_module, "_exchange", moved_away_first)
    with pytest.raises(StaleHash):
        files.write(Write("note.md", NEW, content_hash(OLD)))
    assert os.listdir(vault) == ["note.md~"]


def test_a_taken_name_is_not_created_over(vault: Path, files: Files) -> None:
    (vault / "dangling.md").symlink_to("nowhere")
    (vault / "folder.md").mkdir()
    for name in ("note.md", "dangling.md", "folder.md"):
        with pytest.raises(AlreadyExists):
            files.write(Write(name, NEW, None))
    assert (vault / "note.md").read_bytes() == OLD
    assert temps(vault) == []


def test_a_link_is_not_written_through(vault: Path, files: Files, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_bytes(OLD)
    (vault / "link.md").symlink_to(tmp_path / "secret.md")
    (vault / "linked").symlink_to(tmp_path)
    for write in (
        Write("link.md", NEW, content_hash(OLD)),
        Write("linked/secret.md", NEW, content_hash(OLD)),
        Write("linked/fresh.md", NEW, None),
        Write("../fresh.md", NEW, None),
        Write(".~helix-0000000000000000.tmp", NEW, None),
    ):
        with pytest.raises(OutsideVault):
            files.write(write)
    assert (tmp_path / "secret.md").read_bytes() == OLD
    assert not (tmp_path / "fresh.md").exists()
    assert temps(vault) == []


@pytest.mark.parametrize(("kind", "can_swap"), [("folder", True), ("link", True), ("link", False)])
def test_a_folder_or_link_that_appears_before_the_swap_is_put_back(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch, kind: str, can_swap: bool
) -> None:
    real, pending = exchange if can_swap else unsupported, [kind]

    def replaced_first(fd: int | None, one: str, other: str) -> None:
        if pending:
            os.unlink(vault / "note.md")
            if pending.pop() == "folder":
                os.mkdir(vault / "note.md")
            else:
                os.symlink("elsewhere", vault / "note.md")
        real(fd, one, other)

    monkeypatch.setattr(files_module, "_exchange", replaced_first)
    with pytest.raises(StaleHash):
        files.write(Write("note.md", NEW, content_hash(OLD)))
    assert (vault / "note.md").is_dir() if kind == "folder" else (vault / "note.md").is_symlink()
    assert temps(vault) == []


def test_a_note_that_became_a_fifo_is_stale(vault: Path, files: Files) -> None:
    os.unlink(vault / "note.md")
    os.mkfifo(vault / "note.md")
    with pytest.raises(StaleHash):
        files.write(Write("note.md", NEW, content_hash(OLD)))
    assert os.listdir(vault) == ["note.md"]


def test_one_failing_write_does_not_stop_the_others(vault: Path, files: Files) -> None:
    outcomes = files.commit(
        [
            Write("a.md", NEW, None),
            Write("note.md", NEW, content_hash(b"stale")),
            Write("../x.md", NEW, None),
            Write("note.md", NEW, None),
            Write("n" * 300 + ".md", NEW, None),
            Write("sub/b.md", NEW, None),
            Write("a.md", OLD, content_hash(NEW)),
        ]
    )
    kinds = [type(outcome) for outcome in outcomes]
    assert kinds == [Written, StaleHash, OutsideVault, AlreadyExists, StorageError, Written, Written]
    assert (vault / "a.md").read_bytes() == OLD
    assert (vault / "sub/b.md").read_bytes() == NEW
    assert (vault / "note.md").read_bytes() == OLD
    assert len(temps(vault)) == 1


def test_a_large_batch_needs_few_descriptors_and_one_sync_per_folder(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    most_open = 0
    real = os.fsync

    def traced(fd: int) -> None:
        nonlocal most_open
        most_open = max(most_open, open_in(vault))
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))
        real(fd)

    (vault / "one").mkdir()
    (vault / "two").mkdir()
    monkeypatch.setattr(os, "fsync", traced)
    before = open_in(vault)
    outcomes = files.commit([Write(f"{('one', 'two')[n % 2]}/{n}.md", NEW, None) for n in range(150)])
    assert all(isinstance(outcome, Written) for outcome in outcomes)
    assert synced[150:] == [str(vault / "one"), str(vault / "two")]
    assert most_open < before + 80
    assert open_in(vault) == before


def test_the_folder_is_synced_after_the_swap_and_before_the_acknowledgement(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    real_sync, real_exchange = os.fsync, exchange

    def sync(fd: int) -> None:
        calls.append("sync folder" if os.path.isdir(f"/proc/self/fd/{fd}") else "sync file")
        real_sync(fd)

    def swap(fd: int | None, one: str, other: str) -> None:
        calls.append("swap")
        real_exchange(fd, one, other)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(files_module, "_exchange", swap)
    files.write(Write("note.md", NEW, content_hash(OLD)))
    assert calls == ["sync file", "swap", "sync folder"]


def test_a_replaced_vault_takes_no_writes(vault: Path, files: Files) -> None:
    os.rename(vault, f"{vault}.old")
    vault.mkdir()
    with pytest.raises(VaultUnavailable):
        files.write(Write("fresh.md", NEW, None))
    assert os.listdir(vault) == []
    assert os.listdir(f"{vault}.old") == ["note.md"]


@pytest.mark.parametrize("links", [True, False])
def test_without_exchange_a_replace_still_works_and_is_reported(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    monkeypatch.setattr(files_module, "_exchange", unsupported)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    written = files.write(Write("note.md", NEW, content_hash(OLD)))
    assert (vault / "note.md").read_bytes() == NEW
    assert not files.has_exchange
    assert files.leftovers("") == ([written.leftover] if links else [])
    with pytest.raises(StaleHash):
        files.write(Write("note.md", OLD, content_hash(OLD)))
    assert (vault / "note.md").read_bytes() == NEW


def test_without_exchange_an_editor_that_has_the_file_open_loses_nothing(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "_exchange", unsupported)
    with (vault / "note.md").open("r+b") as editor:
        leftover = files.write(Write("note.md", NEW, content_hash(OLD))).leftover
        editor.write(b"AN OLD TEXT")
    assert leftover is not None
    assert files.examine(leftover, later()).data == b"AN OLD TEXT" + OLD[11:]


def test_without_exchange_a_note_that_is_moved_away_after_the_check_is_stale(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved_away_first(fd: int | None, one: str, other: str) -> None:
        os.rename(vault / "note.md", vault / "note.md~")
        unsupported(fd, one, other)

    monkeypatch.setattr(files_module, "_exchange", moved_away_first)
    with pytest.raises(StaleHash):
        files.write(Write("note.md", NEW, content_hash(OLD)))
    assert os.listdir(vault) == ["note.md~"]


@pytest.mark.parametrize("links", [True, False])
def test_a_create_without_the_platforms_call_never_replaces(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    monkeypatch.setattr(files_module, "_rename_new", unsupported)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    files.write(Write("fresh.md", NEW, None))
    with pytest.raises(AlreadyExists):
        files.write(Write("note.md", NEW, None))
    assert (vault / "fresh.md").read_bytes() == NEW
    assert (vault / "note.md").read_bytes() == OLD
    assert temps(vault) == []


def test_the_branch_without_descriptors_of_folders_writes_too(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "BENEATH", False)
    files = Files(Root(vault))
    files.write(Write("sub/fresh.md", NEW, None))
    files.write(Write("note.md", NEW, content_hash(OLD)))
    assert (vault / "note.md").read_bytes() == (vault / "sub/fresh.md").read_bytes() == NEW
    assert not files.has_exchange
    [leftover] = files.leftovers("")
    finding = files.examine(leftover, later())
    assert files.discard(finding)
    assert sorted(os.listdir(vault)) == ["note.md", "sub"]


def test_a_save_between_check_and_swap_is_hinted_at_and_found(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = exchange

    def saved_first(fd: int | None, one: str, other: str) -> None:
        (vault / "note.md").write_bytes(b"a person's words\n")
        real(fd, one, other)

    monkeypatch.setattr(files_module, "_exchange", saved_first)
    written = files.write(Write("note.md", NEW, content_hash(OLD)))
    assert written.late_save
    assert written.leftover is not None
    finding = files.examine(written.leftover, later())
    assert (finding.state, finding.data) == (State.LATE_SAVE, b"a person's words\n")


def test_a_swapped_out_file_is_pending_then_garbage_and_discard_removes_it(vault: Path, files: Files) -> None:
    leftover = files.write(Write("note.md", NEW, content_hash(OLD))).leftover
    assert leftover is not None
    young = files.examine(leftover, time.time())
    assert young.state is State.PENDING
    with pytest.raises(BadValue):
        files.discard(young)
    finding = files.examine(leftover, later())
    assert finding.state is State.GARBAGE
    assert files.discard(finding)
    assert files.discard(finding)
    assert os.listdir(vault) == ["note.md"]


def test_a_late_save_is_kept_until_it_is_discarded_and_only_as_it_was_examined(
    vault: Path, files: Files
) -> None:
    leftover = files.write(Write("note.md", NEW, content_hash(OLD))).leftover
    assert leftover is not None
    (vault / leftover.path).write_bytes(b"late\n")
    first = files.examine(leftover, later())
    assert (first.state, first.data) == (State.LATE_SAVE, b"late\n")
    (vault / leftover.path).write_bytes(b"later still\n")
    assert not files.discard(first)
    second = files.examine(leftover, later())
    assert second.data == b"later still\n"
    assert files.discard(second)
    assert files.leftovers("") == []


def test_garbage_that_turned_into_a_save_is_not_discarded(vault: Path, files: Files) -> None:
    leftover = files.write(Write("note.md", NEW, content_hash(OLD))).leftover
    assert leftover is not None
    finding = files.examine(leftover, later())
    (vault / leftover.path).write_bytes(b"late\n")
    assert not files.discard(finding)
    assert (vault / leftover.path).read_bytes() == b"late\n"


def test_a_file_that_an_editor_still_has_open_stays_pending_however_old_it_is(
    vault: Path, files: Files
) -> None:
    with (vault / "note.md").open("r+b") as editor:
        leftover = files.write(Write("note.md", NEW, content_hash(OLD))).leftover
        assert leftover is not None
        assert files.examine(leftover, later() + 3600).state is State.PENDING
        editor.truncate()
        editor.write(b"saved an hour later\n")
    assert files.examine(leftover, later()).data == b"saved an hour later\n"


def test_an_emptied_leftover_waits_for_its_text_before_it_is_garbage(vault: Path, files: Files) -> None:
    leftover = files.write(Write("note.md", NEW, content_hash(OLD))).leftover
    assert leftover is not None
    os.truncate(vault / leftover.path, 0)
    assert files.examine(leftover, later()).state is State.PENDING
    assert files.examine(leftover, later() + 60).state is State.GARBAGE


def test_an_mtime_in_the_future_does_not_keep_a_leftover_for_ever(vault: Path, files: Files) -> None:
    os.utime(vault / "note.md", (later() + 1e6, later() + 1e6))
    leftover = files.write(Write("note.md", NEW, content_hash(OLD))).leftover
    assert leftover is not None
    assert files.examine(leftover, later()).state is State.GARBAGE


def test_an_unfinished_temp_is_garbage_after_a_minute(vault: Path, files: Files) -> None:
    (vault / ".~helix-00112233445566aa.tmp").write_bytes(b"half a no")
    [leftover] = files.leftovers("")
    assert files.examine(leftover, time.time() + 30).state is State.PENDING
    finding = files.examine(leftover, time.time() + 61)
    assert finding.state is State.GARBAGE
    assert files.discard(finding)


def test_only_our_own_temp_names_are_leftovers(vault: Path, files: Files) -> None:
    for name in (".~lock.note.odt#", ".~helix-notes.md", "note.tmp", ".~helix-xyz.tmp"):
        (vault / name).touch()
    assert files.leftovers("") == []
    assert files.leftovers("no/such/folder") == []
    with pytest.raises(BadValue):
        files.examine(Leftover("note.md", None, None), later())


def test_a_leftover_that_is_gone_is_garbage(files: Files) -> None:
    gone = Leftover.find("", ".~helix-00112233445566aa.tmp")
    assert gone is not None
    finding = files.examine(gone, later())
    assert finding.state is State.GARBAGE
    assert files.discard(finding)


def test_threads_that_write_one_file_never_lose_an_update(vault: Path, files: Files) -> None:
    (vault / "count.md").write_bytes(b"0")
    rounds = scaled(15)

    def add() -> None:
        for _ in range(rounds):
            while True:
                seen = (vault / "count.md").read_bytes()
                try:
                    files.write(Write("count.md", str(int(seen) + 1).encode(), content_hash(seen)))
                    break
                except StaleHash:
                    continue

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (vault / "count.md").read_bytes() == str(4 * rounds).encode()
    found = {files.examine(leftover, later()).state for leftover in files.leftovers("")}
    assert found == {State.GARBAGE}


def test_an_interrupt_leaves_no_temp_and_no_descriptor(
    vault: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = open_in(vault)
    synced = 0

    def interrupted(fd: int) -> None:
        nonlocal synced
        synced += 1
        if synced == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        files.commit([Write(f"{n}.md", NEW, None) for n in range(3)])
    assert os.listdir(vault) == ["note.md"]
    assert open_in(vault) == before


def test_a_file_that_is_named_like_a_temp_and_larger_than_a_note_is_neither_read_nor_removed(
    vault: Path, files: Files
) -> None:
    name = ".~helix-aaaaaaaaaaaa-bbbbbbbbbbbb-cccccccccccccccc.tmp"
    with (vault / name).open("wb") as file:
        file.truncate(2 * 1024**3)
    os.utime(vault / name, (0, 0))
    [leftover] = files.leftovers("")
    tracemalloc.start()
    try:
        finding = files.examine(leftover, later())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (finding.state, finding.data) == (State.TOO_LARGE, b"")
    assert peak < 1_000_000
    with pytest.raises(BadValue):
        files.discard(finding)
    assert (vault / name).exists()
