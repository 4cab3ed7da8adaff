"""What people already have, brought in: each format from a fixture as that tool writes it."""

from __future__ import annotations

import json
import os
import shutil
import time
import zipfile
from pathlib import Path

import pytest

from helix.errors import BadValue
from helix.memory.portability.import_format_names import FORMATS
from helix.memory.portability.importers import basic_memory
from helix.vault import frontmatter
from tests.memory.portability.rig import FIXTURES, Place, outcome

SOURCES = {
    "markdown": "obsidian",
    "basic-memory": "basic-memory",
    "mcp-memory": "mcp-memory/memory.jsonl",
    "mem0": "mem0/export.json",
    "chatgpt": "chatgpt",
    "claude": "claude",
    "instructions": "instructions/billing-api",
}


def test_every_format_has_a_fixture() -> None:
    assert ("strand", *SOURCES) == FORMATS


def reasons(said: dict[str, list[dict[str, str]]]) -> dict[str, str]:
    return {one["name"]: one["reason"] for one in said["skipped"]}


@pytest.mark.parametrize(("form", "source"), SOURCES.items())
def test_a_format_is_recognised_by_its_content_and_a_second_import_changes_no_byte(
    here: Place, form: str, source: str
) -> None:
    said = here.bring(FIXTURES / source)
    assert said["format"] == form
    assert said["made"] > 0
    before = here.files()
    again = here.bring(FIXTURES / source)
    assert outcome(again) == (0, 0, 0, said["made"])
    assert again["skipped"] == said["skipped"]
    assert here.files() == before
    assert here.catalog.problems() == []


@pytest.mark.parametrize(("form", "source"), SOURCES.items())
def test_a_rehearsal_says_the_same_and_writes_nothing(here: Place, form: str, source: str) -> None:
    rehearsed = here.bring(FIXTURES / source, form=form, rehearse=True)
    assert here.files() == {}
    done = here.bring(FIXTURES / source, form=form)
    assert {**rehearsed, "dry_run": False} == done


@pytest.mark.parametrize(("form", "source"), SOURCES.items())
def test_an_imported_memory_says_where_it_comes_from(here: Place, form: str, source: str) -> None:
    here.bring(FIXTURES / source, tags=("imported",))
    for note in here.notes().values():
        memory = note.memory
        assert memory.source is not None
        assert memory.source["import"] == form
        assert (memory.idempotency_key or "").startswith(f"import:{form}:")
        assert "imported" in memory.tags
        assert note.path.endswith(f"/{note.id}.md")


HUGO = {
    "toml.md": '+++\ntitle = "Quay in TOML"\ntags = ["harbour"]\ndate = 2024-03-01T09:30:00Z\nweight = 3\n'
    "[params]\ncolour = 'red'\n+++\n\nThe quay opens at nine.\n",
    "json.md": '{\n  "title": "Quay in JSON",\n  "tags": ["harbour"],\n  "date": "2024-03-01T09:30:00Z",\n'
    '  "weight": 3\n}\n\nThe quay opens at ten.\n',
}


def test_notes_with_properties_in_toml_or_json_keep_them(here: Place) -> None:
    for name, text in HUGO.items():
        (here.folder / "hugo").mkdir(exist_ok=True)
        (here.folder / "hugo" / name).write_text(text)
    assert here.bring(here.folder / "hugo")["made"] == 2
    notes = here.notes()
    for title, hour in {"Quay in TOML": "nine", "Quay in JSON": "ten"}.items():
        note = notes[title]
        assert note.memory.tags == ("harbour",)
        assert note.memory.created_at == "2024-03-01T09:30:00Z"
        assert note.meta["weight"] == 3
        assert note.document.body.strip() == f"The quay opens at {hour}."
    assert notes["Quay in TOML"].meta["params"] == {"colour": "red"}


