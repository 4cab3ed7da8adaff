"""What a document may try: each costs a sentence, and the next one is read as if nothing had been."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from helix.errors import BadValue
from helix.knowledge.documents import converter as of_converter
from helix.knowledge.documents import folder
from helix.knowledge.documents.converted import Unreadable
from helix.knowledge.documents.converter import Converter
from helix.knowledge.documents.folder import list_documents, read_document
from helix.knowledge.documents.formats import Format, find_format
from tests.knowledge import files


def _other_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("hello.txt", "hello")
    return file.getvalue()


HOSTILE = {
    "empty.pdf": (b"", "it is empty"),
    "blank.txt": (b"  \n\n", "it is empty"),
    "page.pdf": (b"<html>no PDF at all</html>", "does not begin like one"),
    "truncated.pdf": (files.pdf(["one", "two"])[:300], "damaged"),
    "locked.pdf": (files.pdf(["x"], password="wombat"), "password"),  # noqa: S106
    "picture.pdf": (files.pdf([""]), "no text, only pictures"),
    "old.docx": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "password, or of an Office before 2007"),
    "truncated.docx": (files.word()[:5000], "damaged"),
    "other.docx": (_other_zip(), "there is no word/document.xml in it"),
    "bomb.docx": (files.zip_bomb(), "would unpack to more than 256 MiB"),
    "truncated.pptx": (files.slides()[:9000], "damaged"),
    "truncated.xlsx": (files.sheets()[:2000], "damaged"),
    "broken.ipynb": (b'{"cells": [', "no JSON"),
    "deep.ipynb": (b"[" * 500_000, "damaged|deep"),
    "other.ipynb": (b"[1, 2]", "no notebook"),
    "program.txt": (b"\x7fELF\x00\x01", "NUL bytes"),
    "deep.html": (b"<div>" * 200_000 + b"x", "nested too deeply|reader gave up|seconds|memory|crashed"),
}


def _form(name: str) -> Format:
    form = find_format(name)
    assert form is not None
    return form


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_is_a_sentence_and_the_next_one_is_read(name: str) -> None:
    data, why = HOSTILE[name]
    with Converter(seconds=20) as converter:
        with pytest.raises(Unreadable, match=why):
            converter.convert(_form(name), data)
        assert converter.convert(_form("next.pdf"), files.pdf(["All is well."])).stretches


def test_a_reader_that_never_ends_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_converter, "_COMMAND", ("sleep", "60"))
    with Converter(seconds=0.2) as converter, pytest.raises(Unreadable, match="more than 0 seconds"):
        converter.convert(_form("a.html"), b"<p>hello</p>")


def test_a_reader_that_dies_is_begun_again() -> None:
    with Converter() as converter:
        converter.convert(_form("a.html"), b"<p>hello</p>")
        process = converter._process
        assert process is not None
        process.kill()
        process.wait()
        with pytest.raises(Unreadable, match="crashed"):
            converter.convert(_form("a.html"), b"<p>hello</p>")
        assert converter.convert(_form("a.html"), b"<p>hello</p>").stretches


def test_the_process_of_the_readers_gets_no_tokens_of_its_surroundings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HELIX_TOKEN", "wombat-token")
    monkeypatch.setenv("SOME_API_KEY", "wombat-key")
    with Converter() as converter:
        converter.convert(_form("a.html"), b"<p>hello</p>")
        process = converter._process
        assert process is not None
        variables = Path(f"/proc/{process.pid}/environ").read_bytes()
    assert b"PATH=" in variables
    assert b"wombat" not in variables


def test_the_process_of_the_readers_cannot_write_a_file() -> None:
    import subprocess
    import sys

    code = (
        "import sys, resource; from helix.knowledge.documents import conversion_process as p; import io;"
        "sys.stdin = io.TextIOWrapper(io.BytesIO()); p.main();"
        "print(resource.getrlimit(resource.RLIMIT_FSIZE)[0], resource.getrlimit(resource.RLIMIT_AS)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout + done.stderr).split() == ["0", str(2**30)]


def test_links_pipes_and_what_is_hidden_are_left_where_they_are(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("# Not yours")
    place = tmp_path / "papers"
    (place / ".git").mkdir(parents=True)
    (place / ".git" / "config.md").write_text("hidden")
    (place / "a.md").write_text("# Yours")
    (place / "b.exe").write_bytes(b"MZ")
    (place / "link.md").symlink_to(outside)
    (place / "linked").symlink_to(tmp_path)
    os.mkfifo(place / "pipe.md")
    listed = list_documents(place)
    assert listed.files == [place / "a.md"]
    assert listed.ignored == {".exe": 1}
    assert {path.name: why for path, why in listed.refused} == {
        "link.md": "is a symbolic link, which is not followed",
        "linked": "is a symbolic link, which is not followed",
        "pipe.md": "is no file but a pipe, a socket or a device",
    }


def test_what_became_a_link_or_a_pipe_meanwhile_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(Unreadable, match="symbolic link"):
        read_document(tmp_path / "link.md")
    with pytest.raises(Unreadable, match="pipe"):
        read_document(tmp_path / "pipe.md")
    with pytest.raises(Unreadable, match="No such file"):
        read_document(tmp_path / "gone.md")


def test_an_enormous_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "disk.txt"
    with file.open("wb") as made:
        made.truncate(65 * 2**20)
    with pytest.raises(Unreadable, match="65 MiB; at most 64 MiB"):
        read_document(file)


def test_a_folder_with_more_documents_than_are_taken_at_once_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_FILES", 3)
    for number in range(5):
        (tmp_path / f"{number}.md").write_text("x")
    with pytest.raises(BadValue, match="more than 3 documents"):
        list_documents(tmp_path)
