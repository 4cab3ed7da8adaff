"""What a person does with a memory on the page stands in the file on disk."""

from __future__ import annotations

import re
import subprocess
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

from playwright.sync_api import Error, Page, Route, expect

from tests.dashboard.conftest import Open, Visit, file_of, frontmatter, settle
from tests.surfaces.conftest import Served
from tests.waiting import wait_for


def read(page: Page, title: str) -> None:
    expect(page.locator(".reading h2")).to_have_text(title)


def test_writing_a_new_memory_makes_its_file(visit: Open, board: Served) -> None:
    page = visit().go("")
    page.get_by_role("button", name="New").click()
    dialog = page.get_by_role("dialog", name="New memory")
    dialog.get_by_label("Text, in markdown").fill("The guillemot lands on the **third** ledge.")
    dialog.get_by_label("Title").fill("Where the guillemot lands")
    dialog.get_by_label("Kind").fill("fact")
    dialog.get_by_label("Project").fill("birds")
    dialog.get_by_label("Tags").fill("cliff, ledges")
    dialog.get_by_role("button", name="Remember").click()
    read(page, "Where the guillemot lands")
    expect(page.locator(".prose strong")).to_have_text("third")
    memory_id = unquote(page.url.rpartition("/")[2])
    text = file_of(board, memory_id).read_text("utf-8")
    assert "The guillemot lands on the **third** ledge." in text
    assert "project: birds" in text
    assert "cliff" in frontmatter(file_of(board, memory_id))
    expect(page.locator(".memory-title").first).to_have_text("Where the guillemot lands")


def test_a_refused_secret_is_said_and_nothing_is_lost(visit: Open, board: Served) -> None:
    opened = visit()
    opened.watched.expected.append("422")
    page = opened.go("")
    page.get_by_role("button", name="New").click()
    dialog = page.get_by_role("dialog", name="New memory")
    secret = "The key is AKIA" + "IOSFODNN7EXAMPLQ for the bucket"
    dialog.get_by_label("Text, in markdown").fill(secret)
    dialog.get_by_role("button", name="Remember").click()
    expect(dialog.get_by_role("alert")).to_contain_text(re.compile("credential|key|secret", re.IGNORECASE))
    expect(dialog.get_by_label("Text, in markdown")).to_have_value(secret)
    assert not any(b"EXAMPLQ" in data for data in board.bytes().values())


def test_editing_in_place_changes_what_was_changed_and_no_other_line(visit: Open, board: Served) -> None:
    memory_id = board.remember("First line\n\nSecond line", title="Edited on the page", tags=["one"])
    file = file_of(board, memory_id)
    before = frontmatter(file)
    page = visit().go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("First line\n\nSecond line, mended")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".prose")).to_contain_text("Second line, mended")
    assert file.read_text("utf-8").endswith("First line\n\nSecond line, mended\n")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Title").fill("Edited twice")
    page.get_by_label("Tags").fill("one, two")
    page.get_by_role("button", name="Save").click()
    read(page, "Edited twice")
    expect(page.locator(".tags")).to_contain_text("#two")
    kept = ("id:", "kind:", "scope:", "status:", "created_at:")
    after = frontmatter(file)
    for line in before.splitlines():
        if line.startswith(kept):
            assert line in after.splitlines()


def test_a_draft_survives_going_elsewhere(visit: Open, board: Served) -> None:
    memory_id = board.remember("Text before the draft", title="A memory with a draft")
    page = visit().go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("Half a thou")
    page.get_by_role("link", name="Graph", exact=True).click()
    page.get_by_role("heading", name="Graph", exact=True).wait_for()
    page.evaluate(f"location.hash = '#/memory/{memory_id}'")
    expect(page.get_by_label("Text, in markdown")).to_have_value("Half a thou")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Discard").click()
    expect(page.locator(".prose")).to_have_text("Text before the draft")


def test_forgetting_keeps_the_file_and_can_be_undone(visit: Open, board: Served) -> None:
    memory_id = board.remember("Forget this on the page", title="To be forgotten")
    file = file_of(board, memory_id)
    page = visit().go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".reading .badge")).to_have_text("deleted")
    assert "status: deleted" in frontmatter(file)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Forget")).to_be_visible()
    assert "status: active" in frontmatter(file)
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("button", name="Edit")).to_be_visible()
    assert "status: active" in frontmatter(file)