@pytest.mark.parametrize(
    "text",
    [
        "+++\nno toml at all\n+++\n\nThe quay opens at nine.\n",
        "+++\nnever closed\n\nThe quay opens at nine.\n",
        "{\n  no json\n}\n\nThe quay opens at nine.\n",
        "{\n" + "[" * 100_000 + "\n}\n\nThe quay opens at nine.\n",
    ],
    ids=["no TOML", "never closed", "no JSON", "deep JSON"],
)
def test_a_note_whose_toml_or_json_cannot_be_read_comes_in_as_text(here: Place, text: str) -> None:
    (here.folder / "hugo").mkdir()
    (here.folder / "hugo" / "quay.md").write_text(text)
    assert here.bring(here.folder / "hugo")["made"] == 1
    [note] = here.notes().values()
    assert note.document.body.strip() == text.strip()


def test_obsidian_notes_keep_titles_tags_aliases_dates_and_links(here: Place) -> None:
    said = here.bring(FIXTURES / "obsidian")
    assert said["made"] == 2
    assert said["ignored"] == {"folder .obsidian": 1, "templates": 1, "attachments and other files": 1}
    assert "has no text" in reasons(said)["Empty.md"]
    assert "line 2" in reasons(said)["Broken.md"]
    notes = here.notes()
    retries, billing = notes["How we retry"], notes["Billing API"]
    assert retries.memory.tags == ("auth", "retries")
    assert retries.meta["aliases"] == ["Retries", "Backoff"]
    assert retries.meta["status"] == "evergreen"
    assert retries.meta["cssclasses"] == "wide"
    assert retries.memory.status == "active"
    assert (retries.memory.created_at, retries.memory.updated_at) == (
        "2024-03-01T09:30:00Z",
        "2024-04-02T00:00:00Z",
    )
    assert retries.memory.source is not None
    assert retries.memory.source["origin"] == "https://example.org/retries"
    body = retries.document.body
    assert f"[[{billing.id}|Billing API]]" in body
    assert f"[[{billing.id}#Limits|the limits]]" in body
    assert "[[Nowhere yet]]" in body
    assert "`[[Billing API]]` in code" in body
    assert "[[Billing API]] stays as it is" in body
    assert f"[[{retries.id}|Backoff]]" in billing.document.body
    assert "billing/core" in billing.memory.tags


def test_the_notes_of_basic_memory_keep_their_text_and_their_relations(here: Place) -> None:
    here.bring(FIXTURES / "basic-memory", project="kitchen")
    notes = here.notes()
    coffee, grinding = notes["Coffee Brewing Methods"], notes["Proper Grinding"]
    old = notes["Old brewing notes"]
    assert "- [method] Pour over gives more clarity than a press #brewing" in coffee.document.body
    assert coffee.memory.edges["depends_on"] == (grinding.id,)
    assert coffee.memory.edges["supersedes"] == (old.id,)
    assert "Tea Brewing" in coffee.memory.edges["relates_to"]
    assert coffee.id in grinding.memory.edges["relates_to"]
    assert (coffee.memory.kind, grinding.memory.kind, old.memory.kind) == ("document", "guide", "decision")
    assert old.memory.status == "superseded"
    assert grinding.meta["permalink"] == "coffee/proper-grinding"
    assert grinding.memory.tags[:2] == ("grinder", "coffee")
    assert coffee.memory.project == "kitchen"
    assert coffee.path.startswith("projects/kitchen/")


def test_the_entities_of_the_mcp_memory_server_become_one_memory_each(here: Place) -> None:
    said = here.bring(FIXTURES / "mcp-memory/memory.jsonl")
    notes = here.notes()
    ada, engine = notes["Ada_Lovelace"], notes["Analytical Engine"]
    assert ada.document.body.startswith("- Wrote the first program\n- Prefers long walks\n")
    assert engine.document.body == "Was never finished\n"
    assert ada.memory.edges["depends_on"] == (engine.id,)
    assert f"- wrote about [[{engine.id}|Analytical Engine]]" in ada.document.body
    assert ada.memory.tags == ("person",)
    assert reasons(said) == {
        "memory.jsonl:7": "is not JSON",
        "Nobody": "is an entity of which nothing is said",
        "Ada_Lovelace works with Charles Babbage": "relates an entity that is not in the file",
    }


