"""Real documents, made by the libraries that people make them with, and such as nobody should be able to harm by."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Sequence
from typing import Any, cast

import docx
import openpyxl
import pptx
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.pdfgen import canvas


def pdf(pages: Sequence[str], *, title: str = "", password: str | None = None) -> bytes:
    file = io.BytesIO()
    page = canvas.Canvas(file, encrypt=password)
    page.setTitle(title)
    for text in pages:
        for number, line in enumerate(text.splitlines()):
            page.drawString(72, 760 - 14 * number, line)
        page.showPage()
    page.save()
    return file.getvalue()


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Retry handbook", 0)
    document.add_heading("Gateway", 1)
    document.add_paragraph("The gateway retries three times with jitter.")
    table = document.add_table(rows=2, cols=2)
    for row, cells in zip(table.rows, (("Service", "Limit"), ("billing", "40 a second")), strict=True):
        for cell, text in zip(row.cells, cells, strict=True):
            cell.text = text
    document.add_heading("Queue", 1)
    document.add_paragraph("Poison messages are parked", style="List Bullet")
    return _saved(document)


def slides() -> bytes:
    deck = pptx.Presentation()
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "Roadmap"
    first.placeholders[1].text = "Ship the wombat release\nThen rest"
    first.notes_slide.notes_text_frame.text = "Say it slowly"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Numbers"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    table.cell(0, 0).text, table.cell(1, 1).text = "Quarter", "north|south"
    data = cast(Any, CategoryChartData)()
    data.categories = ["2025", "2026"]
    data.add_series("Wombats", (3, 5))
    third = deck.slides.add_slide(deck.slide_layouts[6])
    chart = third.shapes.add_chart(XL_CHART_TYPE.LINE, Inches(1), Inches(1), Inches(4), Inches(3), data).chart
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sightings"
    return _saved(deck)


def sheets() -> bytes:
    book = openpyxl.Workbook()
    costs = book.active
    costs.title = "Costs"
    costs.append(["Region", "Euro"])
    costs.append(["north", 1200])
    book.create_sheet("Empty")
    book.create_sheet("Staff").append(["Ada", "platform"])
    return _saved(book)


def vast_sheet() -> bytes:
    """A workbook of two cells that says it has seventeen milliards."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(sheets())) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            text = re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', old.read(name))
            new.writestr(name, text)
    return made.getvalue()


def notebook() -> bytes:
    cells = [
        {"cell_type": "markdown", "source": ["# Churn\n", "\n", "Why people leave."]},
        {
            "cell_type": "code",
            "source": "rate = 0.04\nrate",
            "outputs": [{"data": {"text/plain": ["0.04"], "image/png": "iVBORw0KGgo="}}],
        },
    ]
    return json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}}).encode()


def page() -> bytes:
    return b"""<!doctype html><html><head><title>Runbook</title><script>steal()</script></head>
    <body><nav>Home</nav><h1>Runbook</h1><p>Restart the <b>gateway</b> first.</p>
    <table><tr><th>Step</th><th>Who</th></tr><tr><td>drain</td><td>on call</td></tr></table></body></html>"""


def zip_bomb() -> bytes:
    """A Word file of some hundred kilobytes that says it is a gigabyte of text."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            for _ in range(64):
                part.write(b" " * 2**22)
        archive.writestr("[Content_Types].xml", b" " * 2**22)
    return file.getvalue()


def _saved(document: object) -> bytes:
    file = io.BytesIO()
    document.save(file)  # type: ignore[attr-defined]
    return file.getvalue()
