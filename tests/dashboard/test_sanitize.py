"""The second look at rendered text, by itself: were the daemon's own ever wrong, this one would hold."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from helix.surfaces.dashboard.files import read_files
from tests.dashboard.conftest import Open, settle
from tests.dashboard.hostile import HOST, PAYLOADS

MODULES = f"/ui/{read_files().fingerprint}"

KNOWN = [
    "href",
    "class",
    "rel",
    "target",
    "data-memory",
    "type",
    "disabled",
    "checked",
    "aria-label",
    "start",
]
GONE = "script, img, svg, math, iframe, form, style, link, base, meta, object, embed, video, audio, template"


@pytest.fixture
def page(visit: Open) -> Page:
    opened = visit()
    # Even in a document that runs nothing the browser says what it would not have run.
    opened.watched.expected.append("violates the following Content Security Policy")
    return opened.go("#/memories")


def test_hostile_markup_is_copied_without_what_makes_it_hostile(page: Page) -> None:
    found = page.evaluate(
        """async ([modules, payloads, known, gone]) => {
          const {toNodes} = await import(modules + '/sanitize.js');
          const bad = [];
          for (const payload of payloads) {
            const place = document.createElement('div');
            document.getElementById('main').append(place);
            place.append(toNodes(payload));
            for (const one of place.querySelectorAll('*'))
              for (const {name, value} of one.attributes)
                if (!known.includes(name) || /^\\s*(javascript|data|vbscript|file)/i.test(value))
                  bad.push([payload, one.outerHTML]);
            if (place.querySelector(gone)) bad.push([payload, place.outerHTML]);
          }
          return bad;
        }""",
        [MODULES, list(PAYLOADS), KNOWN, GONE],
    )
    assert found == []
    settle(page)
    assert page.evaluate("window.marked === undefined")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("<p>a <b>b</b></p>", "<p>a <b>b</b></p>"),
        ("<h1>t</h1>", "<h3>t</h3>"),
        ('<p class="task evil" id="x" style="color:red">a</p>', '<p class="task">a</p>'),
        ("<section>words <i>stay</i></section>", "words <i>stay</i>"),
        ("<script>gone()</script>", ""),
        ('<a href="javascript:x">a</a>', "<a>a</a>"),
        ('<a href="vscode://file/etc">a</a>', "<a>a</a>"),
        ('<a href="#/memory/forged">a</a>', "<a>a</a>"),
        (
            '<a href="javascript:x" data-memory="mem_1/../2">a</a>',
            '<a href="#/memory/mem_1%2F..%2F2" data-memory="mem_1/../2">a</a>',
        ),
        (
            f'<a href="{HOST}/">a</a>',
            f'<a href="{HOST}/" rel="noopener noreferrer" target="_blank">a</a>',
        ),
        ('<input type="text" name="token">', ""),
    ],
)
def test_what_is_allowed_stays_and_nothing_else(page: Page, given: str, kept: str) -> None:
    said = page.evaluate(
        """async ([modules, given]) => {
          const {toNodes} = await import(modules + '/sanitize.js');
          const place = document.createElement('div');
          place.append(toNodes(given));
          return new XMLSerializer().serializeToString(place);
        }""",
        [MODULES, given],
    )
    assert said == f'<div xmlns="http://www.w3.org/1999/xhtml">{kept}</div>'