def test_mem0_keeps_times_and_metadata_and_leaves_the_deleted_behind(here: Place) -> None:
    said = here.bring(FIXTURES / "mem0/export.json")
    notes = here.notes()
    dark = notes["Prefers dark mode in every editor"]
    assert dark.memory.kind == "preference"
    assert dark.memory.created_at == "2024-07-01T09:12:44Z"
    assert dark.memory.updated_at == "2024-07-03T17:00:00Z"
    assert dark.meta["metadata"] == {"type": "preference", "score": 0.75, "nested": {"a": [1, 2]}}
    assert dark.memory.source is not None
    assert dark.memory.source["session"] == "run-7"
    work = notes["Works at TechCorp as a senior engineer"]
    assert work.memory.valid_until == "2026-12-31T00:00:00Z"
    assert work.memory.tags == ("professional-details",)
    assert reasons(said) == {
        "0e6a7c1e-0003-4b52-9f4d-5b0d6f3c1a03": "is deleted in the source",
        "0e6a7c1e-0004-4b52-9f4d-5b0d6f3c1a04": "has no text",
        "export.json 5": "has no id",
    }


def test_a_memory_that_mem0_deleted_since_is_deleted_here_too(here: Place, tmp_path: Path) -> None:
    export = json.loads((FIXTURES / "mem0/export.json").read_text())
    file = tmp_path / "export.json"
    file.write_text(json.dumps(export))
    here.bring(file)
    export["results"][0] |= {"deleted": True, "updated_at": "2026-01-01T00:00:00Z"}
    file.write_text(json.dumps(export))
    assert outcome(here.bring(file)) == (0, 0, 1, 1)
    dark = here.notes()["Prefers dark mode in every editor"]
    assert dark.memory.status == "deleted"
    assert dark.memory.deleted_at == "2026-01-01T00:00:00Z"
    assert outcome(here.bring(file)) == (0, 0, 0, 2)


def test_a_conversation_of_chatgpt_is_one_document_of_the_branch_that_was_kept(here: Place) -> None:
    said = here.bring(FIXTURES / "chatgpt")
    notes = here.notes()
    note = notes["Retry with jitter"]
    assert note.document.body == (
        "**User:** How should our client retry?\n\n**Assistant:** Three times, with jitter.\n"
    )
    assert note.memory.kind == "document"
    assert note.memory.created_at == "2024-06-18T08:52:44Z"
    assert note.memory.source is not None
    assert note.memory.source["uri"] == "https://chatgpt.com/c/67aa-0001"
    assert "each other's parents" in notes["Loop"].document.body
    assert notes["Is learning Norwegian"].memory.created_at == "2024-05-01T08:00:00Z"
    assert reasons(said) == {"New chat": "is a conversation in which the user says nothing"}


def test_a_long_conversation_is_cut_and_says_so(here: Place, tmp_path: Path) -> None:
    [first, *_] = json.loads((FIXTURES / "chatgpt/conversations.json").read_text())
    first["mapping"]["n1"]["message"]["content"]["parts"] = ["why? " * 100_000]
    parent = "n4"
    for number in range(20):
        message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["x" * 7000]}}
        first["mapping"][f"u{number}"] = {"parent": parent, "children": [], "message": message}
        parent = f"u{number}"
    first["current_node"] = parent
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([first]))
    assert here.bring(file)["made"] == 1
    body = here.notes()["Retry with jitter"].document.body
    assert len(body) < 60_000
    assert "… (cut)" in body
    assert "more turns are in the original, https://chatgpt.com/c/67aa-0001.)" in body


