from __future__ import annotations

import ctypes
import errno
import os
import sys
import threading
from pathlib import Path

import pytest

from helix.vault import syscalls
from helix.vault.syscalls import exchange, rename_new, without_writers

linux = pytest.mark.skipif(sys.platform != "linux", reason="leases are a call of Linux")


@pytest.fixture
def fd(tmp_path: Path) -> int:
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    return os.open(tmp_path, os.O_RDONLY)


def test_exchange_swaps_two_names(tmp_path: Path, fd: int) -> None:
    exchange(fd, "a", "b")
    assert (tmp_path / "a").read_bytes() == b"b"
    assert (tmp_path / "b").read_bytes() == b"a"


def test_exchange_with_a_missing_name_changes_nothing(tmp_path: Path, fd: int) -> None:
    with pytest.raises(FileNotFoundError):
        exchange(fd, "a", "c")
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_rename_new_refuses_a_taken_name(tmp_path: Path, fd: int) -> None:
    with pytest.raises(FileExistsError):
        rename_new(fd, "a", "b")
    rename_new(fd, "a", "c")
    assert sorted(os.listdir(tmp_path)) == ["b", "c"]


def test_a_platform_without_the_call_says_so() -> None:
    with pytest.raises(OSError, match="not implemented") as caught:
        exchange(None, "a", "b")
    assert caught.value.errno in syscalls.UNSUPPORTED


def test_an_interrupted_call_is_made_again(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [-1, -1, 0]

    def interrupted(*args: object) -> int:
        ctypes.set_errno(errno.EINTR)
        return answers.pop(0)

    monkeypatch.setattr(syscalls, "_rename", interrupted)
    exchange(fd, "a", "b")
    assert answers == []


@linux
def test_somebody_who_has_the_file_open_for_writing_is_seen(tmp_path: Path, fd: int) -> None:
    reader = os.open(tmp_path / "a", os.O_RDONLY)
    with (tmp_path / "a").open("r+b"), without_writers(reader) as alone:
        assert not alone
    with (tmp_path / "a").open("rb"), without_writers(reader) as alone:
        assert alone
    os.close(reader)


@linux
def test_a_writer_who_comes_meanwhile_waits_and_harms_nobody(tmp_path: Path, fd: int) -> None:
    reader = os.open(tmp_path / "a", os.O_RDONLY)
    done = threading.Event()

    def save() -> None:
        (tmp_path / "a").write_bytes(b"saved")
        done.set()

    writer = threading.Thread(target=save)
    with without_writers(reader) as alone:
        assert alone
        writer.start()
        assert not done.wait(0.1)
        assert os.pread(reader, 9, 0) == b"a"
    writer.join(10)
    assert (tmp_path / "a").read_bytes() == b"saved"
    os.close(reader)
