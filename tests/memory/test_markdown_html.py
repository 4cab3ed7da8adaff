"""Memory text is hostile: what comes out of rendering it is inert, and the rest is what a person meant."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helix.memory.reading.markdown_html import Target, to_html
from tests.memory.world import World, record

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&#58;alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](\x01javascript:alert(1))",
    "<javascript:alert(1)>",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox(1))",
    "[x](//evil.example/x)",
    "[x](/forget)",
    "![x](javascript:alert(1))",
    '![x" onerror="alert(1)](http://evil.example/y.png)',
    '[x](http://a.example/"onmouseover="alert(1))',
    "[x](http://a.example 'a\" onclick=\"alert(1)')",
    '```"><script>alert(1)</script>\ncode\n```',
    '```js" onload="alert(1)\ncode\n```',
    '[[mem_a|<img src=x onerror="alert(1)">]]',
    '[[gone" onclick="alert(1)]]',
    "[[<script>alert(1)</script>]]",
    "![[http://evil.example/track.png]]",
    "[ref]\n\n[ref]: javascript:alert(1)",
    "a|b\n:-|-\n<script>|x",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62;",
    "<!-- --><svg/onload=alert(1)>",
    "<style>@import url(http://evil.example)</style>",
    '<a href="x" id="search" class="danger" style="position:fixed">x</a>',
]

_TAGS = re.compile(
    "a|blockquote|br|code|em|h[1-6]|hr|input|li|ol|p|pre|s|span|strong|table|tbody|td|th|thead|tr|ul"
)
_CLASSES = re.compile(r"task|picture|dangling|hidden-memory|align-(left|right|center)|language-[a-z]+")
_ATTRIBUTES = {
    "href",
    "title",
    "rel",
    "target",
    "data-memory",
    "class",
    "type",
    "disabled",
    "checked",
    "start",
}


class Inspected(HTMLParser):
    """Holds every tag and attribute against what may be there at all."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert _TAGS.fullmatch(tag), tag
        for name, value in attrs:
            assert name in _ATTRIBUTES, (tag, name)
            if name == "class":
                assert _CLASSES.fullmatch(value or ""), value
            if name == "href":
                assert re.match(
                    r"https?://|mailto:|obsidian://|#/memory/[^/]+$", value or "", re.IGNORECASE
                ), value
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment came through")


def find(name: str) -> Target | None:
    return Target("mem_a", 'Title <b>"bold"</b>', "active") if name == "mem_a" else None


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_stays_text(text: str) -> None:
    Inspected(to_html(text, find))
    Inspected(to_html(f"- [ ] {text}\n\n> {text}\n\n**{text}**", find))


@given(
    st.lists(
        st.sampled_from([*HOSTILE, "\n", "`", "[", "](", "|", "> ", "- [x] ", '"', "http://"]), max_size=12
    )
)
def test_no_mixture_of_hostile_texts_comes_through(pieces: list[str]) -> None:
    Inspected(to_html("".join(pieces), find))


def test_what_a_person_writes_is_shown_as_they_meant_it() -> None:
    html = to_html(
        "# Head\n\n- [ ] open\n- [x] done\n\n|a|b|\n|:-|-|\n|1|2|\n\n```py\nx < 1\n```\n\n[w](https://a.example) "
        "![shot](https://a.example/p.png) ~~old~~",
        find,
    )
    assert "<h1>Head</h1>" in html
    assert html.count('<input type="checkbox" disabled="">') == 1
    assert html.count('<input type="checkbox" disabled="" checked="">') == 1
    assert '<td class="align-left">1</td>' in html
    assert '<code class="language-python">x &lt; 1' in html
    assert '<a href="https://a.example" rel="noopener noreferrer" target="_blank">w</a>' in html
    assert '<a class="picture" href="https://a.example/p.png"' in html
    assert "<img" not in html
    assert "<s>old</s>" in html


def test_a_wikilink_leads_to_its_memory_by_id_file_or_title(world: World) -> None:
    world.put("notes/http client.md", record("mem_http", "Text", title="The <i>client</i>"))
    for name in ("mem_http", "http client", "The <i>client</i>"):
        html = world.service.render(f"See [[{name}]], [[{name}#part|shown]] and `[[{name}]]`.")["html"]
        assert '<a href="#/memory/mem_http" data-memory="mem_http">The &lt;i&gt;client&lt;/i&gt;</a>' in html
        assert 'data-memory="mem_http">shown</a>' in html
        assert html.count("data-memory") == 2
    assert '<span class="dangling">nothing</span>' in world.service.render("[[nothing]]")["html"]
    world.service.forget("mem_http")
    assert 'class="hidden-memory"' in world.service.render("[[mem_http]]")["html"]


COSTLY = {
    "quotes that go on": "> " * 19 + "a\n" + "a\n" * 40_000,
    "quotes in quotes": (">" * 19 + "a\n") * 4_900,
    "brackets": "[" * 99_000,
    "pictures": "![" * 49_000,
    "wikilinks": "[[a" * 33_000,
    "stars": "*a_ **b " * 12_000,
    "rows": "|a|b|\n|-|-|\n" + "|a|b|\n" * 14_000,
    "headings": "a\n-\n" * 24_000,
}


@pytest.mark.parametrize("text", COSTLY.values(), ids=COSTLY.keys())
def test_a_text_that_takes_too_long_to_lay_out_is_shown_as_it_is_written(text: str) -> None:
    html = to_html(text, lambda name: None)  # laid out it would take half a second to five
    assert "shown as it is written" in html
    assert html.count("<code>") == 1
    assert html.endswith(
        text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") + "</code></pre>\n"
    )


def test_the_longest_text_of_a_person_is_laid_out() -> None:
    text = (
        "A sentence with *emphasis*, `code` and a [[link]] to something.\n" * 8 + "\n- one\n- two\n\n"
    ) * 180
    assert "shown as it is written" not in to_html(text[:99_000], lambda name: None)
