"""Published skills in the folders of harnesses, written, brought up to date and taken out."""

from __future__ import annotations

from pathlib import Path

import pytest

from helix.errors import BadValue, HostFileError
from helix.harnesses.harness import HARNESSES, named
from helix.harnesses.skill_file import SkillFile, is_name, make_head, parse, to_name
from helix.harnesses.skill_folders import PulledSkill, SkillFolders
from tests.harnesses.test_sync import tree


def skill(name: str = "feeding", text: str = "1. Fetch the fish") -> PulledSkill:
    file = SkillFile(make_head(name, "How seals are fed: at noon"), text)
    return PulledSkill(name, file.text, file.hash)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("project", "vault"):
        (tmp_path / name).mkdir()
    return tmp_path / "project"


def folders(project: Path) -> SkillFolders:
    return SkillFolders.at(project, project.parent / "state", project.parent / "vault")


def pull(project: Path, *skills: PulledSkill, names: str = "codex", link: bool = False) -> list[str]:
    done = folders(project).pull(skills, named(names.split()), link=link)
    return [outcome.state for outcome in done]


WITH_SKILLS = [harness for harness in HARNESSES if harness.skills]


@pytest.mark.parametrize("link", [False, True], ids=["copy", "link"])
@pytest.mark.parametrize("harness", WITH_SKILLS, ids=lambda harness: harness.name)
def test_a_skill_is_written_once_brought_up_to_date_and_taken_out(
    project: Path, harness: object, link: bool
) -> None:
    name, root = harness.name, harness.skills  # type: ignore[attr-defined]
    (project / "mine.txt").write_text("mine")
    before = tree(project)
    assert pull(project, skill(), names=name, link=link) == ["written"]
    place = project / root / "feeding"
    assert place.is_symlink() == link
    assert (place / "SKILL.md").read_text() == skill().text
    moment = (place / "SKILL.md").stat().st_mtime_ns
    assert pull(project, skill(), names=name, link=link) == ["current"]
    assert (place / "SKILL.md").stat().st_mtime_ns == moment
    assert pull(project, skill(text="1. Fetch two fish"), names=name, link=link) == ["written"]
    assert "two fish" in (place / "SKILL.md").read_text()
    assert [outcome.state for outcome in folders(project).remove()] == ["removed"]
    assert tree(project) == before
    assert not list((project.parent / "state").rglob("SKILL.md"))


def test_a_copy_may_become_a_link_and_a_copy_again(project: Path) -> None:
    place = project / ".agents/skills/feeding"
    for link in (False, True, False):
        assert pull(project, skill(), link=link) == ["written"]
        assert place.is_symlink() == link
    folders(project).remove()
    assert tree(project) == {}


@pytest.mark.parametrize("link", [False, True], ids=["copy", "link"])
def test_what_a_person_changed_is_neither_written_over_nor_removed(project: Path, link: bool) -> None:
    pull(project, skill(), link=link)
    file = project / ".agents/skills/feeding/SKILL.md"
    file.write_text(skill().text + "\nMine.\n")
    newer = skill(text="1. Fetch two fish")
    for _ in range(2):
        [outcome] = folders(project).pull([newer], named(["codex"]), link=link)
        assert outcome.state == "edited"
        assert outcome.edited_text is not None
        assert outcome.edited_text.endswith("Mine.\n")
        assert outcome.based_on == skill().hash
    assert pull(project, newer, names="codex gemini", link=True) == ["edited"] * (2 if link else 1) + (
        [] if link else ["written"]
    )
    folders(project).remove()
    stored = list((project.parent / "state").rglob("SKILL.md"))
    assert (file if not link else stored[0]).read_text().endswith("Mine.\n")


def test_an_edit_that_was_published_is_current_where_it_was_made(project: Path) -> None:
    pull(project, skill())
    edited = skill(text="1. Fetch the fish\n2. Mine.")
    (project / ".agents/skills/feeding/SKILL.md").write_text(edited.text)
    assert pull(project, edited) == ["current"]
    assert pull(project, skill(text="3. Others")) == ["written"]


def test_what_was_there_before_is_left_alone(project: Path) -> None:
    mine = project / ".agents/skills/feeding/SKILL.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("my own")
    before = tree(project)
    assert pull(project, skill()) == ["taken"]
    assert folders(project).remove() == []
    assert tree(project) == before


def test_files_that_a_person_added_stay(project: Path) -> None:
    pull(project, skill())
    (project / ".agents/skills/feeding/notes.txt").write_text("mine")
    folders(project).remove()
    assert list(tree(project)) == [
        ".agents",
        ".agents/skills",
        ".agents/skills/feeding",
        ".agents/skills/feeding/notes.txt",
    ]


def test_what_was_withdrawn_goes_with_the_next_pull_of_all(project: Path) -> None:
    pull(project, skill(), skill("walking"))
    done = folders(project).pull([skill("walking")], named(["codex"]), names=["walking"])
    assert [outcome.state for outcome in done] == ["current"]
    assert pull(project, skill("walking")) == ["current", "removed"]
    assert not (project / ".agents/skills/feeding").exists()


def test_a_link_that_somebody_put_in_the_place_is_not_followed(project: Path) -> None:
    pull(project, skill())
    outside = project.parent / "outside"
    (project / ".agents/skills/feeding").rename(outside)
    (project / ".agents/skills/feeding").symlink_to(outside)
    with pytest.raises(HostFileError, match="link to elsewhere"):
        pull(project, skill(text="2. New"))
    assert [outcome.state for outcome in folders(project).remove()] == ["edited"]
    assert (outside / "SKILL.md").read_text() == skill().text


def test_a_root_that_leads_out_of_the_project_is_refused(project: Path) -> None:
    (project.parent / "outside").mkdir()
    (project / ".agents").symlink_to(project.parent / "outside")
    with pytest.raises(HostFileError, match="leads out"):
        pull(project, skill())
    assert tree(project.parent / "outside") == {}


def test_without_a_name_the_harnesses_of_the_folder_are_meant(project: Path) -> None:
    with pytest.raises(BadValue, match="name some"):
        folders(project).pull([skill()])
    (project / ".claude").mkdir()
    (project / "GEMINI.md").write_text("x")
    done = folders(project).pull([skill()])
    assert [outcome.harness for outcome in done] == ["claude-code", "gemini"]
    with pytest.raises(BadValue, match="is published"):
        folders(project).pull([skill()], names=["walking"])
    with pytest.raises(BadValue, match="no folder of skills"):
        folders(project).pull([skill()], named(["vscode"]))


@pytest.mark.parametrize("name", ["../up", "a/b", "A", "", "a--b", "-a", "x" * 65, "ü", 7])
def test_no_folder_is_made_of_a_name_that_hosts_do_not_take(name: object) -> None:
    assert not is_name(name)


def test_a_skill_file_says_what_hosts_need() -> None:
    assert to_name("Feeding the Seals!") == "feeding-the-seals"
    text = skill().text
    assert parse(text.replace("\n", "\r\n"), "feeding").hash == skill().hash
    assert parse(text, "feeding").description == "How seals are fed: at noon"
    for wrong in (
        "no properties",
        text.replace("name: feeding", "name: other"),
        "---\nname: feeding\n---\n\nx\n",
    ):
        with pytest.raises(BadValue):
            parse(wrong, "feeding")
    with pytest.raises(BadValue, match="bytes"):
        parse(text + "x" * 65536, "feeding")
