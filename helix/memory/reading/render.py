"""render: a text as HTML that a page may show as it is."""

from __future__ import annotations

from helix.memory import answers
from helix.memory.reading.markdown_html import Target, to_html
from helix.memory.request import Request, verb
from helix.memory.tokens import clean


@verb("render")
def render(request: Request, text: str) -> answers.Rendered:
    """Markdown as HTML that holds nothing but what a page may show."""
    links = request.view().links()

    def find(name: str) -> Target | None:
        memory_id = links.resolve(name)
        row = None if memory_id is None else links.rows[memory_id]
        return None if row is None else Target(row.id, row.title, row.status)

    return {"html": to_html(clean(text), find)}
