"""Every kind of document gives its text, with the places that it stands at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from helix.knowledge.documents.converted import Converted
from helix.knowledge.documents.converter import Converter
from helix.knowledge.documents.formats import FORMATS, find_format
from tests.knowledge import files


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter() as converter:
        yield converter


def _read(converter: Converter, name: str, data: bytes) -> Converted:
    form = find_format(name)
    assert form is not None
    return converter.convert(form, data)


def _text(found: Converted) -> str:
    return "\n".join(stretch.text for stretch in found.stretches)


def test_a_pdf_gives_the_text_of_each_page(converter: Converter) -> None:
    found = _read(converter, "a.PDF", files.pdf(["Wombats dig.", "Wombats sleep."], title="On wombats"))
    assert found.title == "On wombats"
    assert [(one.unit, one.at, one.text.strip()) for one in found.stretches] == [
        ("page", "1", "Wombats dig."),
        ("page", "2", "Wombats sleep."),
    ]


def test_a_word_file_gives_headings_lists_and_tables(converter: Converter) -> None:
    found = _read(converter, "a.docx", files.word())
    assert found.title == "Retry handbook"
    text = _text(found)
    assert "# Gateway\n\nThe gateway retries three times with jitter." in text
    assert "| Service | Limit |\n| --- | --- |\n| billing | 40 a second |" in text
    assert "- Poison messages are parked" in text


def test_slides_give_titles_lists_tables_charts_and_notes(converter: Converter) -> None:
    first, second, third = _read(converter, "a.pptx", files.slides()).stretches
    assert (first.unit, first.at) == ("slide", "1")
    assert first.text == "## Roadmap\n\n- Ship the wombat release\n- Then rest\n\nNotes: Say it slowly\n"
    assert "| Quarter |  |" in second.text
    assert "north\\|south" in second.text
    assert third.text == "Chart: Sightings\n\n|  | Wombats |\n| --- | --- |\n| 2025 | 3.0 |\n| 2026 | 5.0 |\n"


def test_sheets_give_tables_and_an_empty_one_gives_nothing(converter: Converter) -> None:
    found = _read(converter, "a.xlsx", files.sheets())
    assert [(one.at, one.text) for one in found.stretches] == [
        ("Costs", "| Region | Euro |\n| --- | --- |\n| north | 1200 |\n"),
        ("Staff", "| Ada | platform |\n| --- | --- |\n"),
    ]


def test_a_sheet_that_says_it_is_vast_is_read_as_far_as_it_is(converter: Converter) -> None:
    found = _read(converter, "a.xlsx", files.vast_sheet())
    assert found.stretches[0].text == "| Region | Euro |\n| --- | --- |\n| north | 1200 |\n"


def test_a_notebook_gives_text_code_and_what_it_printed(converter: Converter) -> None:
    found = _read(converter, "a.ipynb", files.notebook())
    assert found.title == "Churn"
    assert found.stretches[1].text == "```python\nrate = 0.04\nrate\n```\n\n```text\n0.04\n```\n"


def test_a_page_gives_what_its_reader_sees(converter: Converter) -> None:
    found = _read(converter, "a.html", files.page())
    assert found.title == "Runbook"
    text = _text(found)
    assert "Restart the **gateway** first." in text
    assert "| drain | on call |" in text
    assert "steal" not in text
    assert "Home" not in text


def test_markdown_gives_its_lines_without_its_properties(converter: Converter) -> None:
    found = _read(converter, "a.md", b"---\ntitle: The plan\n---\n\nWe begin.\n")
    [stretch] = found.stretches
    assert (found.title, stretch.unit, stretch.at) == ("The plan", "line", "4")
    assert stretch.text == "\nWe begin.\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüße\r\nzwei".encode(), "Grüße\nzwei"),
        ("\ufeffGrüße".encode(), "Grüße"),
        ("Grüße".encode("utf-16"), "Grüße"),
        ("Grüße".encode("cp1252"), "Grüße"),
        (b"bell\x07 and escape\x1b[31m", "bell and escape[31m"),
    ],
)
def test_text_is_read_in_the_coding_it_has(converter: Converter, data: bytes, text: str) -> None:
    assert _text(_read(converter, "a.txt", data)) == text


def test_every_format_has_its_reader(converter: Converter) -> None:
    import importlib

    for form in set(FORMATS.values()):
        assert importlib.import_module(f"helix.knowledge.documents.readers.{form.reader}").read
