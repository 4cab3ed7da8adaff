from __future__ import annotations

import os
import re
import socket
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.errors import NoteError, OutsideVault, StorageError, TooLarge, VaultMissing
from helix.vault import folder as folder_module
from helix.vault.paths import TEMP_PREFIX, Root, check, folder_name, slug
from tests.vault.descriptors import open_in

LIMIT = 1000


@pytest.fixture(params=["descriptors", "real paths"])
def root(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Root]:
    """Every test runs a second time on the branch that Windows takes."""
    if request.param == "real paths":
        monkeypatch.setattr(folder_module, "BENEATH", False)
        monkeypatch.setattr(folder_module, "_NOFOLLOW", 0)
        monkeypatch.setattr(folder_module, "_ALWAYS", os.O_CLOEXEC)
    vault = tmp_path / "vault"
    (vault / "projects" / "billing").mkdir(parents=True)
    (vault / "top.md").write_bytes(b"top")
    (vault / "projects" / "billing" / "x.md").write_bytes(b"inside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_bytes(b"secret")
    opened = Root(vault)
    yield opened
    opened.close()


def outside(root: Root) -> Path:
    return Path(root.path).parent / "outside"


@pytest.mark.parametrize(
    "rel",
    [
        "",
        "/etc/passwd",
        "//server/share",
        "..",
        "../x.md",
        "a/../../x.md",
        "a/..",
        ".",
        "./x.md",
        "a/./x.md",
        "a//x.md",
        "a/",
        "a\\b.md",
        "..\\x.md",
        "a\0.md",
        "C:/x.md",
        "c:x.md",
        "C:",
        f"{TEMP_PREFIX}00.tmp",
        f"a/{TEMP_PREFIX}00.tmp",
        "lone-\ud800.md",
    ],
)
def test_a_path_that_could_leave_the_vault_is_refused(root: Root, rel: str) -> None:
    with pytest.raises(OutsideVault):
        check(rel)
    with pytest.raises(OutsideVault):
        root.read(rel, LIMIT)
    with pytest.raises(OutsideVault):
        root.stat(rel)
    if rel:
        with pytest.raises(OutsideVault):
            root.make_dirs(rel)


@pytest.mark.parametrize(
    "rel",
    ["x.md", "a/b c/d.md", "...md", "..x/y.md", "day: a plan.md", "e\u0301.md", "é.md", "日本.md", "~x"],
)
def test_an_ordinary_path_comes_back_unchanged(rel: str) -> None:
    assert check(rel) == rel


def test_a_name_that_is_not_utf8_can_be_read(root: Root) -> None:
    raw = b"caf\xe9.md"
    Path(root.path, os.fsdecode(raw)).write_bytes(b"latin")
    assert root.read(os.fsdecode(raw), LIMIT) == b"latin"


@given(st.text())
def test_whatever_check_lets_through_stays_beneath_the_root(rel: str) -> None:
    try:
        check(rel)
    except OutsideVault:
        return
    joined = os.path.normpath(os.path.join("/vault", rel))
    assert joined.startswith("/vault/")
    assert joined == f"/vault/{rel}"


def test_read_returns_the_bytes_and_stat_and_exists_agree(root: Root) -> None:
    assert root.read("projects/billing/x.md", LIMIT) == b"inside"
    assert root.stat("top.md").st_size == 3
    assert root.exists("top.md")
    assert not root.exists("gone.md")
    assert not root.exists("no/such/folder.md")
    assert not root.exists("top.md/x.md")


@pytest.mark.parametrize("rel", ["gone.md", "projects/gone/x.md", "top.md/x.md"])
def test_a_missing_file_is_file_not_found(root: Root, rel: str) -> None:
    with pytest.raises(FileNotFoundError):
        root.read(rel, LIMIT)


@pytest.mark.parametrize(
    "target", ["outside/secret.md", "vault/top.md", "outside/no-such-file", "vault/self.md"]
)
def test_a_linked_file_is_not_followed(root: Root, target: str) -> None:
    link = Path(root.path, "self.md")
    link.symlink_to(Path(root.path).parent / target)
    with pytest.raises(OutsideVault):
        root.read("self.md", LIMIT)
    assert root.exists("self.md")


@pytest.mark.parametrize("target", ["outside", "vault/projects", "no-such-folder"])
def test_a_linked_folder_is_not_followed(root: Root, target: str) -> None:
    Path(root.path, "linked").symlink_to(Path(root.path).parent / target, target_is_directory=True)
    for use in (
        lambda: root.read("linked/secret.md", LIMIT),
        lambda: root.stat("linked/secret.md"),
        lambda: root.folder("linked"),
        lambda: root.make_dirs("linked/new"),
    ):
        with pytest.raises(OutsideVault):
            use()
    assert os.listdir(outside(root)) == ["secret.md"]


def test_a_chain_of_links_is_not_followed(root: Root) -> None:
    Path(root.path, "one").symlink_to(outside(root))
    Path(root.path, "two").symlink_to("one")
    Path(root.path, "projects", "three").symlink_to("../two")
    with pytest.raises(OutsideVault):
        root.read("projects/three/secret.md", LIMIT)


def test_a_vault_that_is_itself_reached_by_a_link_works(root: Root, tmp_path: Path) -> None:
    (tmp_path / "shortcut").symlink_to(root.path)
    shortcut = Root(tmp_path / "shortcut")
    assert shortcut.path == root.path
    assert shortcut.read("top.md", LIMIT) == b"top"
    shortcut.close()


def test_a_fifo_is_refused_without_waiting_for_a_writer(root: Root) -> None:
    os.mkfifo(Path(root.path, "pipe.md"))
    with pytest.raises(NoteError):
        root.read("pipe.md", LIMIT)


def test_a_folder_a_socket_and_a_device_are_not_read(root: Root) -> None:
    with pytest.raises(NoteError):
        root.read("projects", LIMIT)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.join(root.path, "s.md"))
        with pytest.raises(NoteError):  # the kernel does not open a socket at all
            root.read("s.md", LIMIT)
    try:
        os.mknod(Path(root.path, "null.md"), 0o20600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("making a device needs root; the rest of this test ran")
    with pytest.raises(NoteError):
        root.read("null.md", LIMIT)


def test_a_file_above_the_limit_is_refused_before_it_is_read(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    big = Path(root.path, "big.md")
    big.write_bytes(b"x" * LIMIT)
    assert len(root.read("big.md", LIMIT)) == LIMIT
    with big.open("wb") as sparse:
        sparse.truncate(1 << 40)

    def forbidden(fd: int, size: int) -> bytes:
        raise AssertionError("the file was read")

    monkeypatch.setattr(os, "read", forbidden)
    with pytest.raises(TooLarge):
        root.read("big.md", LIMIT)


def test_a_file_that_grows_while_it_is_read_is_refused(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    real, endless = os.read, 50

    def growing(fd: int, size: int) -> bytes:
        nonlocal endless
        endless -= 1
        return real(fd, size) + b"x" * LIMIT if endless else b""

    monkeypatch.setattr(os, "read", growing)
    with pytest.raises(TooLarge):
        root.read("top.md", LIMIT)


def test_an_unreadable_answer_of_the_disk_is_a_storage_error(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(fd: int, size: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", broken)
    with pytest.raises(StorageError) as caught:
        root.read("top.md", LIMIT)
    assert caught.value.code == "io-error"


def test_make_dirs_makes_what_is_missing_and_syncs_each_parent(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync

    def traced(fd: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{fd}"))
        real(fd)

    monkeypatch.setattr(os, "fsync", traced)
    root.make_dirs("projects/new/deep")
    root.make_dirs("projects/new/deep")
    assert Path(root.path, "projects/new/deep").is_dir()
    if folder_module.BENEATH:
        assert synced == [f"{root.path}/projects", f"{root.path}/projects/new"]


def test_a_root_that_was_replaced_or_removed_is_noticed(root: Root) -> None:
    assert root.alive()
    aside = Path(root.path).parent / "aside"
    os.rename(root.path, aside)
    assert not root.alive()
    os.mkdir(root.path)
    assert not root.alive()
    os.rmdir(root.path)
    os.rename(aside, root.path)
    assert root.alive()


def test_a_vault_that_is_not_a_folder_is_missing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(VaultMissing):
            Root(path)


def test_no_descriptor_is_left_open(root: Root) -> None:
    Path(root.path, "linked").symlink_to(outside(root))
    before = open_in(Path(root.path).parent)
    for rel in ("top.md", "gone.md", "linked/secret.md", "projects/billing/x.md", "top.md/x", "projects"):
        try:
            root.read(rel, LIMIT)
        except (FileNotFoundError, OutsideVault, NoteError):
            continue
    assert open_in(Path(root.path).parent) == before


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Auth client retry policy", "auth-client-retry-policy"),
        ("  Crème brûlée -- à la carte!  ", "creme-brulee-a-la-carte"),
        ("Größe, Łódź, Ærøskøbing", "grosse-lodz-aeroskobing"),
        ("日本語", "note"),
        ("日本語 API v2", "api-v2"),
        ("../../etc/passwd", "etc-passwd"),
        ("", "note"),
        ("x" * 60, "x" * 48),
        ("a" * 47 + " b", "a" * 47),
    ],
)
def test_slugs_of_titles(title: str, expected: str) -> None:
    assert slug(title) == expected


@given(st.text(), st.integers(min_value=4, max_value=80))
def test_a_slug_is_always_a_safe_name(title: str, limit: int) -> None:
    made = slug(title, limit)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", made)
    assert len(made) <= limit
    assert slug(made, limit) == made
    assert slug(unicodedata.normalize("NFC", title), limit) == slug(
        unicodedata.normalize("NFD", title), limit
    )
    assert check(made) == made


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Billing API", "billing-api"),
        ("CON", "con-x"),
        ("com1", "com1-x"),
        ("LPT9", "lpt9-x"),
        ("nul", "nul-x"),
        ("COM¹", "com1-x"),
        ("console", "console"),
        ("", "unnamed"),
        ("日本", "unnamed"),
        ("..", "unnamed"),
    ],
)
def test_folder_names_of_projects(name: str, expected: str) -> None:
    assert folder_name(name) == expected