def test_the_export_of_claude_comes_as_a_zip_with_conversations_projects_and_memories(
    here: Place, tmp_path: Path
) -> None:
    file = tmp_path / "data-2024-09-03.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for part in (FIXTURES / "claude").iterdir():
            archive.write(part, part.name)
    said = here.bring(file)
    assert said["format"] == "claude"
    notes = here.notes()
    assert "A table in Postgres, until it hurts." in notes["Choosing a queue"].document.body
    assert notes["Choosing a queue"].memory.updated_at == "2024-09-01T08:30:00Z"
    assert notes["Billing API"].document.body == "Invoices and dunning\n\nAnswer briefly.\n"
    assert notes["schema.md"].memory.project == "Billing API"
    assert notes["What Claude remembers"].document.body.startswith("Dev works on billing")
    assert notes["What Claude remembers of Billing API"].memory.project == "Billing API"
    assert reasons(said) == {
        "c-0002": "is a conversation in which the user says nothing",
        "Billing API: empty.txt": "is a document without text",
        "How to use Claude": "is the example project that everybody has",
    }


def test_instruction_files_are_split_into_memories_that_can_be_traced(here: Place) -> None:
    said = here.bring(FIXTURES / "instructions/billing-api")
    notes = here.notes()
    spaces = notes["Style: Use four spaces, and never tabs, in every Python file"]
    assert spaces.memory.kind == "preference"
    assert spaces.memory.source is not None
    assert spaces.memory.source["uri"] == "CLAUDE.md#billing-api-style"
    docstrings = notes["Style: The public functions have docstrings of one sentence"]
    assert docstrings.document.body.endswith("\n  - private ones need none\n")
    assert notes["Style"].document.body == "- Type hints\n"
    assert "make test   # - not a bullet" in notes["Commands"].document.body
    assert notes["Billing API"].memory.kind == "fact"
    assert any("TypeScript" in note.path or "type aliases" in note.document.body for note in notes.values())
    assert {note.memory.project for note in notes.values()} == {"billing-api"}
    assert {note.memory.scope for note in notes.values()} == {"project"}
    assert reasons(said) == {"CLAUDE.md#billing-api-misc": "'- ok' is too little to be a memory"}


def test_an_edited_bullet_updates_its_memory(here: Place, tmp_path: Path) -> None:
    project = tmp_path / "billing-api"
    project.mkdir()
    (project / "CLAUDE.md").write_text("## Style\n\n- Use four spaces, and never tabs\n")
    here.bring(project / "CLAUDE.md")
    (project / "CLAUDE.md").write_text("## Style\n\n- Use four spaces, and never tabs, except in Makefiles\n")
    assert outcome(here.bring(project / "CLAUDE.md")) == (0, 1, 0, 0)
    [note] = here.notes().values()
    assert note.document.body == "Use four spaces, and never tabs, except in Makefiles\n"


