"""What the dashboard feels like with 10,000 memories: first paint, search as you type, the graph; in a real Chromium.

Every figure stands beside the same one of a small vault, or of an empty page, in the same run: the browser, the daemon
and this script share the processors, so the ratios say more than the milliseconds.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bench.figures import report
from bench.notes import Notes
from helix.vault import frontmatter
from helix.vault.yaml_load import Value
from tests.cli.commands import BIN
from tests.dashboard.conftest import CHROMIUM, FLAGS
from tests.flows.daemon import Daemon, running_daemon
from tests.surfaces.conftest import surroundings

_SMALL = 100
_RELATIONS = ("relates_to", "depends_on", "refines", "contradicts")
# From the last key to the rows of that very question.
_TYPE = """async question => {
  const field = document.querySelector('.search-field'), list = document.querySelector('.memory-list');
  field.focus();
  field.value = '';
  let last = 0;
  for (const letter of question) {
    field.value += letter;
    field.dispatchEvent(new Event('input', {bubbles: true}));
    last = performance.now();
    await new Promise(done => setTimeout(done, 60));
  }
  while (!list.dataset.shows.startsWith(JSON.stringify([question]).slice(0, -1)))
    await new Promise(done => requestAnimationFrame(done));
  return (performance.now() - last) / 1000;
}"""
# The time between frames, while something happens; `count` of them.
_FRAMES = """count => new Promise(done => {
  const gaps = [];
  let before = performance.now();
  requestAnimationFrame(function next(now) {
    gaps.push((now - before) / 1000);
    before = now;
    if (gaps.length < count) requestAnimationFrame(next); else done(gaps.slice(1));
  });
})"""
_PAN = """() => {
  const canvas = document.querySelector('canvas'), at = canvas.getBoundingClientRect();
  const say = (type, x) => canvas.dispatchEvent(new PointerEvent(type, {pointerId: 1, bubbles: true,
    clientX: at.left + x, clientY: at.top + 8}));
  canvas.setPointerCapture = () => {};
  let x = 8;
  say('pointerdown', x);
  window.panning = setInterval(() => say('pointermove', x = 8 + (x + 5) % 300), 8);
}"""


@contextmanager
def served(count: int) -> Iterator[Daemon]:
    """A vault of so many short notes in two projects, each linked with another one of its own."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        env = surroundings(place)
        subprocess.run([str(BIN / "helix"), "init"], env=env, check=True, capture_output=True)
        started = time.perf_counter()
        with running_daemon(env) as daemon:
            notes, dice = Notes(), random.Random(8)
            for number in range(count):
                file = place / "vault" / notes.path(number)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(_note(notes, number, count, dice))
            index = None
            while index is None or index["memories"] < count or index["index_lag"] > 0:
                time.sleep(0.5)
                index = daemon.health()["index"]
            print(
                f"{count} memories, taken in and embedded in {time.perf_counter() - started:.0f} s",
                flush=True,
            )
            yield daemon


def _note(notes: Notes, number: int, count: int, dice: random.Random) -> bytes:
    half = count // 2 or 1
    first = number // half * half
    other = min(count - 1, first + int(half * dice.random() ** 2))
    meta: dict[str, Value] = {
        "id": Path(notes.path(number)).stem,
        "title": notes.title(number),
        "kind": dice.choice(("fact", "decision", "event", "preference", "task")),
        "scope": "project",
        "project": f"half-{number // half}",
        "status": "active",
        "created_at": f"2026-{dice.randint(1, 10):02}-{dice.randint(1, 28):02}T09:12:44Z",
    }
    links: list[Value] = [f"[[{Path(notes.path(other)).stem}]]"]
    meta[dice.choice(_RELATIONS)] = links
    return frontmatter.create(meta, notes.body(number).splitlines()[0] + "\n")


def first_paint(browser: Browser, url: str, times: int) -> None:
    painted, listed = [], []
    for _ in range(times):
        page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
        page.goto(f"{url}/")
        page.locator(".memory-row").first.wait_for()
        listed.append(page.evaluate("performance.now()") / 1000)
        paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
        painted.append(page.evaluate(paint) / 1000)
        page.context.close()
    report("  first paint, nothing cached", painted)
    report("  the list is there", listed)


def typing(browser: Browser, url: str, questions: list[str]) -> None:
    page = _open(browser, f"{url}/")
    page.locator(".memory-row").first.wait_for()
    seconds = [page.evaluate(_TYPE, question) for question in questions]
    page.context.close()
    report("  from the last key to its rows", seconds)


def graph(browser: Browser, url: str) -> None:
    page = _open(browser, "about:blank")
    report("  between frames, empty page", page.evaluate(_FRAMES, 120))
    page.context.close()
    page = _open(browser, f"{url}/#/graph?project=half-0")
    page.locator("canvas[data-still]").wait_for(timeout=120_000)
    report("  between frames, while the layout runs", page.evaluate(_FRAMES, 120))
    page.locator("canvas[data-still=true]").wait_for(timeout=300_000)
    page.evaluate(_PAN)
    report("  between frames, while it is dragged", page.evaluate(_FRAMES, 120))
    page.context.close()


def _open(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    page.goto(url)
    return page


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=10)
    asked = parser.parse_args(argv)
    if CHROMIUM is None:
        sys.exit("there is no Chromium on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        print(f"load of the machine {os.getloadavg()[0]:.1f}", flush=True)
        for count in (_SMALL, asked.notes):
            with served(count) as daemon:
                first_paint(browser, daemon.url, asked.times)
                typing(browser, daemon.url, Notes().questions(asked.times, count))
                if count == asked.notes:
                    print(f"graph of {count // 2} memories", flush=True)
                    graph(browser, daemon.url)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
