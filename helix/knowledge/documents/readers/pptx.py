"""PowerPoint: what stands on each slide, in its tables and charts, and in the notes of who speaks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pptx import Presentation
from pptx.exc import PythonPptxError

from helix.knowledge.documents.converted import Converted, Stretch, Unreadable
from helix.knowledge.documents.limits import MOST_PAGES
from helix.knowledge.documents.readers.markdown_table import to_table
from helix.knowledge.documents.readers.office_zip import checked

_DEEPEST = 20


def read(data: bytes, _form: str, _language: str) -> Converted:
    file = checked(data, "ppt/presentation.xml")
    try:
        presentation = Presentation(file)
        slides = list(presentation.slides)
    except (PythonPptxError, KeyError, ValueError) as error:
        raise Unreadable("it is damaged: its slides cannot be read") from error
    if len(slides) > MOST_PAGES:
        raise Unreadable(f"it has {len(slides)} slides; at most {MOST_PAGES} are read")
    stretches = [
        Stretch("\n\n".join(_texts(slide)), "slide", str(number)) for number, slide in enumerate(slides, 1)
    ]
    return Converted(stretches, presentation.core_properties.title or None)


def _texts(slide: Any) -> Iterator[str]:
    title = slide.shapes.title
    if title is not None and title.has_text_frame and title.text_frame.text.strip():
        yield f"## {' '.join(title.text_frame.text.split())}"
    yield from _shapes(slide.shapes, title, 0)
    spoken = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if spoken is not None and spoken.text.strip():
        yield f"Notes: {spoken.text.strip()}"


def _shapes(shapes: Any, title: Any, depth: int) -> Iterator[str]:
    for shape in shapes:
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if hasattr(shape, "shapes") and depth < _DEEPEST:
            yield from _shapes(shape.shapes, None, depth + 1)
        elif getattr(shape, "has_table", False):
            yield to_table([[cell.text for cell in row.cells] for row in shape.table.rows])
        elif getattr(shape, "has_chart", False):
            yield from _chart(shape.chart)
        elif shape.has_text_frame:
            lines = [
                f"{'  ' * paragraph.level}- {paragraph.text.strip()}"
                for paragraph in shape.text_frame.paragraphs
                if paragraph.text.strip()
            ]
            if lines:
                yield "\n".join(lines)


def _chart(chart: Any) -> Iterator[str]:
    """What it is called, and its values as a table."""
    if chart.has_title and chart.chart_title.has_text_frame and chart.chart_title.text_frame.text.strip():
        yield f"Chart: {' '.join(chart.chart_title.text_frame.text.split())}"
    # The library knows most kinds of charts; of another kind there is the title alone.
    with suppress(NotImplementedError, KeyError, ValueError):
        yield from (to_table(rows) for plot in chart.plots if (rows := _rows(plot)))


def _rows(plot: Any) -> list[list[object]]:
    series = list(plot.series)
    values = [list(each.values) for each in series]
    rows: list[list[object]] = [
        [name, *(column[at] if at < len(column) else None for column in values)]
        for at, name in enumerate(plot.categories)
    ]
    return [["", *(each.name for each in series)], *rows] if rows else []
