"""The page of the SDK: its snippets run in order against a real daemon, and print what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

import helix
from tests.client.conftest import daemon_at

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python-sdk.md"
_SNIPPET = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)


def test_the_snippets_of_the_page_run_and_print_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page").mkdir()
    names: dict[str, object] = {}
    with daemon_at(tmp_path / "page", {"README.md": "A vault of my own.\n"}) as running:
        monkeypatch.setenv("HELIX_URL", running.url)
        for code, wanted in _SNIPPET.findall(PAGE.read_text("utf-8")):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, str(PAGE), "exec"), names)  # noqa: S102 (the page is ours)
            assert printed.getvalue() == wanted, code


def test_the_page_names_every_verb_and_every_error() -> None:
    page = PAGE.read_text("utf-8")
    verbs = [
        name for name in vars(helix.Helix) if not name.startswith("_") and name not in ("close", "graph_page")
    ]
    errors = [name for name in helix.__all__ if issubclass(getattr(helix, name), Exception)]
    assert [name for name in (*verbs, *errors) if f"`{name}" not in page] == []
