"""The files of the page as they are served: what a browser may keep, may run, and may not."""

from __future__ import annotations

import re
from importlib.resources import files
from posixpath import dirname, join, normpath

import httpx
import pytest

from helix.surfaces.dashboard.files import read_files
from helix.surfaces.dashboard.routes import POLICY
from tests.surfaces.conftest import Served

PARTS = read_files().parts
SCRIPTS = sorted(name for name in PARTS if name.endswith(".js"))


def test_the_page_is_asked_for_anew_and_its_parts_are_kept_for_ever(board: Served) -> None:
    page = board.http.get("/")
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "no-cache"
    again = board.http.get("/", headers={"If-None-Match": page.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    named = re.findall(r'(?:src|href)="(/ui/[^"]+)"', page.text)
    assert len(named) >= 5
    for path in named:
        part = board.http.get(path)
        assert part.status_code == 200, path
        assert part.headers["Cache-Control"] == "public, max-age=31536000, immutable"


def test_the_name_of_a_part_changes_with_what_any_part_says(board: Served) -> None:
    known = read_files()
    assert f"/ui/{known.fingerprint}/app.js".encode() in known.page.data
    old = board.http.get("/ui/0123456789abcdef/app.js")
    assert old.status_code == 404
    assert old.json()["code"] == "no-such-path"


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource", "/favicon.ico", "/index.html", "/ui", "/ui/", "/ui/FINGERPRINT/",
        "/ui/FINGERPRINT/../files.py", "/ui/FINGERPRINT/%2e%2e/files.py", "/ui/FINGERPRINT/index.html",
        "/ui/FINGERPRINT//app.js", "/ui/FINGERPRINT/views", "/assets/app.js",
    ],
)  # fmt: skip
def test_what_is_no_part_of_the_page_is_not_there(board: Served, path: str) -> None:
    fingerprint = read_files().fingerprint
    answer = board.http.get(httpx.URL(board.url + path.replace("FINGERPRINT", fingerprint)))
    assert answer.status_code == 404
    assert set(answer.json()) == {"error", "code"}


def test_nothing_but_its_own_files_may_run(board: Served) -> None:
    for path in ("/", f"/ui/{read_files().fingerprint}/app.js"):
        headers = board.http.get(path).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
    assert "unsafe" not in POLICY
    assert {"default-src 'none'", "script-src 'self'", "connect-src 'self'", "form-action 'none'"} <= set(
        POLICY.split("; ")
    )


def test_every_module_imports_only_modules_that_are_there() -> None:
    for name in SCRIPTS:
        text = PARTS[name].data.decode()
        for target in re.findall(r'^(?:import|\} from)\b[^"\n]*"([^"]+)"', text, re.MULTILINE):
            assert target.startswith("."), (name, target)
            assert normpath(join(dirname(name), target)) in PARTS, (name, target)


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_turns_text_into_markup_or_code(name: str) -> None:
    text = PARTS[name].data.decode()
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "srcdoc",
    ):
        assert way not in text, (name, way)
    if name != "sanitize.js":
        assert "parseFromString" not in text


def test_no_file_names_another_host() -> None:
    for name, part in PARTS.items():
        for address in re.findall(r"https?://[^\s\"'`)]+", part.data.decode()):
            assert address == "http://www.w3.org/2000/svg", (name, address)


def test_the_page_is_made_of_files_a_person_can_read() -> None:
    folder = files("helix.surfaces.dashboard") / "static"
    assert (folder / "index.html").is_file()
    assert sum(len(part.data) for part in PARTS.values()) < 300_000
    assert "<script>" not in read_files().page.data.decode()
