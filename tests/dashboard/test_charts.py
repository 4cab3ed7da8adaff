"""Graph and map: drawn, pointed at, zoomed, and said in words for who does not see a canvas."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from helix.surfaces.dashboard.files import read_files
from tests.dashboard.conftest import NARROW, Open
from tests.surfaces.conftest import Served

MODULES = f"/ui/{read_files().fingerprint}"
_PAINTED = """canvas => {
  const {width, height} = canvas, data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  let painted = 0;
  for (let at = 3; at < data.length; at += 4) painted += data[at] > 0;
  return painted / (width * height);
}"""


# The middle of a dot: a block of strong colour, which neither words nor edges are.
_SPOT = """canvas => {
  const {width, height} = canvas, data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  const strong = (x, y) => {
    const at = (y * width + x) * 4, rgb = [data[at], data[at + 1], data[at + 2]];
    return data[at + 3] > 150 && Math.max(...rgb) - Math.min(...rgb) > 70;
  };
  for (let y = 60; y < height - 60; y += 1)
    for (let x = 20; x < width - 20; x += 1)
      if ([-2, 0, 2].every(dx => [-2, 0, 2].every(dy => strong(x + dx, y + dy)))) return [x, y];
}"""
_READS = "willReadFrequently"  # what the browser advises a test that looks at pixels


def spot(page: Page) -> tuple[float, float]:
    """Where on the screen some memory is drawn."""
    canvas = page.locator("canvas")
    box = canvas.bounding_box()
    assert box is not None
    x, y = canvas.evaluate(_SPOT)
    return box["x"] + x, box["y"] + y


def still(page: Page) -> Page:
    """When the layout has come to rest."""
    expect(page.locator("canvas[data-still=true]")).to_be_visible(timeout=20_000)
    return page


def painted(page: Page) -> float:
    """How much of the chart is painted, once several frames in a row show the same: colours and layout come in one
    after the other."""
    share: float = page.evaluate(
        f"""async () => {{
          const painted = {_PAINTED};
          let last = 0, same = 0;
          for (let tries = 0; tries < 1200 && same < 20; tries += 1) {{
            await new Promise(requestAnimationFrame);
            const now = painted(document.querySelector('canvas'));
            same = now > 0 && now === last ? same + 1 : 0;
            last = now;
          }}
          return last;
        }}"""
    )
    return share


@pytest.mark.parametrize("where", ["#/graph?project=fernway-tiles", "#/map"])
def test_a_click_on_a_point_opens_its_memory(visit: Open, where: str) -> None:
    opened = visit(reduced_motion="reduce")
    opened.watched.expected.append(_READS)
    page = still(opened.go(where))
    page.mouse.move(*spot(page))
    title = page.locator(".tip b").inner_text()
    page.mouse.down()
    page.mouse.up()
    expect(page.locator(".reading h2")).to_have_text(title)


def test_the_list_beside_the_graph_says_the_same(visit: Open, board: Served) -> None:
    page = still(visit().go("#/graph"))
    nodes = [
        node for answer in board.http.get("/graph", params={"scope": "all", "max_tokens": 200000}).json()["nodes"]
        for node in [answer["title"]]
    ]  # fmt: skip
    expect(page.get_by_text(f"{len(nodes)} memories")).to_be_visible()
    page.get_by_role("searchbox", name="Filter the list").fill("access tokens")
    link = page.locator(".side-list a").filter(has_text="Access tokens live 15 minutes")
    expect(link).to_have_count(1)
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".reading h2")).to_contain_text("Access tokens live 15 minutes")


def test_the_graph_of_one_project_and_of_what_is_superseded(visit: Open, board: Served) -> None:
    page = still(visit().go("#/graph"))
    whole = int(page.locator(".side-section .hint").first.inner_text().split()[0])
    page.get_by_label("Project").select_option("fernway-tiles")
    expect(page).to_have_url(re.compile("project=fernway-tiles"))
    expect(page.locator(".side-section .hint").first).not_to_have_text(f"{whole} memories")
    still(page).get_by_label("Project").select_option("")
    page.get_by_label("with superseded and forgotten").check()
    expect(page.locator(".legend").first).to_contain_text("supersedes")


def test_the_canvas_is_zoomed_dragged_and_moved_by_keys(visit: Open) -> None:
    page = still(visit(reduced_motion="reduce").go("#/graph"))
    canvas = page.locator("canvas")
    picture = "canvas => canvas.toDataURL().length + canvas.toDataURL().slice(-4000)"
    seen = {canvas.evaluate(picture)}

    def step_left() -> None:
        canvas.focus()
        page.keyboard.press("ArrowLeft")

    def turn_the_wheel() -> None:
        canvas.hover(position={"x": 20, "y": 300})
        page.mouse.wheel(0, -400)

    def drag() -> None:
        page.mouse.down()
        page.mouse.move(500, 500)
        page.mouse.up()

    def zoom() -> None:
        page.get_by_role("button", name="Zoom in").click()
        page.keyboard.press("+")

    for act in (zoom, step_left, turn_the_wheel, drag):
        act()
        page.wait_for_function(
            f"known => !known.includes(({picture})(document.querySelector('canvas')))", arg=list(seen)
        )
        seen.add(canvas.evaluate(picture))
    page.keyboard.press("0")


def test_dragging_a_node_moves_it_and_opens_nothing(visit: Open) -> None:
    opened = visit(reduced_motion="reduce")
    opened.watched.expected.append(_READS)
    page = still(opened.go("#/graph?project=fernway-tiles"))
    x, y = spot(page)
    page.mouse.move(x, y)
    title = page.locator(".tip b").inner_text()
    page.mouse.down()
    page.mouse.move(x + 150, y + 90, steps=5)
    page.mouse.up()
    still(page)
    expect(page).to_have_url(re.compile("#/graph"))
    page.mouse.move(0, 0)
    page.mouse.move(x, y)
    expect(page.locator(".tip").filter(has_text=title).filter(visible=True)).to_have_count(0)


def test_the_map_is_coloured_by_kind_or_project_and_its_clusters_have_names(
    visit: Open, board: Served
) -> None:
    opened = visit()
    opened.watched.expected.append(_READS)
    page = still(opened.go("#/map"))
    first = board.http.get("/map", params={"scope": "all", "max_tokens": 100000}).json()
    expect(page.locator(".legend legend")).to_have_text("Kinds")
    expect(page.locator(".chart-side")).to_contain_text(" · ".join(first["clusters"][0]["terms"]))
    page.get_by_label("Colour by").select_option("project")
    expect(page.locator(".legend legend")).to_have_text("Projects")
    expect(page.locator(".legend")).to_contain_text("fernway-api")
    before = painted(page)
    page.get_by_label("fernway-api").uncheck()
    page.wait_for_function(f"before => ({_PAINTED})(document.querySelector('canvas')) < before", arg=before)


def test_what_a_person_hid_and_typed_stays_when_the_map_is_drawn_anew(visit: Open, board: Served) -> None:
    """A memory that comes while the page reads the map is on the next one, two seconds later."""
    opened = visit()
    opened.watched.expected.append(_READS)
    title = "The zander pond freezes over in January"
    made: list[str] = []

    def late(route: Route) -> None:
        answer = route.fetch()
        if not made:
            made.append(board.remember(title, title=title, scope="global"))
        route.fulfill(response=answer)

    opened.page.route("**/map?*", late)
    page = still(opened.go("#/map?by=project"))
    before = painted(page)
    page.get_by_label("fernway-api").uncheck()
    page.get_by_role("searchbox", name="Filter the list").fill("zander")
    expect(page.locator(".side-list a").filter(has_text=title)).to_be_visible()
    expect(page.get_by_label("fernway-api")).not_to_be_checked()
    page.wait_for_function(f"before => ({_PAINTED})(document.querySelector('canvas')) < before", arg=before)
    board.http.post("/forget", json={"id": made[0]})


def test_on_a_narrow_screen_the_list_comes_over_the_canvas(visit: Open) -> None:
    page = still(visit(*NARROW).go("#/graph"))
    side = page.get_by_role("complementary", name="Graph: legend and list")
    expect(side).to_be_hidden()
    page.get_by_role("button", name="Legend and list").click()
    expect(side).to_be_visible()


def test_the_layout_keeps_nodes_apart_and_neighbours_together(visit: Open) -> None:
    page = visit().go("#/memories")
    near, far, least = page.evaluate(
        """async modules => {
          const {Layout} = await import(modules + '/canvas/layout.js');
          const count = 300, edges = [];
          for (let at = 1; at < count; at += 1) if (at % 3) edges.push(at, at - 1);
          const layout = new Layout(count, Int32Array.from(edges), new Int32Array(count));
          while (!layout.isStill) layout.step();
          const gap = (one, other) => Math.hypot(layout.x[one] - layout.x[other], layout.y[one] - layout.y[other]);
          let [near, far, least] = [0, 0, Infinity];
          for (let at = 0; at < edges.length; at += 2) near += gap(edges[at], edges[at + 1]) / (edges.length / 2);
          for (let one = 0; one < count; one += 1)
            for (let other = 0; other < one; other += 1) {
              far += gap(one, other) / (count * (count - 1) / 2);
              least = Math.min(least, gap(one, other));
            }
          return [near, far, least];
        }""",
        MODULES,
    )
    assert near * 3 < far
    assert least > 1


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "merged", "collisions"),
    [
        ("a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC", 0),
        ("a\nb\nc", "a\nb\nc", "a\nc", "a\nc", 0),
        ("a\nb\nc", "a\nc", "a\nb\nc\nd", "a\nc\nd", 0),
        ("a", "b", "b", "b", 0),
        ("a", "b", "c", "c\nb", 1),
        ("a\nb", "a\nx\nb", "a\ny\nb", "a\ny\nx\nb", 1),
        ("", "mine", "", "mine", 0),
        ("a\n\nb\n", "a!\n\nb\n", "a\n\nb?\n", "a!\n\nb?\n", 0),
    ],
)
def test_two_changes_of_a_text_are_brought_together(
    visit: Open, base: str, mine: str, theirs: str, merged: str, collisions: int
) -> None:
    page = visit().go("#/memories")
    said = page.evaluate(
        "async ([modules, ...texts]) => (await import(modules + '/merge.js')).merge(...texts)",
        [MODULES, base, mine, theirs],
    )
    assert said == {"text": merged, "collisions": collisions}
