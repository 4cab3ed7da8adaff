"""Documents in a real vault: found by what they say, cited by their place, replaced when they change."""

from __future__ import annotations

import base64
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, ExtraMissing, JobNotFound, MemoryNotFound
from helix.knowledge.documents import converter
from helix.knowledge.documents.ingest import document_ingest
from helix.knowledge.documents.reading import document, document_forget, documents
from helix.knowledge.jobs import job, job_cancel, jobs
from helix.memory.principal import Principal
from helix.memory.request import Request
from tests.knowledge import files
from tests.memory.world import ME, World
from tests.waiting import wait_for

CHAPTER = "The gateway retries three times with jitter, and then gives up for good.\n"
KEY = "AKIA" + "Q7LMW2RT5VZX3KPD"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    place = tmp_path / "papers"
    place.mkdir()
    return place


def _request(world: World) -> Request:
    return world.service.request(ME)


def _send(world: World, name: str, data: bytes, **more: Any) -> Any:
    return document_ingest(_request(world), name=name, base64=base64.b64encode(data).decode(), **more)


def _ingest(world: World, path: Path, **more: Any) -> Any:
    """The job, when it has ended."""
    job_id = str(document_ingest(_request(world), path=str(path), **more)["job_id"])
    found: list[Any] = []

    def ended() -> bool:
        found.append(job(_request(world), job_id=job_id))
        return found[-1]["state"] not in ("queued", "running")

    wait_for(ended, seconds=60)
    return found[-1]


def _hits(world: World, question: str) -> Any:
    return world.service.search(question, caller=ME)["results"]


def _notes(world: World) -> list[str]:
    return [text.decode() for text in world.files().values()]


def test_a_document_is_found_by_its_passage_with_the_page_it_stands_on(world: World, papers: Path) -> None:
    paper = papers / "on wombats.pdf"
    paper.write_bytes(files.pdf(["Wombats dig long burrows.", "Echidnas eat termites."], title="Marsupials"))
    done = _ingest(world, papers)
    assert (done["state"], done["counts"]) == ("done", {"created": 1, "notes": 1})
    [hit] = _hits(world, "what do echidnas eat")
    assert hit["title"] == "Marsupials"
    assert hit["citation"] == f"{paper}#page=2"
    note = world.helix.store.get(hit["id"])
    assert (note.memory.kind, note.memory.project) == ("document", "billing")
    assert note.memory.source is not None
    assert note.memory.source["uri"] == paper.as_uri()
    assert note.memory.source["pages"] == "1-2"
    assert len(note.memory.source["sha256"]) == 64


def test_a_line_is_cited_by_its_number_in_the_file(world: World, papers: Path) -> None:
    text = (
        "---\ntitle: Runbook\n---\n# Gateway\n\n"
        + CHAPTER * 300
        + "\n## Queue\n\nPark the poison messages.\n"
    )
    (papers / "runbook.md").write_text(text)
    (papers / "queue.py").write_text('"""Queues."""\n\n\ndef park_poison() -> None:\n    raise Wombat\n')
    _ingest(world, papers)
    line = text.splitlines().index("Park the poison messages.") + 1
    cited = {hit["citation"] for hit in _hits(world, "park the poison messages")}
    assert f"{papers}/runbook.md#L{line}" in cited
    assert _hits(world, "raise Wombat")[0]["citation"] == f"{papers}/queue.py#L5"


def test_the_same_again_changes_nothing(world: World, papers: Path) -> None:
    (papers / "a.docx").write_bytes(files.word())
    (papers / "b.md").write_text("# Plan\n\n" + CHAPTER * 400)
    first = _ingest(world, papers)
    before = world.files()
    again = _ingest(world, papers)
    assert first["counts"]["created"] == 2
    assert again["counts"] == {"unchanged": 2}
    assert world.files() == before


def test_a_changed_document_is_a_new_version_that_supersedes(world: World, papers: Path) -> None:
    file = papers / "plan.md"
    file.write_text("# Plan\n\n" + "We feed the seals at noon.\n" * 800)
    _ingest(world, file)
    file.write_text("# Plan\n\nWe feed the seals at dusk.\n")
    assert _ingest(world, file)["counts"] == {"superseded": 1, "notes": 1}
    [hit] = _hits(world, "feed the seals at")
    assert "at dusk" in hit["text"]
    rows = [row for row in world.helix.catalog.memories(include_hidden=True) if row.kind == "document"]
    assert sorted(row.status for row in rows) == ["active", "superseded", "superseded"]
    # And back to what it said before.
    file.write_text("# Plan\n\n" + "We feed the seals at noon.\n" * 800)
    assert _ingest(world, file)["counts"] == {"superseded": 1, "notes": 2}


