"""Ids that are no ids: on no route does one of them read or change anything."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.surfaces.conftest import Served

_ROOTS = [
    "etc/passwd",
    "etc/shadow",
    "windows/win.ini",
    "vault/../../secret.md",
    "state/catalog.db",
    ".git/config",
]
_UPS = ["../", "..\\", "%2e%2e/", "..%2f", "%2e%2e%2f", "..%5c", "....//", "..;/", "%252e%252e%252f", "..%c0%af",
        "..%ef%bc%8f", "\u2025/", "./", "//", "/"]  # fmt: skip
_ODD = [
    "\x00", "mem\x00.md", "%00", "mem_x%00.md", "\n", "\r\n", "mem\tx", " ", ".", "..", "...", "~", "~root", "$HOME",
    "C:\\boot.ini", "\\\\host\\share", "file:///etc/passwd", "http://attacker.example/", "con", "nul", "aux.md",
    "mem_" + "x" * 1_000, "a" * 10_000, "\u202egnp.md", "\u200b", "\ufeff", "e\u0301", "🦊", "مذكرة", "';--",
    "' OR 1=1 --", "${7*7}", "{{7*7}}", "<script>", "*", "?", "#", "%", "%zz", "[[x]]", "-rf", "--help", "|id", "`id`",
    "projects/default/a.md", ".helix/vault.toml", "README.md", "0", "-1", "null", "None", "true", "[]", "{}",
]  # fmt: skip
IDS = [*_ODD, *(up * depth + root for root in _ROOTS for up in _UPS for depth in (1, 4))]


def test_there_are_at_least_two_hundred() -> None:
    assert len(set(IDS)) >= 200


@pytest.fixture(scope="module")
def secret(served: Served) -> str:
    text = "outside the vault"
    (served.place / "secret.md").write_text(f"---\nid: outside\n---\n{text}\n")
    return text


@pytest.mark.parametrize("path", ["/memory/{}", "/memory/{}/neighbors", "/memory/{}/history"])
def test_reading_one_finds_nothing(served: Served, secret: str, path: str) -> None:
    for odd in IDS:
        for written in {quote(odd, safe=""), quote(odd, safe="/%")}:
            if written in ("", ".", "..") or len(written) > 60_000:
                continue  # a client takes these for the path itself
            answer = served.http.get(path.format(written))
            allowed = (
                answer.status_code == 200 and "versions" in answer.text and not answer.json()["versions"]
            )
            assert 400 <= answer.status_code < 500 or allowed, (odd, answer.status_code, answer.text[:200])
            assert secret not in answer.text
            assert "root:" not in answer.text


def test_changing_one_changes_nothing(served: Served, secret: str) -> None:
    other = served.remember("The far end of an edge")
    before = served.bytes()
    for odd in IDS:
        for path, body in (
            ("/forget", {"id": odd}),
            ("/forget", {"id": odd, "mode": "hard"}),
            ("/restore", {"id": odd}),
            ("/file", {"ids": [odd, other], "project": "harbour"}),
            ("/relate", {"from": odd, "to": other, "rel": "refines"}),
            ("/relate", {"from": other, "to": odd, "rel": "refines"}),
            ("/remember", {"text": "It replaces something", "supersede_hint": odd, "force": True}),
        ):
            answer = served.http.post(path, json=body)
            assert 400 <= answer.status_code < 500, (path, odd, answer.status_code, answer.text[:200])
        patched = served.http.patch(f"/memory/{quote(odd, safe='')}x", json={"text": "changed"})
        assert 400 <= patched.status_code < 500
    for odd in IDS[::5]:  # git is asked for each
        assert 400 <= served.http.post("/restore", json={"id": odd, "at": "HEAD"}).status_code < 500
    assert served.bytes() == before
    assert secret in (served.place / "secret.md").read_text()


def test_a_project_or_a_title_names_no_place_outside(served: Served) -> None:
    outside = set(served.place.iterdir())
    for odd in IDS:
        answer = served.http.post(
            "/remember",
            json={"text": f"About {len(odd)} and more", "title": odd[:200], "project": odd, "force": True},
        )
        assert answer.status_code in (200, 400, 422), (odd, answer.status_code, answer.text[:200])
    assert set(served.place.iterdir()) == outside
    assert not any(part == ".." for file in served.vault.rglob("*") for part in file.parts)
