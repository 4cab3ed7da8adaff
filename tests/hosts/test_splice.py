from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helix.errors import HostFileError
from helix.hosts import splice
from helix.hosts.host import Language
from helix.hosts.record import ChangeRecord
from tests.hosts.documents import SERVERS, json_documents, toml_documents, yaml_documents
from tests.scale import scaled

KEYS = (SERVERS, "helix")
ENTRY = {"command": "/opt/a b/helix-mcp", "args": [], "env": {"HELIX_VAULT": '/home/ü/"x"\\'}}
OTHER = {"command": "else", "args": ["--x"]}

DOCUMENTS = [
    pytest.param("json", json_documents(comments=False), "\n", id="json"),
    pytest.param("jsonc", json_documents(comments=True), "// on top\n", id="jsonc"),
    pytest.param("toml", toml_documents(), "# on top\n", id="toml"),
    pytest.param("yaml", yaml_documents(), "# on top\n", id="yaml"),
]
every_language = pytest.mark.parametrize(("language", "documents", "comment"), DOCUMENTS)


class Installed:
    """A drawn document with our entry in it. What cannot be changed safely is refused, and is not our subject."""

    def __init__(self, language: Language, before: str) -> None:
        self.language, self.before = language, before
        try:
            self.document = splice.parse(language, before)
            self.after = splice.put(language, before, KEYS, ENTRY)
        except HostFileError:
            assume(False)
        made = splice.missing(self.document, KEYS)
        self.record = ChangeRecord.of(Path("file"), "server", before, self.after, made, False, [])

    def said(self, text: str) -> Any:
        return splice.canonical(splice.parse(self.language, text))


@every_language
@settings(max_examples=scaled(60), deadline=None)
@given(data=st.data())
def test_an_entry_goes_in_and_every_other_value_and_byte_stays(
    language: Language, documents: st.SearchStrategy[str], comment: str, data: st.DataObject
) -> None:
    installed = Installed(language, data.draw(documents))
    assert splice.find(splice.parse(language, installed.after), KEYS) == ENTRY
    assert installed.said(installed.after) == splice.canonical(
        splice.with_value(installed.document, KEYS, ENTRY)
    )
    kept = "".join(installed.record.old.split())  # white space, or the comment beside which a comma was put
    assert kept in "".join(installed.record.new.split()) or kept in ("~", "null")


@every_language
@settings(max_examples=scaled(60), deadline=None)
@given(data=st.data())
def test_undoing_gives_the_original_bytes_back(
    language: Language, documents: st.SearchStrategy[str], comment: str, data: st.DataObject
) -> None:
    installed = Installed(language, data.draw(documents))
    assert installed.record.undo(installed.after) == installed.before


@every_language
@settings(max_examples=scaled(40), deadline=None)
@given(data=st.data())
def test_undoing_after_an_edit_elsewhere_keeps_the_edit_and_nothing_of_ours(
    language: Language, documents: st.SearchStrategy[str], comment: str, data: st.DataObject
) -> None:
    installed = Installed(language, data.draw(documents))
    assert installed.record.undo(comment + installed.after) == comment + installed.before


@every_language
@settings(max_examples=scaled(60), deadline=None)
@given(data=st.data())
def test_an_entry_can_be_taken_away_without_a_record(
    language: Language, documents: st.SearchStrategy[str], comment: str, data: st.DataObject
) -> None:
    installed = Installed(language, data.draw(documents))
    after = splice.take(language, installed.after, KEYS, installed.record.made)
    said, before = splice.parse(language, after), installed.document
    assert splice.find(said, KEYS) is None
    empty = splice.canonical(splice.with_value(before, (SERVERS,), {}))
    assert splice.canonical(said) in (splice.canonical(before), empty)


@every_language
@settings(max_examples=scaled(40), deadline=None)
@given(data=st.data())
def test_an_entry_is_replaced_in_its_place(
    language: Language, documents: st.SearchStrategy[str], comment: str, data: st.DataObject
) -> None:
    installed = Installed(language, data.draw(documents))
    replaced = splice.put(language, installed.after, KEYS, OTHER)
    assert installed.said(replaced) == splice.canonical(splice.with_value(installed.document, KEYS, OTHER))