def test_a_file_that_moved_keeps_its_notes_and_a_copy_makes_none(world: World, papers: Path) -> None:
    file = papers / "plan.md"
    file.write_text("# Plan\n\n" + CHAPTER)
    _ingest(world, papers)
    file.rename(papers / "renamed.md")
    assert _ingest(world, papers)["counts"] == {"moved": 1}
    [known] = documents(_request(world))["documents"]
    assert known["uri"] == (papers / "renamed.md").as_uri()
    (papers / "another.md").write_text("# Plan\n\n" + CHAPTER)
    done = _ingest(world, papers)
    assert done["counts"] == {"unchanged": 1, "same": 1}
    # The copy is a document of its own when the first is about something else.
    (papers / "renamed.md").write_text("# Other\n\nNothing of it.\n")
    assert _ingest(world, papers)["counts"] == {"superseded": 1, "created": 1, "notes": 2}


def test_a_file_that_is_gone_is_named_and_its_notes_stay(world: World, papers: Path) -> None:
    for name in ("a.md", "b.md"):
        (papers / name).write_text(f"# Of {name}\n\n{CHAPTER}")
    _ingest(world, papers)
    (papers / "a.md").unlink()
    done = _ingest(world, papers)
    assert [gone["name"] for gone in done["vanished"]] == [f"{papers}/a.md"]
    listed = {
        known["title"]: known.get("vanished", False) for known in documents(_request(world))["documents"]
    }
    assert listed == {"Of a.md": True, "Of b.md": False}


def test_what_was_forgotten_does_not_come_back(world: World, papers: Path) -> None:
    (papers / "a.md").write_text(f"# Plan\n\n{CHAPTER}")
    _ingest(world, papers)
    [known] = documents(_request(world))["documents"]
    assert document_forget(_request(world), document_id=known["id"])["forgotten"] == [known["id"]]
    done = _ingest(world, papers)
    assert done["counts"] == {"forgotten": 1, "problems": 1}
    assert f"helix restore {known['id']}" in done["problems"][0]["reason"]
    assert documents(_request(world))["documents"] == []


def test_a_part_with_a_credential_is_left_out_and_named_and_the_others_are_kept(world: World) -> None:
    chapters = [
        "# Keys\n\n" + CHAPTER * 100,
        f"# Accounts\n\n{CHAPTER * 100}The key is {KEY}.\n",
        "# End\n\nDone.\n",
    ]
    answer = _send(world, "keys.md", "".join(chapters).encode())
    assert answer["status"] == "created"
    assert len(answer["ids"]) == 2
    [problem] = answer["problems"]
    assert "holds what looks like" in problem["reason"]
    assert problem["reason"].startswith("lines 103-")
    assert not any(KEY in note for note in _notes(world))
    [known] = documents(_request(world))["documents"]
    assert (known["notes"], known["parts"]) == (2, 3)


