"""Context lab and health: exactly what the API says, and how an agent is connected."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.dashboard.conftest import Open
from tests.surfaces.conftest import Served

TASK = "debug the refresh of access tokens"


def test_the_lab_shows_the_very_pack_an_agent_would_get(visit: Open, board: Served) -> None:
    page = visit().go("#/lab")
    page.get_by_label("Task").fill(TASK)
    page.get_by_label("Budget").select_option("1000")
    page.get_by_role("button", name="Pack", exact=True).click()
    said = board.http.post("/context", json={"task": TASK, "max_tokens": 1000, "scope": "all"}).json()
    expect(page.locator(".pack")).to_be_visible()
    assert page.locator(".pack").text_content() == said["context"]
    expect(page.locator(".lab-figure")).to_contain_text("of 1,000 tokens")
    titles = page.locator(".lab-lists table").first.locator("a").all_inner_texts()
    assert len(titles) == len(said["citations"])
    assert "task=" in page.url


def test_the_lab_says_what_was_left_out_and_why(visit: Open, board: Served) -> None:
    page = visit().go(f"#/lab?task={TASK}&budget=500")
    expect(page.locator(".lab-figure")).to_contain_text("of 500 tokens")
    said = board.http.post(
        "/context", json={"task": TASK, "max_tokens": 500, "scope": "all", "explain": True}
    ).json()
    assert said["left_out"]
    left = page.get_by_role("heading", name="What was left out").locator("..")
    expect(left.locator("tbody tr")).to_have_count(len(said["left_out"]))
    expect(left).to_contain_text(re.compile("no room left|says the same|does not fit"))
    used = sum(part["tokens"] for part in said["parts"]) + said["overhead_tokens"]
    assert used <= 500


def test_asking_from_a_project_packs_for_that_project(visit: Open, board: Served) -> None:
    page = visit().go("#/lab")
    page.get_by_label("Task").fill("cut tiles")
    page.get_by_label("Asked from").select_option("fernway-tiles")
    page.get_by_role("button", name="Pack", exact=True).click()
    said = board.http.post(
        "/context", json={"task": "cut tiles", "max_tokens": 4000}, headers={"Helix-Project": "fernway-tiles"}
    ).json()
    expect(page.locator(".pack")).to_be_visible()
    assert page.locator(".pack").text_content() == said["context"]


def test_health_says_how_the_daemon_is(visit: Open, board: Served) -> None:
    page = visit().go("#/health")
    expect(page.locator(".state-card h2")).to_have_text("Ready")
    expect(page.locator(".health-cards")).to_contain_text(str(board.vault))
    expect(page.locator(".health-cards")).to_contain_text("watching")
    for heading in (
        "Following the folder",
        "Searching by meaning",
        "Disk",
        "Git",
        "Latency",
        "Tokens served",
        "Clients",
    ):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.locator("code").filter(has_text="/healthz").first).to_be_visible()


def test_health_does_not_say_that_there_is_no_git_before_git_has_answered(visit: Open, board: Served) -> None:
    asked = board.http.get("/status").json()
    opened = visit()
    opened.context.route("**/status", lambda route: route.fulfill(json={**asked, "git": None}))
    page = opened.go("#/health")
    expect(page.get_by_text("Git is still being asked")).to_be_visible()


def test_consolidation_is_paused_and_resumed(visit: Open, board: Served) -> None:
    page = visit().go("#/health")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    assert board.daemon.health()["consolidation"]["state"] == "paused"
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert board.daemon.health()["consolidation"]["state"] != "paused"


def test_every_file_is_read_again_on_request(visit: Open) -> None:
    page = visit().go("#/health")
    page.get_by_role("button", name="Read every file again").click()
    expect(page.get_by_text("Every file was read again")).to_be_visible(timeout=20_000)


def test_each_host_has_an_entry_that_is_copied(visit: Open, board: Served) -> None:
    opened = visit()
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = opened.go("#/health")
    hosts = board.http.get("/hosts").json()["hosts"]
    assert len(hosts) >= 5
    for host in (hosts[0], hosts[-1]):
        page.get_by_role("group", name="Host").get_by_role("button", name=host["title"], exact=True).click()
        expect(page.locator(".fragment pre")).to_have_text(host["fragment"], use_inner_text=True)
        page.get_by_role("button", name="Copy the entry").click()
        assert page.evaluate("navigator.clipboard.readText()") == host["fragment"]
        expect(page.locator(".host-shown code").first).to_have_text(host["command"])