def test_erasing_asks_for_the_word_and_leaves_no_text(visit: Open, board: Served) -> None:
    memory_id = board.remember("The cormorant never rests", title="To be erased")
    file = file_of(board, memory_id)
    page = visit().go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("button", name="Erase for good").click()
    dialog = page.get_by_role("dialog", name="Erase for good")
    dialog.get_by_role("button", name="Erase", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text("Type the word")
    assert "cormorant" in file.read_text("utf-8")
    dialog.get_by_label("Type").fill("erase")
    dialog.get_by_role("button", name="Erase", exact=True).click()
    expect(page.locator(".reading .badge")).to_have_text("erased")
    assert "cormorant" not in file.read_text("utf-8")
    assert "status: erased" in file.read_text("utf-8")
    expect(page.get_by_role("button", name="Edit")).to_have_count(0)


def test_superseding_links_the_new_memory_to_the_old_one(visit: Open, board: Served) -> None:
    old = board.remember(
        "The ferry leaves at nine", title="When the ferry leaves", project="harbour", scope="project"
    )
    page = visit().go(f"#/memory/{old}")
    page.get_by_role("button", name="Supersede").click()
    dialog = page.get_by_role("dialog", name="Supersede")
    expect(dialog.get_by_label("Project")).to_have_value("harbour")
    dialog.get_by_label("Text, in markdown").fill("The ferry leaves at half past nine")
    dialog.get_by_role("button", name="Supersede").click()
    expect(page.locator(".prose")).to_have_text("The ferry leaves at half past nine")
    expect(page.locator(".links")).to_contain_text("supersedes")
    assert "status: superseded" in frontmatter(file_of(board, old))
    new = unquote(page.url.rpartition("/")[2])
    assert old in frontmatter(file_of(board, new))


def test_relating_with_the_picker_draws_the_edge_in_the_file(visit: Open, board: Served) -> None:
    one = board.remember("The tide table hangs in the hut", title="Tide table")
    other = board.remember("The hut is locked from November on", title="Hut of the kittiwakes")
    page = visit().go(f"#/memory/{one}")
    page.get_by_role("button", name="Relate").click()
    dialog = page.get_by_role("dialog", name="Relate")
    dialog.get_by_label("Relation").select_option("depends_on")
    dialog.get_by_role("combobox", name="The other memory").fill("hut of the kittiwakes")
    expect(dialog.get_by_role("listbox").get_by_role("option").first).to_contain_text("Hut of the kittiwakes")
    dialog.get_by_role("button", name="Relate").click()
    expect(page.locator(".links")).to_contain_text("depends on")
    assert f"[[{other}]]" in frontmatter(file_of(board, one))
    page.locator(".links a").first.click()
    expect(page.locator(".links")).to_contain_text("needed by")


def test_a_citation_is_copied_and_the_file_opens_elsewhere(visit: Open, board: Served) -> None:
    memory_id = board.remember("Cited text", title="Cited", kind="decision", project="birds", scope="project")
    opened = visit()
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened.go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="More actions").click()
    path = str(file_of(board, memory_id))
    obsidian = page.get_by_role("link", name="Open in Obsidian")
    expect(obsidian).to_have_attribute("href", re.compile("^obsidian://open"))
    assert unquote(str(obsidian.get_attribute("href"))) == f"obsidian://open?path={path}"
    code = page.get_by_role("link", name="Open in VS Code")
    assert unquote(str(code.get_attribute("href"))) == f"vscode://file{path}"
    page.get_by_role("button", name="Copy as citation").click()
    expect(page.get_by_text("Copied the citation")).to_be_visible()
    said = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(rf"Cited \(decision, birds, \d{{4}}-\d\d-\d\d\) \[\[{memory_id}\]\]", said)


def commit(board: Served, subject: str) -> None:
    who = ["-c", "user.name=Ines", "-c", "user.email=ines@example.org"]
    for words in (["add", "-A"], ["commit", "-qm", subject]):
        subprocess.run(["git", "-C", str(board.vault), *who, *words], env=board.env, check=True)


def test_history_shows_what_changed_and_turns_back(visit: Open, board: Served) -> None:
    memory_id = board.remember("The lamp burns red", title="Colour of the lamp")
    commit(board, "See a red lamp")
    board.http.patch(f"/memory/{memory_id}", json={"text": "The lamp burns green"})
    commit(board, "See a green lamp")
    page = visit().go(f"#/memory/{memory_id}")
    page.get_by_text("History").click()
    versions = page.locator(".versions > li")
    expect(versions).to_have_count(2)
    expect(versions.nth(0)).to_contain_text("See a green lamp")
    versions.nth(0).get_by_role("button", name="What changed").click()
    expect(versions.nth(0).locator(".added").filter(has_text="The lamp burns green")).to_have_count(1)
    expect(versions.nth(0).locator(".removed").filter(has_text="The lamp burns red")).to_have_count(1)
    versions.nth(1).get_by_role("button", name="Turn back to this").click()
    page.get_by_role("dialog").get_by_role("button", name="Turn back").click()
    expect(page.locator(".prose")).to_have_text("The lamp burns red")
    assert "The lamp burns red" in file_of(board, memory_id).read_text("utf-8")


def body_of(file: Path) -> str:
    return file.read_text("utf-8").split("---\n", 2)[2]


def deaf(opened: Visit) -> None:
    """A page that hears of no change until it saves."""
    # Never answered: one that failed would make the page look again once the daemon is there, at any moment.
    opened.page.route("**/events", lambda route: None)
    opened.watched.expected.append("409")


