"""Documents that cannot lie: links lead somewhere, reference pages match the code, README's commands run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.cli.reference import render
from helix.cli.settings_page import render as render_settings
from helix.doctor.reference import render as render_findings
from helix.surfaces.errors_page import render as render_errors
from helix.surfaces.permissions_page import render as render_permissions
from helix.surfaces.rest.reference import render as render_routes
from helix.verb_reference import render as render_verbs

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
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


def test_the_page_of_the_permissions_is_what_the_code_says() -> None:
    assert (ROOT / "docs" / "permissions.md").read_text("utf-8") == render_permissions(), "run `make docs`"


def test_the_page_of_the_errors_is_what_the_codes_say() -> None:
    assert (ROOT / "docs" / "errors.md").read_text("utf-8") == render_errors(), "run `make docs`"


def test_every_module_that_the_architecture_names_is_on_its_floor() -> None:
    named = [*_of_the_floors(), *_of_the_rooms()]
    assert len(named) > 150
    assert [f"{floor}: {name}" for floor, name in named if not _is_on(ROOT / "helix" / floor, name)] == []


def test_every_path_that_the_architecture_names_is_a_module() -> None:
    floors = "|".join(sorted({floor for floor, _ in _of_the_floors()}))
    named = re.findall(rf"`((?:{floors})(?:/[a-z_]+)+)`", ARCHITECTURE)
    assert len(named) > 30
    assert [name for name in named if not (ROOT / "helix" / f"{name}.py").is_file()] == []


def test_the_architecture_tells_of_every_thread() -> None:
    said = set(re.findall(r"^\| `(helix-[a-z]+)`", _section("Threads"), re.MULTILINE))
    assert said == {name for file in (ROOT / "helix").rglob("*.py") for name in _threads_of(file)}


def test_every_lock_that_the_architecture_orders_is_in_its_module() -> None:
    rows = re.findall(r"^\| `([a-z_/]+)` \| `([\w.]+)` \|", _section("Locks"), re.MULTILINE)
    assert len(rows) > 10
    sources = {module: (ROOT / "helix" / f"{module}.py").read_text("utf-8") for module, _ in rows}
    assert [f"{module}: {lock}" for module, lock in rows if lock not in sources[module]] == []


def _of_the_floors() -> Iterator[tuple[str, str]]:
    """Of each floor, by its row: itself, and every module that is named there."""
    for row in re.findall(r"^\| `.*", _section("Floors").split("###")[0], re.MULTILINE):
        floor, *names = re.findall(r"`([a-z_]+)/?`", row)
        yield floor, ""
        yield from ((floor, name) for name in names)


def _of_the_rooms() -> Iterator[tuple[str, str]]:
    for floor, text in re.findall(
        r"^### Rooms of `(\w+)`\n(.*?)(?=^##)", ARCHITECTURE, re.MULTILINE | re.DOTALL
    ):
        table = "\n".join(line for line in text.splitlines() if line.startswith("|"))
        yield from ((floor, name) for name in re.findall(r"`([a-z_]+)/?`", table))


def _is_on(floor: Path, name: str) -> bool:
    if not name:
        return floor.is_dir() or floor.with_suffix(".py").is_file()
    return any(floor.rglob(f"{name}.py")) or any(path.is_dir() for path in floor.rglob(name))


def _section(title: str) -> str:
    return ARCHITECTURE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def _threads_of(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Thread", "ThreadPoolExecutor")):
            given = [*node.args[1:2], *(keyword.value for keyword in node.keywords if keyword.arg == "name")]
            yield from (str(value.value) for value in given if isinstance(value, ast.Constant))
