"""Documents that cannot lie: links lead somewhere, reference pages match the code, README's commands run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helix.cli.reference import render
from helix.cli.settings_page import render as render_settings
from helix.doctor.reference import render as render_findings
from helix.memory.verbs.page import render as render_verbs
from helix.surfaces.errors_page import render as render_errors
from helix.surfaces.rest.reference import render as render_routes

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_page_of_the_commands_is_what_the_commands_say() -> None:
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == render(), "run `make docs`"


def test_the_page_of_the_routes_is_what_the_routes_say() -> None:
    assert (ROOT / "docs" / "rest-api.md").read_text("utf-8") == render_routes(), "run `make docs`"


def test_the_page_of_findings_is_what_the_doctor_finds() -> None:
    assert (ROOT / "docs" / "doctor.md").read_text("utf-8") == render_findings(), "run `make docs`"


def test_the_page_of_the_verbs_is_their_table() -> None:
    assert (ROOT / "docs" / "verbs.md").read_text("utf-8") == render_verbs(), "run `make docs`"


def test_readme_leads_with_the_two_commands_and_stays_short() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) <= 150
    assert text.index("make run") < text.index("make test") < text.index("helix init")
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_page_of_the_settings_is_what_the_settings_say() -> None:
    assert (ROOT / "docs" / "configuration.md").read_text("utf-8") == render_settings(), "run `make docs`"


def test_the_page_of_the_errors_is_what_the_codes_say() -> None:
    assert (ROOT / "docs" / "errors.md").read_text("utf-8") == render_errors(), "run `make docs`"