def test_errors_are_told_file_by_file_and_the_others_are_taken_in(world: World, papers: Path) -> None:
    (papers / "a.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    (papers / "b.docx").write_bytes(files.zip_bomb())
    (papers / "c.xyz").write_text("what is this")
    (papers / "d.xlsx").write_bytes(files.sheets())
    done = _ingest(world, papers)
    assert done["counts"] == {"problems": 2, "created": 1, "notes": 1}
    assert [Path(problem["name"]).name for problem in done["problems"]] == ["a.pdf", "b.docx"]
    assert done["ignored"] == {".xyz": 1}
    assert _hits(world, "Euro by region north")[0]["citation"] == f"{papers}/d.xlsx#sheet=Costs"


def test_content_that_is_sent_is_a_document_by_its_name(world: World) -> None:
    first = document_ingest(
        _request(world), name="notes/plan.md", text="# Plan\n\nFeed the seals.\n", tags=["zoo"]
    )
    assert first["status"] == "created"
    again = document_ingest(_request(world), name="notes/plan.md", text="# Plan\n\nFeed the seals.\n")
    assert (again["status"], again["ids"]) == ("unchanged", first["ids"])
    changed = _send(world, "notes/plan.md", b"# Plan\n\nFeed the otters.\n")
    assert changed["status"] == "superseded"
    assert _hits(world, "feed the otters")[0]["citation"] == "notes/plan.md#L3"


def test_a_document_tells_its_notes_and_where_they_come_from(world: World, papers: Path) -> None:
    (papers / "long.md").write_text("".join(f"## Part {number}\n\n{CHAPTER * 110}" for number in range(3)))
    _ingest(world, papers)
    [known] = documents(_request(world), under=papers.as_uri())["documents"]
    details = document(_request(world), document_id=known["id"])
    assert [(part["part"], part["place"]) for part in details["items"]] == [
        (1, "lines 1-112"),
        (2, "lines 113-224"),
        (3, "lines 225-336"),
    ]
    assert document(_request(world), document_id=details["items"][2]["id"])["id"] == known["id"]
    assert documents(_request(world), under="file:///elsewhere/")["documents"] == []
    other = world.add("The export runs at night")["id"]
    with pytest.raises(MemoryNotFound, match="of no document"):
        document(_request(world), document_id=other)


def test_links_of_a_document_lead_to_its_neighbours_and_not_to_notes(world: World, papers: Path) -> None:
    (papers / "a.md").write_text("See [the plan](plan.md), and [[Wombat]].\n")
    _ingest(world, papers)
    [known] = documents(_request(world))["documents"]
    assert world.helix.store.get(known["id"]).memory.edges == {"relates_to": ("Wombat",)}


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({}, "one of path, text and base64"),
        ({"path": "papers"}, "from the root"),
        ({"path": "/no/such/place"}, "there is no /no/such/place"),
        ({"path": "/dev/null", "text": "x"}, "one of path, text and base64"),
        ({"text": "x"}, "name the document"),
        ({"text": "x", "name": "a.exe"}, "is no document that can be read"),
        ({"base64": "%%%", "name": "a.md"}, "base64"),
        ({"text": "\n", "name": "a.md"}, "it is empty"),
        ({"text": "x", "name": "a.md", "scope": "world"}, "scope is 'world'"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_would(world: World, wanted: Any, why: str) -> None:
    with pytest.raises(BadValue, match=why):
        document_ingest(_request(world), **wanted)


def test_the_vault_itself_and_what_it_lies_in_are_refused(world: World) -> None:
    for place in (world.folder, world.folder.parent):
        with pytest.raises(BadValue, match="lie in one another"):
            document_ingest(_request(world), path=str(place))


def test_who_is_not_the_owner_names_no_path_and_sees_no_job(world: World, papers: Path) -> None:
    (papers / "a.md").write_text(f"# Plan\n\n{CHAPTER}")
    done = _ingest(world, papers)
    guest = world.workspace.request(Principal("guest"), ME)
    with pytest.raises(BadValue, match="owner of this machine"):
        document_ingest(guest, path=str(papers))
    assert jobs(guest)["jobs"] == []
    for look in (job, job_cancel):
        with pytest.raises(JobNotFound):
            look(guest, job_id=done["job_id"])
    assert documents(guest)["documents"] == []


def test_a_job_that_ended_cannot_be_cancelled_and_is_listed(world: World, papers: Path) -> None:
    (papers / "a.md").write_text(f"# Plan\n\n{CHAPTER}")
    done = _ingest(world, papers)
    with pytest.raises(BadValue, match="done already"):
        job_cancel(_request(world), job_id=done["job_id"])
    [listed] = jobs(_request(world))["jobs"]
    assert (listed["subject"], listed["done"], listed["total"]) == (str(papers), 1, 1)


def test_without_the_extra_a_sentence_says_what_to_install(
    world: World, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    (papers / "a.pdf").write_bytes(files.pdf(["Wombats dig."]))
    (papers / "b.md").write_text(f"# Plan\n\n{CHAPTER}")
    with pytest.raises(ExtraMissing, match=r"pip install 'helix-memory\[documents\]'"):
        document_ingest(_request(world), path=str(papers / "a.pdf"))
    done = _ingest(world, papers)
    assert done["counts"] == {"problems": 1, "created": 1, "notes": 1}
    assert "pip install" in done["problems"][0]["reason"]


def test_a_job_that_is_cancelled_leaves_off_in_the_middle_of_a_file(
    world: World, papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(converter, "_COMMAND", ("sleep", "60"))
    (papers / "a.pdf").write_bytes(files.pdf(["Wombats dig."]))
    (papers / "b.md").write_text(f"# Plan\n\n{CHAPTER}")
    job_id = str(document_ingest(_request(world), path=str(papers))["job_id"])
    wait_for(lambda: job(_request(world), job_id=job_id)["total"] == 2)
    job_cancel(_request(world), job_id=job_id)
    wait_for(lambda: job(_request(world), job_id=job_id)["state"] == "cancelled")
    assert documents(_request(world))["documents"] == []
    monkeypatch.undo()
    assert _ingest(world, papers)["counts"] == {"created": 2, "notes": 2}