def test_a_source_that_changed_updates_what_nobody_edited_and_merges_what_somebody_did(
    here: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nfirst\n\nlast\n")
    (folder / "two.md").write_text("# Two\n\nfirst\n\nmiddle\n\nlast\n")
    here.bring(folder)
    two = here.notes()["Two"]
    edited = frontmatter.emit(two.document).replace(b"first", b"first, as edited by a person")
    here.write(two.path, edited)
    here.took()

    (folder / "one.md").write_text("# One\n\nfirst\n\nlast, changed in the source\n")
    (folder / "two.md").write_text("# Two\n\nfirst\n\nmiddle\n\nlast, changed in the source\n")
    said = here.bring(folder)
    assert outcome(said) == (0, 1, 1, 0)
    notes = here.notes()
    assert notes["One"].document.body == "# One\n\nfirst\n\nlast, changed in the source\n"
    assert notes["Two"].document.body == (
        "# Two\n\nfirst, as edited by a person\n\nmiddle\n\nlast, changed in the source\n"
    )
    before = here.files()
    assert outcome(here.bring(folder)) == (0, 0, 0, 2)
    assert here.files() == before


def test_without_the_common_text_what_was_edited_here_is_kept_and_reported(
    here: Place, there: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nfirst\n")
    here.bring(folder)
    note = here.notes()["One"]
    there.write(note.path, frontmatter.emit(note.document).replace(b"first", b"edited on the way"))
    there.took()
    before = there.files()
    (folder / "one.md").write_text("# One\n\nsecond\n")
    said = there.bring(folder)
    assert [one["name"] for one in said["kept"]] == ["notes/one.md"]
    assert there.files() == before


@pytest.mark.parametrize("gone", ["forget", "erase"])
def test_what_was_deleted_or_erased_here_does_not_come_back_with_its_source(
    here: Place, tmp_path: Path, gone: str
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("# One\n\nthe word is narwhal\n")
    here.bring(folder)
    [note] = here.notes().values()
    getattr(here.memories, gone)(note.id)
    (folder / "one.md").write_text("# Another title\n\nthe word is narwhal still\n")
    here.bring(folder)
    [row] = here.catalog.memories(include_hidden=True)
    assert row.status == {"forget": "deleted", "erase": "erased"}[gone]
    if gone == "erase":
        assert b"narwhal" not in b"".join(here.files().values())


def test_notes_that_are_records_of_helix_already_come_as_they_are(
    here: Place, there: Place, tmp_path: Path
) -> None:
    here.write(
        "global/mem_2026-01-01_x_aaaaaa.md", b"---\r\nid: mem_2026-01-01_x_aaaaaa # mine\r\n---\r\nText"
    )
    here.took()
    copy = tmp_path / "copy"
    shutil.copytree(here.root, copy)
    assert there.bring(copy)["made"] == 1
    assert there.files() == here.files()


def test_an_unknown_source_is_an_error_that_lists_the_formats(here: Place, tmp_path: Path) -> None:
    (tmp_path / "strange.bin").write_bytes(b"\0\1\2")
    with pytest.raises(BadValue) as refused:
        here.bring(tmp_path / "strange.bin")
    assert all(form in refused.value.message for form in FORMATS)
    with pytest.raises(BadValue, match="not a format"):
        here.bring(tmp_path / "strange.bin", form="evernote")
    with pytest.raises(BadValue, match="nothing at"):
        here.bring(tmp_path / "missing")


def test_the_vault_itself_is_not_imported_into_itself(here: Place) -> None:
    here.write("note.md", b"text\n")
    for folder in (here.root, here.folder):
        with pytest.raises(BadValue, match="helix adopt"):
            here.bring(folder, form="markdown")


def test_hostile_names_and_texts_stay_inside_the_vault_and_stop_nothing(here: Place, tmp_path: Path) -> None:
    memories = [
        {"id": "../../../etc/passwd", "memory": "../../../../tmp/evil"},
        {"id": "nul", "memory": "NUL \u0000 and half of a pair \ud800 in it"},
        {"id": "x" * 5000, "memory": "---\nid: mem_other\nstatus: erased\n---\n[[../../x]]"},
        {"id": "big", "memory": "x" * (5 * 1024 * 1024)},
        {"id": 7, "memory": "a number for an id", "metadata": {"n": 10**30, "deep": [[[[[[[[[[1]]]]]]]]]]}},
        {"id": "yaml", "memory": "text", "categories": ["a: b", "#x", "*alias", "!tag", "two words"]},
    ]
    file = tmp_path / "export.json"
    file.write_text(json.dumps(memories))
    said = here.bring(file, project="../../up")
    assert said["made"] == 5
    assert "bytes" in said["skipped"][0]["reason"]
    assert {path.split("/")[:2] == ["projects", "up"] for path in here.files()} == {True}
    assert here.catalog.problems() == []
    assert outcome(here.bring(file, project="../../up")) == (0, 0, 0, 5)
    assert sorted(path.name for path in here.folder.iterdir()) == ["state", "vault"]


def test_symbolic_links_in_a_folder_are_not_followed(here: Place, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret\n")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "one.md").write_text("text\n")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "up").symlink_to(tmp_path)
    said = here.bring(folder)
    assert (said["made"], said["ignored"]) == (1, {"symbolic links": 2})


def test_a_zipped_vault_of_obsidian_is_read_as_the_folder_is(here: Place, tmp_path: Path) -> None:
    file = tmp_path / "obsidian.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for part in (FIXTURES / "obsidian").rglob("*"):
            if part.is_file():
                archive.write(part, part.relative_to(FIXTURES / "obsidian"))
        archive.writestr(".trash/Thrown away.md", "thrown away\n")
        archive.writestr("__MACOSX/._Retry policy.md", b"\0\5\x16\7")
    said = here.bring(file)
    assert (said["format"], said["made"]) == ("markdown", 2)
    assert said["ignored"]["folder .trash"] == 1
    assert set(reasons(said)) == {"Broken.md", "Empty.md"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unreadable to root")
def test_what_cannot_be_read_is_reported_and_stops_nothing(here: Place, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    (folder / "closed").mkdir(parents=True)
    (folder / "one.md").write_text("text\n")
    (folder / "locked.md").write_text("text\n")
    (folder / "locked.md").chmod(0)
    (folder / "closed").chmod(0)
    said = here.bring(folder)
    (folder / "closed").chmod(0o700)
    assert said["made"] == 1
    assert list(reasons(said)) == ["locked.md"]
    assert said["ignored"] == {"folders that cannot be listed": 1}


KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_a_file_with_a_credential_stays_outside_and_the_rest_comes_in(here: Place, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "fine.md").write_text("Deploys go out on Tuesdays.\n")
    (folder / "key.md").write_text(f"# Access\n\nfirst\n\nthe key is {KEY}\n")
    (folder / "property.md").write_text(f"---\nowner: me\napi_key: {KEY}\n---\nSee the properties.\n")
    (folder / "password.md").write_text("Staging\n\npassword: hunter2Xy9!\n")
    said = here.bring(folder)
    assert said["made"] == 1
    told = reasons(said)
    assert set(told) == {"notes/key.md", "notes/property.md", "notes/password.md"}
    assert "GitHub" in told["notes/key.md"]
    assert "line 5 of key.md" in told["notes/key.md"]
    assert "line 3 of property.md" in told["notes/property.md"]
    assert "a password in line 3 of password.md" in told["notes/password.md"]
    assert KEY not in str(said)
    assert all(KEY.encode() not in data and b"hunter2" not in data for data in here.files().values())
    assert here.bring(folder, allow_secrets=True)["made"] == 3


def test_a_credential_in_a_json_export_is_told_with_its_entry(here: Place, tmp_path: Path) -> None:
    file = tmp_path / "export.json"
    fine, bad = (
        {"id": "a", "memory": "likes tea"},
        {"id": "b", "memory": "uses a key", "metadata": {"key": KEY}},
    )
    file.write_text(json.dumps([fine, bad]))
    said = here.bring(file)
    assert (said["made"], [one["name"] for one in said["skipped"]]) == (1, ["b"])
    assert KEY not in str(said)


def test_a_credential_named_as_project_or_tag_of_an_import_is_refused(here: Place, tmp_path: Path) -> None:
    file = tmp_path / "one.md"
    file.write_text("Deploys go out on Tuesdays.\n")
    for wishes in ({"project": KEY}, {"tags": (KEY,)}):
        assert here.bring(file, **wishes)["made"] == 0
    assert here.files() == {}


def test_a_strand_brings_everything_but_the_note_with_a_credential(
    here: Place, there: Place, tmp_path: Path
) -> None:
    there.write("fine.md", b"---\nid: mem_fine\n---\nDeploys go out on Tuesdays.\n")
    there.write("bad.md", f"---\nid: mem_bad\n# {KEY}\n---\nNothing to see here.\n".encode())
    there.took()
    file = tmp_path / "all.strand"
    file.write_bytes(there.export())
    said = here.bring(file)
    assert (said["format"], said["made"]) == ("strand", 1)
    assert "in line 3" in reasons(said)["bad.md"]
    assert here.bring(file, allow_secrets=True)["made"] == 1


@pytest.mark.parametrize("hostile", ["- " + " " * 100_000, "- [[" + "a" * 100_000, "- " + "a " * 50_000])
def test_a_line_that_is_nearly_a_relation_of_basic_memory_is_read_in_a_moment(hostile: str) -> None:
    started = time.thread_time()
    assert basic_memory._RELATION.match(hostile) is None
    assert time.thread_time() - started < 0.2
