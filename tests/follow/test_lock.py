from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from helix.errors import VaultLocked
from helix.follow.lock import FollowLock


def test_a_second_follower_is_refused_and_told_who_follows(tmp_path: Path) -> None:
    first = FollowLock(tmp_path / "state")
    first.acquire()
    with pytest.raises(VaultLocked) as caught:
        FollowLock(tmp_path / "state").acquire()
    assert f"process {os.getpid()}" in caught.value.message
    first.release()
    FollowLock(tmp_path / "state").acquire()


def test_only_a_daemon_that_holds_the_lock_is_found_by_it(tmp_path: Path) -> None:
    assert FollowLock(tmp_path / "state").find_daemon() is None
    lock = FollowLock(tmp_path / "state")
    lock.acquire(briefly=True)
    assert FollowLock(tmp_path / "state").find_daemon() is None
    lock.release()
    lock.acquire()
    assert FollowLock(tmp_path / "state").find_daemon() == os.getpid()
    lock.release()
    assert FollowLock(tmp_path / "state").find_daemon() is None


def test_followers_of_two_vaults_do_not_meet(tmp_path: Path) -> None:
    FollowLock(tmp_path / "a").acquire()
    FollowLock(tmp_path / "b").acquire()


def test_a_process_that_was_killed_leaves_no_lock_behind(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from helix.follow.lock import FollowLock\n"
        "lock = FollowLock(pathlib.Path(sys.argv[1])); lock.acquire(); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(VaultLocked, match=f"process {other.pid}"):
            FollowLock(tmp_path).acquire()
        other.kill()
    FollowLock(tmp_path).acquire()


def test_who_waits_gets_the_lock_that_a_command_gives_back(tmp_path: Path) -> None:
    command = FollowLock(tmp_path)
    command.acquire(briefly=True)
    threading.Timer(0.2, command.release).start()
    FollowLock(tmp_path).acquire(patience=10)


def test_nobody_waits_for_a_daemon(tmp_path: Path) -> None:
    daemon = FollowLock(tmp_path)
    daemon.acquire()
    started = time.monotonic()
    with pytest.raises(VaultLocked):
        FollowLock(tmp_path).acquire(patience=10)
    assert time.monotonic() - started < 5


def test_a_lock_whose_file_was_deleted_is_not_held_any_more(tmp_path: Path) -> None:
    lock = FollowLock(tmp_path)
    lock.acquire()
    assert lock.is_held()
    (tmp_path / "follow.lock").unlink()
    assert not lock.is_held()
    FollowLock(tmp_path).acquire()
    assert not lock.is_held()