def test_a_stale_edit_shows_both_and_merges(visit: Open, board: Served) -> None:
    memory_id = board.remember("Bow\n\nMast\n\nStern", title="Parts of the boat")
    file = file_of(board, memory_id)
    opened = visit()
    deaf(opened)
    page = opened.go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("Bow, painted\n\nMast\n\nStern")
    file.write_text(
        file.read_text("utf-8").replace("Stern", "Stern, tarred"), "utf-8"
    )  # in an editor, beside the page
    wait_for(lambda: "tarred" in board.http.get(f"/memory/{memory_id}").text)
    page.get_by_role("button", name="Save").click()
    both = page.get_by_role("region", name="Two versions")
    expect(both.locator(".version").nth(0)).to_contain_text("Stern, tarred")
    expect(both.locator(".version").nth(1)).to_contain_text("Bow, painted")
    expect(page.get_by_label("Text, in markdown")).to_have_value("Bow, painted\n\nMast\n\nStern, tarred")
    page.get_by_role("button", name="Save the merged text").click()
    expect(page.locator(".prose")).to_contain_text("Stern, tarred")
    assert body_of(file).strip() == "Bow, painted\n\nMast\n\nStern, tarred"


def test_edits_of_the_same_line_are_both_kept_for_the_person_to_choose(visit: Open, board: Served) -> None:
    memory_id = board.remember("The tide turns at six", title="The turn of the tide")
    opened = visit()
    deaf(opened)
    page = opened.go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("The tide turns at seven")
    board.http.patch(f"/memory/{memory_id}", json={"text": "The tide turns at eight"})
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Both changed the same lines")).to_be_visible()
    both = page.get_by_label("Text, in markdown").input_value()
    assert "at eight" in both
    assert "at seven" in both
    page.get_by_label("Text, in markdown").fill("The tide turns between seven and eight")
    page.get_by_role("button", name="Save the merged text").or_(
        page.get_by_role("button", name="Save")
    ).click()
    expect(page.locator(".prose")).to_have_text("The tide turns between seven and eight")
    assert "between seven and eight" in file_of(board, memory_id).read_text("utf-8")


class Held:
    """The first request of a page about a memory, kept on its way until it is let go; the others pass."""

    def __init__(self, page: Page, memory_id: str) -> None:
        self.route: Route | None = None
        page.route(f"**/memory/{memory_id}*", self._meet)

    def _meet(self, route: Route) -> None:
        if self.route is None:
            self.route = route
        else:
            route.continue_()

    def is_met(self, page: Page) -> bool:
        settle(page)  # a route is told while the page is asked something
        return self.route is not None

    def let_go(self) -> None:
        assert self.route is not None
        self.route.continue_()


def test_a_change_that_arrives_while_a_save_is_on_its_way_is_asked_about_and_not_saved_as_a_mixture(
    visit: Open, board: Served
) -> None:
    memory_id = board.remember("The ferry leaves at six", title="The ferry")
    opened = visit()
    opened.watched.expected.append("409")
    page = opened.go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    text = page.get_by_label("Text, in markdown")
    text.fill("The ferry leaves at seven")
    held = Held(page, memory_id)
    page.get_by_role("button", name="Save").click()
    with page.expect_response(lambda said: memory_id in said.url and said.request.method == "GET"):
        board.http.patch(f"/memory/{memory_id}", json={"text": "The ferry leaves at eight"})
    settle(page)
    held.let_go()
    expect(page.get_by_text("Both changed the same lines")).to_be_visible()
    settle(page)
    assert body_of(file_of(board, memory_id)).strip() == "The ferry leaves at eight"
    text.fill("The ferry leaves between seven and eight")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".prose")).to_have_text("The ferry leaves between seven and eight")
    assert body_of(file_of(board, memory_id)).strip() == "The ferry leaves between seven and eight"


def test_a_press_of_save_in_the_moment_when_two_versions_meet_saves_neither_of_them(
    visit: Open, board: Served
) -> None:
    memory_id = board.remember("The light is white", title="The light")
    page = visit().go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Text, in markdown").fill("The light is amber")
    board.http.patch(f"/memory/{memory_id}", json={"text": "The light is violet"})
    expect(page.get_by_text("Both changed the same lines")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="save again to keep both")).to_be_visible()
    assert body_of(file_of(board, memory_id)).strip() == "The light is violet"
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".prose")).to_contain_text("The light is amber")
    assert body_of(file_of(board, memory_id)).strip() == "The light is violet\nThe light is amber"


def test_an_old_answer_that_arrives_late_does_not_take_the_page_back(visit: Open, board: Served) -> None:
    memory_id = board.remember("The buoy is red", title="The buoy")
    opened = visit()
    opened.watched.expected.append("409")
    page = opened.go(f"#/memory/{memory_id}")
    page.get_by_role("button", name="Edit").click()
    text = page.get_by_label("Text, in markdown")
    text.fill("The buoy is green")
    stale = board.http.get(f"/memory/{memory_id}")
    held = Held(page, memory_id)
    board.http.patch(f"/memory/{memory_id}", json={"text": "The buoy is blue"})
    wait_for(lambda: held.is_met(page))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Both changed the same lines")).to_be_visible()
    assert held.route is not None
    with suppress(Error):  # the page may have given it up
        held.route.fulfill(status=200, headers=dict(stale.headers), body=stale.text)
    settle(page)
    assert text.input_value() == "The buoy is blue\nThe buoy is green"
