"""The folder that `helix init` copies must itself be a good vault."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

TEMPLATE = Path(__file__).resolve().parent.parent / "vault_template"
MEMORIES = sorted(path for folder in ("global", "projects") for path in (TEMPLATE / folder).rglob("*.md"))
FORMS = sorted((TEMPLATE / "templates").glob("*.md"))
BASES = sorted((TEMPLATE / "views").glob("*.base"))
SETTINGS = sorted((TEMPLATE / ".obsidian").glob("*.json"))
FILES = sorted(path for path in TEMPLATE.rglob("*") if path.is_file())

EDGES = ("supersedes", "depends_on", "contradicts", "refines", "relates_to")
TIMES = ("created_at", "updated_at", "deleted_at", "restored_at", "valid_from", "valid_until")
STATUSES = {"active", "superseded", "deleted", "erased"}
ID = re.compile(r"mem_2026-\d\d-\d\d_[a-z0-9]+(?:-[a-z0-9]+)*_[a-z2-7]{6}")
TIME = re.compile(r"2026-\d\d-\d\dT\d\d:\d\d:\d\dZ")
WIKILINK = re.compile(r"\[\[([^\]|#]+)(?:#[^\]|]*)?(?:\|[^\]]*)?\]\]")
EDGE = re.compile(r"\[\[[^\]|#]+\]\]")


def name(path: Path) -> str:
    return path.relative_to(TEMPLATE).as_posix()


def parse(path: Path) -> tuple[dict[str, Any], str]:
    text = path.read_bytes().decode("utf-8")
    opening, frontmatter, body = re.split(r"^---\n", text, maxsplit=2, flags=re.MULTILINE)
    assert opening == ""
    # BaseLoader leaves every scalar as text, as the format wants it for dates.
    keys = yaml.load(frontmatter, Loader=yaml.BaseLoader)  # noqa: S506
    assert isinstance(keys, dict)
    return keys, body


def link_targets() -> set[str]:
    """What Obsidian finds by short name: a note by its stem, any other file by its full name."""
    return {path.stem if path.suffix == ".md" else path.name for path in FILES}


def views(path: Path) -> list[dict[str, Any]]:
    base = yaml.safe_load(path.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = base["views"]
    return found


@pytest.mark.parametrize("path", MEMORIES, ids=name)
def test_a_memory_is_named_by_its_id(path: Path) -> None:
    keys, _ = parse(path)
    assert ID.fullmatch(keys["id"])
    assert path.stem == keys["id"]


@pytest.mark.parametrize("path", MEMORIES, ids=name)
def test_a_memory_has_the_keys_of_format_one(path: Path) -> None:
    keys, body = parse(path)
    assert {"id", "title", "kind", "scope", "status", "tags", "created_at", "updated_at"} <= keys.keys()
    assert keys["status"] in STATUSES
    assert (keys["scope"] == "project") == ("project" in keys)
    assert "rev" not in keys
    assert isinstance(keys["tags"], list)
    assert all(TIME.fullmatch(keys[key]) for key in TIMES if key in keys)
    assert keys["created_at"] <= keys["updated_at"]
    assert ("deleted_at" in keys) == (keys["status"] == "deleted")
    assert body.strip()


def test_ids_are_unique_under_case_folding() -> None:
    ids = [parse(path)[0]["id"].casefold() for path in MEMORIES]
    assert len(set(ids)) == len(ids)


def test_the_examples_show_every_kind_a_supersession_and_a_tombstone() -> None:
    records = {path.stem: parse(path)[0] for path in MEMORIES}
    kinds = {keys["kind"] for keys in records.values()}
    assert {"decision", "fact", "preference", "snippet", "task", "skill"} <= kinds
    assert {keys["status"] for keys in records.values()} == {"active", "superseded", "deleted"}
    replaced = {
        target
        for keys in records.values()
        for link in keys.get("supersedes", [])
        for target in WIKILINK.findall(link)
    }
    assert replaced == {id_ for id_, keys in records.items() if keys["status"] == "superseded"}


@pytest.mark.parametrize("path", MEMORIES, ids=name)
def test_only_what_is_true_for_everybody_is_global(path: Path) -> None:
    # A global example would be told to every agent in every project of a new user.
    keys, _ = parse(path)
    assert keys["scope"] == ("global" if path.is_relative_to(TEMPLATE / "global") else "project")
    assert keys["scope"] == "project" or "helix" in keys["tags"]


@pytest.mark.parametrize("path", MEMORIES, ids=name)
def test_edges_are_lists_of_wikilinks_to_memories(path: Path) -> None:
    keys, _ = parse(path)
    stems = {memory.stem for memory in MEMORIES}
    for edge in EDGES:
        links = keys.get(edge, [])
        assert isinstance(links, list)
        assert all(EDGE.fullmatch(link) and link[2:-2] in stems for link in links)


@pytest.mark.parametrize("path", [*MEMORIES, TEMPLATE / "README.md"], ids=name)
def test_every_link_in_a_text_leads_to_a_file(path: Path) -> None:
    assert set(WIKILINK.findall(path.read_text(encoding="utf-8"))) <= link_targets()


def test_every_memory_is_connected() -> None:
    linked: set[str] = set()
    for path in MEMORIES:
        targets = WIKILINK.findall(path.read_text(encoding="utf-8"))
        if targets:
            linked.update(targets, [path.stem])
    assert {path.stem for path in MEMORIES} <= linked


@pytest.mark.parametrize("path", FORMS, ids=name)
def test_a_form_carries_no_id(path: Path) -> None:
    # Two notes made from one form would be two files of one memory, and would be merged.
    keys, _ = parse(path)
    assert not {"id", "rev", "deleted_at", "restored_at"} & keys.keys()
    assert keys["title"] == "{{title}}"
    assert keys["status"] == "active"


def test_there_is_a_form_for_a_memory_a_decision_and_a_task() -> None:
    assert [path.stem for path in FORMS] == ["decision", "memory", "task"]


@pytest.mark.parametrize("path", BASES, ids=name)
def test_a_base_is_valid_yaml_with_named_views(path: Path) -> None:
    names = [view["name"] for view in views(path)]
    assert names
    assert len(set(names)) == len(names)
    assert all(view["type"] == "table" and view["order"] for view in views(path))


@pytest.mark.parametrize("path", BASES, ids=name)
def test_a_base_uses_only_the_formulas_it_defines_and_labels_its_columns(path: Path) -> None:
    base = yaml.safe_load(path.read_text(encoding="utf-8"))
    formulas = {f"formula.{formula}" for formula in base["formulas"]}
    for view in base["views"]:
        used = [*view["order"], *(item["property"] for item in view["sort"])]
        if "groupBy" in view:
            used.append(view["groupBy"]["property"])
            assert view["groupBy"]["direction"] in {"ASC", "DESC"}
        assert all(item["direction"] in {"ASC", "DESC"} for item in view["sort"])
        assert {column for column in used if column.startswith("formula.")} <= formulas
        assert set(view["order"]) <= base["properties"].keys()
    assert formulas <= base["properties"].keys()


@pytest.mark.parametrize("path", BASES, ids=name)
def test_a_base_shows_neither_forms_nor_the_readme(path: Path) -> None:
    conditions = yaml.safe_load(path.read_text(encoding="utf-8"))["filters"]["and"]
    assert 'file.ext == "md"' in conditions
    assert {"not": ['file.inFolder("templates")', 'file.path == "README.md"']} in conditions


def test_the_four_bases_are_there() -> None:
    assert [path.stem for path in BASES] == ["active", "by-project", "recent", "tombstones"]


@pytest.mark.parametrize("path", SETTINGS, ids=name)
def test_obsidian_settings_are_valid_json(path: Path) -> None:
    assert json.loads(path.read_text(encoding="utf-8"))


def test_obsidian_keeps_times_as_text() -> None:
    # A property of Obsidian's own date type loses its Z when somebody edits it.
    types = json.loads((TEMPLATE / ".obsidian" / "types.json").read_text(encoding="utf-8"))["types"]
    assert {types[key] for key in TIMES} == {"text"}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_files_are_portable(path: Path) -> None:
    content = path.read_bytes()
    text = content.decode("utf-8")
    assert b"\r" not in content
    assert text.endswith("\n")
    assert not re.search(r"(?<![\w.])/(?:home|Users|tmp|var|etc|root|mnt|opt)/|[A-Z]:\\", text)


def test_helix_reads_neither_forms_nor_the_readme() -> None:
    lines = (TEMPLATE / ".helixignore").read_text(encoding="utf-8").splitlines()
    assert {"/README.md", "/templates/"} <= set(lines)


@pytest.mark.parametrize("ignore", [".gitignore", ".stignore"])
def test_temporary_files_do_not_travel(ignore: str) -> None:
    lines = (TEMPLATE / ignore).read_text(encoding="utf-8").splitlines()
    assert ".~helix-*.tmp" in {line.removeprefix("(?d)") for line in lines}
