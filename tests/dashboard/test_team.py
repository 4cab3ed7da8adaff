"""The page for several people: each in a browser of their own, at the same daemon, at the same time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from helix.access.credentials import Credentials
from helix.access.password import Passwords
from tests.access.team import TeamServed, id_of, serving_team
from tests.dashboard.conftest import NARROW, WIDE, Open, Visit
from tests.dashboard.test_looks import serious
from tests.surfaces.conftest import Served

PASSWORD = "seven green ferries"  # noqa: S105
KEPT_BY_BOB = "Bob keeps the spare key under the blue pot"
OF_THE_SHOP = "Invoices of the shop are numbered without gaps"
FOR_THE_TEAM = "The office is closed on the first of May"
REFUSED = ["status of 401", "status of 403"]
"""what the console says of a request that a test has refused"""


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServed]:
    with serving_team(tmp_path_factory.mktemp("team-board")) as served:
        kept = Passwords().hash(PASSWORD)
        credentials = Credentials(served.place / "config")
        for name in served.keys:
            credentials.set_password(name, kept)
        credentials.close()
        write(served, "bob", KEPT_BY_BOB, scope="global")
        served.ask(
            "POST", "/projects", served.keys["bob"], json={"project": "shop", "members": ["ann", "rea"]}
        )
        write(served, "bob", OF_THE_SHOP, project="shop")
        write(served, "root", FOR_THE_TEAM, scope="global", visibility="team")
        yield served


def write(team: TeamServed, user: str, text: str, **more: str) -> str:
    done = team.ask("POST", "/remember", team.keys[user], json={"text": text, "force": True, **more})
    assert done.status_code == 200, done.text
    return str(done.json()["id"])


@pytest.fixture
def come_in(visit: Open, team: TeamServed) -> Callable[..., Visit]:
    """Opens a browser of its own, and signs in with it as a person does."""

    def start(user: str, where: str = "", **more: object) -> Visit:
        opened = visit(url=team.url, **more)
        sign_in(opened.go(where), user)
        return opened

    return start


def sign_in(page: Page, user: str, password: str = PASSWORD) -> None:
    page.get_by_label("User", exact=True).fill(user)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#account")).to_have_text(user)


def rows(page: Page) -> list[str]:
    expect(page.locator(".memory-row").first).to_be_visible()
    return page.locator(".memory-row .memory-snippet, .memory-row .memory-title").all_inner_texts()


def told(page: Page) -> str:
    return page.content()


def test_nothing_is_shown_before_somebody_signs_in(visit: Open, team: TeamServed) -> None:
    opened = visit(url=team.url)
    page = opened.go("#/memories")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.locator("#nav a").count() == 0
    asked = {one.removeprefix(team.url) for one in opened.watched.asked}
    assert {one for one in asked if not one.startswith("/ui/")} == {"/", "/whoami", "/healthz"}
    opened.watched.expected = REFUSED
    page.get_by_label("User", exact=True).fill("ann")
    page.get_by_label("Password", exact=True).fill("not it, not it")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not fit")
    sign_in(page, "ann")
    page.reload()
    expect(page.locator("#account")).to_have_text("ann")


def test_one_person_is_asked_nothing_and_given_no_cookie(visit: Open, board: Served) -> None:
    opened = visit()
    rows(opened.go("#/memories"))
    asked = " ".join(opened.watched.asked)
    for part in (
        "/whoami",
        "/sign-in",
        "/projects",
        "views/account.js",
        "views/admin.js",
        "views/sign-in.js",
    ):
        assert part not in asked, part
    assert opened.context.cookies() == []
    assert opened.page.locator("#account").count() == 0
    assert "Projects" not in opened.page.locator("#nav a .nav-label").all_inner_texts()
    for path in ("/whoami", "/users", "/keys"):
        assert board.http.get(path).status_code == 404, path


def test_two_people_see_each_what_is_theirs_and_who_wrote_it(come_in: Callable[..., Visit]) -> None:
    ann, bob = come_in("ann"), come_in("bob")
    of_ann, of_bob = " ".join(rows(ann.page)), " ".join(rows(bob.page))
    assert KEPT_BY_BOB in of_bob
    assert KEPT_BY_BOB not in of_ann
    for text in (OF_THE_SHOP, FOR_THE_TEAM):
        assert text in of_ann
        assert text in of_bob
    row = ann.page.locator(".memory-row", has_text=OF_THE_SHOP)
    expect(row.locator(".owner")).to_have_text("bob")
    row.click()
    expect(ann.page.locator(".reading-line .owner")).to_have_text("by bob, for the members of its project")
    ann.page.get_by_label("Search memories").fill("spare key blue pot")
    expect(ann.page.locator(".memory-row, .empty").first).to_be_visible()
    for where in ("#/graph", "#/timeline", "#/projects", "#/sessions", "#/lab?task=the spare key"):
        page = ann.go(where)
        expect(page.locator("main h1").first).to_be_attached()
        assert "blue pot" not in told(page), where


def test_an_address_of_anothers_memory_is_as_if_there_were_none(
    come_in: Callable[..., Visit], team: TeamServed
) -> None:
    secret = write(team, "bob", "Bob plans a surprise for the harbour master", scope="global")
    ann = come_in("ann")
    ann.watched.expected = ["status of 404"]
    shown = []
    for memory_id in (secret, secret[:-4] + "zzzz"):
        page = ann.go(f"#/memory/{memory_id}")
        expect(page.locator(".reading .empty")).to_contain_text("there is no memory")
        shown.append(page.locator(".reading .empty").inner_text().replace(memory_id, "ID"))
    assert shown[0] == shown[1]


def test_what_happens_is_told_to_those_who_see_it_and_to_nobody_else(
    come_in: Callable[..., Visit], team: TeamServed
) -> None:
    ann, bob = come_in("ann"), come_in("bob")
    for opened in (ann, bob):
        opened.page.evaluate(
            "async () => { const { live } = await import(document.querySelector('script[type=module]').src"
            ".replace('app.js', 'live.js')); window.heardOf = []; "
            "live.addEventListener('change', ({ detail }) => window.heardOf.push(JSON.stringify(detail))); }"
        )
    hidden = write(team, "bob", "Bob heard a rumour about the old crane", scope="global")
    seen = write(team, "bob", "The crane is repaired in June", project="shop")
    for opened in (ann, bob):
        opened.page.wait_for_function("id => window.heardOf.join().includes(id)", arg=seen)
        expect(opened.page.locator(".memory-row", has_text="repaired in June")).to_be_visible()
    assert hidden not in "".join(ann.page.evaluate("window.heardOf"))
    assert hidden in "".join(bob.page.evaluate("window.heardOf"))
    assert "rumour" not in told(ann.page)


def test_signing_out_everywhere_ends_the_other_browser_by_itself(come_in: Callable[..., Visit]) -> None:
    here, there, other = come_in("ann"), come_in("ann", "#/timeline"), come_in("bob")
    for opened in (here, there):
        opened.watched.expected = REFUSED
    expect(there.page.locator(".event").first).to_be_visible()
    here.page.locator("#account").click()
    here.page.get_by_role("button", name="Sign out everywhere").click()
    for opened in (here, there):
        expect(opened.page.get_by_role("heading", name="Sign in")).to_be_visible()
        assert opened.page.locator("#nav a").count() == 0
        assert OF_THE_SHOP not in told(opened.page)
    assert not here.context.cookies()
    rows(other.page)


def test_the_cookie_is_no_scripts_and_a_planted_one_is_worth_nothing(
    come_in: Callable[..., Visit], visit: Open, team: TeamServed
) -> None:
    planted = visit(url=team.url)
    name = f"helix-{team.url.rpartition(':')[2]}"
    before = {"name": name, "value": "A" * 43, "url": team.url}
    planted.context.add_cookies([before])  # type: ignore[list-item]
    sign_in(planted.go(""), "ann")
    [cookie] = planted.context.cookies()
    assert cookie["value"] != before["value"]
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    assert cookie["domain"] == "127.0.0.1"
    assert planted.page.evaluate("document.cookie") == ""
    assert cookie["value"] not in json.dumps(
        planted.page.evaluate("[{...localStorage}, {...sessionStorage}]")
    )


def test_another_page_can_neither_read_nor_change_with_the_cookie(
    come_in: Callable[..., Visit], team: TeamServed, tmp_path: Path
) -> None:
    """Another origin at the very same host, to which the browser counts as the same site."""
    ann = come_in("ann")
    evil = tmp_path / "evil.html"
    evil.write_text("<!doctype html><title>evil</title>")
    stranger = ann.context.new_page()
    stranger.goto(evil.as_uri())
    tried = stranger.evaluate(
        """async url => {
            const tries = [
                fetch(`${url}/recent`, { credentials: "include" }),
                fetch(`${url}/sign-out`, { method: "POST", credentials: "include" }),
                fetch(`${url}/sign-out/everywhere`, { method: "POST", mode: "no-cors", credentials: "include" }),
                fetch(`${url}/remember`, { method: "POST", credentials: "include",
                    headers: { "Content-Type": "application/json", "Helix-Page": "1" },
                    body: JSON.stringify({ text: "The page of a stranger was here today" }) }),
            ];
            const told = one => one.then(answer => `${answer.type} ${answer.status}`, () => "no");
            return await Promise.all(tries.map(told));
        }""",
        team.url,
    )
    assert [one for one in tried if one.endswith("200")] == []
    ann.page.reload()
    expect(ann.page.locator("#account")).to_have_text("ann")
    assert "of a stranger" not in " ".join(rows(ann.page))


ACTIONS = {
    "memories": ["New"],
    "memory": ["Edit", "Relate", "Supersede", "Forget", "File"],
    "more": ["Erase for good …", "Open in Obsidian", "Open in VS Code", "Copy its path"],
    "projects": ["New project", "Share …", "Transfer …", "Delete …", "Leave", "Take out"],
}


def buttons(page: Page) -> set[str]:
    return {text.strip() for text in page.locator("main button, main a.menu-item").all_inner_texts()}


def test_a_reader_has_nothing_on_the_page_that_they_may_not_do(
    come_in: Callable[..., Visit], team: TeamServed
) -> None:
    rea = come_in("rea")
    rea.watched.expected = ["/history?"]  # the vault is in no git repository
    page = rea.page
    rows(page)
    views = page.locator("#nav a .nav-label").all_inner_texts()
    assert views == ["Memories", "Graph", "Map", "Timeline", "Sessions", "Context lab", "Projects"]
    assert not buttons(page) & set(ACTIONS["memories"])
    page.locator(".memory-row", has_text=OF_THE_SHOP).click()
    expect(page.locator(".reading-title")).to_be_visible()
    page.locator("#more-opener").click()
    assert not buttons(page) & {*ACTIONS["memory"], *ACTIONS["more"]}
    page.locator(".fold summary", has_text="History").click()
    assert "Turn back to this" not in buttons(page)
    for key in ("e", "n"):
        page.locator(".reading").press(key)
    assert page.locator("dialog[open], .editor, textarea").count() == 0
    page = rea.go("#/projects")
    expect(page.locator(".card").first).to_be_visible()
    assert not buttons(page) & set(ACTIONS["projects"])
    page = rea.go("#/sessions")
    expect(page.locator("main h1")).to_be_attached()
    assert "Capture…" not in buttons(page)
    for where in ("#/admin/keys", "#/health", "#/inbox"):
        page = rea.go(where)
        expect(page).to_have_url(re.compile("#/memories$"))
    refused = {one for one in rea.watched.complaints if "403" in one}
    assert refused == set(), "it asked for something that it may not"


def test_an_agents_and_an_operators_page_have_what_they_may_and_no_more(
    come_in: Callable[..., Visit],
) -> None:
    ann = come_in("ann")
    rows(ann.page)
    assert "New" in buttons(ann.page)
    ann.page.locator(".memory-row", has_text=OF_THE_SHOP).click()
    expect(ann.page.get_by_role("button", name="Edit")).to_be_visible()
    assert {"Forget", "Relate", "Supersede"} <= buttons(ann.page)
    ann.page.locator(".memory-row", has_text=FOR_THE_TEAM).click()
    expect(ann.page.locator(".reading-line .owner")).to_have_text("by root, for the team")
    ann.page.locator("#more-opener").click()
    assert not buttons(ann.page) & {*ACTIONS["memory"], *ACTIONS["more"]}, "she sees it, and it is another's"
    assert "Admin" not in ann.page.locator("#nav a .nav-label").all_inner_texts()
    olga = come_in("olga", "#/health")
    expect(olga.page.locator(".state-card")).to_be_visible()
    assert not buttons(olga.page) & {"Read every file again", "Pause", "Resume"}
    views = olga.page.locator("#nav a .nav-label").all_inner_texts()
    assert "Inbox" in views
    assert "Admin" not in views


def test_the_project_switch_narrows_what_is_shown_and_written(come_in: Callable[..., Visit]) -> None:
    ann = come_in("ann")
    rows(ann.page)
    ann.page.locator("#project-switch").select_option("shop")
    expect(ann.page).to_have_url(re.compile("project=shop"))
    expect(ann.page.locator(".memory-row", has_text=FOR_THE_TEAM)).to_have_count(0)
    ann.page.get_by_role("button", name="New", exact=True).click()
    expect(ann.page.get_by_label("Project", exact=True).last).to_have_value("shop")
    ann.page.keyboard.press("Escape")
    ann.page.reload()
    expect(ann.page.locator("#project-switch")).to_have_value("shop")
    ann.page.locator("#project-switch").select_option("Every project")
    expect(ann.page.locator(".memory-row", has_text=FOR_THE_TEAM)).to_be_visible()


def test_who_owns_a_project_says_who_works_on_it(come_in: Callable[..., Visit]) -> None:
    ann, bob = come_in("ann", "#/projects"), come_in("bob", "#/projects")
    ann.page.get_by_role("button", name="New project").click()
    ann.page.get_by_label("Name").fill("quay")
    ann.page.get_by_role("button", name="Make it").click()
    card = ann.page.locator('.card[data-project="quay"]')
    expect(card.locator(".members li")).to_have_count(1)
    assert bob.page.locator('.card[data-project="quay"]').count() == 0
    card.get_by_role("button", name="Share …").click()
    ann.page.get_by_label("User").fill("bob")
    ann.page.get_by_role("button", name="Share", exact=True).click()
    expect(card.locator(".members li")).to_have_count(2)
    page = bob.go("#/projects")
    page.reload()
    theirs = page.locator('.card[data-project="quay"]')
    expect(theirs.get_by_role("button", name="Leave")).to_be_visible()
    expect(theirs.get_by_role("button", name="Share …")).to_have_count(0)
    theirs.get_by_role("button", name="Leave").click()
    expect(page.locator('.card[data-project="quay"]')).to_have_count(0)
    ann.page.reload()
    expect(card.locator(".members li")).to_have_count(1)
    card.get_by_role("button", name="Delete …").click()
    ann.page.get_by_role("button", name="Delete", exact=True).click()
    expect(card).to_have_count(0)


def test_an_admin_adds_people_and_keys_and_takes_them_back(
    come_in: Callable[..., Visit], visit: Open, team: TeamServed
) -> None:
    root = come_in("root", "#/admin/users")
    page = root.page
    page.get_by_role("button", name="New user").click()
    page.get_by_label("Name").fill("nick")
    page.get_by_role("button", name="Add", exact=True).click()
    row = page.locator('tr[data-user="nick"]')
    expect(row).to_contain_text("no password")
    row.get_by_role("button", name="Password …").click()
    page.get_by_label("The new one, 12 characters or more").fill(PASSWORD)
    page.get_by_role("button", name="Set", exact=True).click()
    expect(row).to_contain_text("has a password")
    nick = visit(url=team.url)
    nick.watched.expected = REFUSED
    sign_in(nick.go(""), "nick")
    row.get_by_role("button", name="New key …").click()
    page.get_by_label("Name of the key").fill("laptop")
    page.get_by_label("Expires after").fill("30d")
    page.get_by_role("button", name="Make it").click()
    key = page.locator(".secret-once").inner_text()
    assert team.ask("GET", "/recent", key).status_code == 200
    page.get_by_role("button", name="Close").last.click()
    expect(page.locator(".secret-once")).to_have_count(0)
    assert key not in told(page)
    page.get_by_role("button", name="Keys", exact=True).click()
    listed = page.locator(f'tr[data-key="{id_of(key)}"]')
    expect(listed).to_contain_text("laptop")
    assert key.partition(".")[2] not in told(page)
    listed.get_by_role("button", name="Revoke …").click()
    page.get_by_role("button", name="Revoke", exact=True).click()
    expect(listed).to_have_count(0)
    assert team.ask("GET", "/recent", key).status_code == 401
    page.get_by_role("button", name="Users", exact=True).click()
    row.get_by_role("button", name="Remove …").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(row).to_have_count(0)
    expect(nick.page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_role("button", name="Audit", exact=True).click()
    expect(page.locator("tbody tr", has_text="POST /users/{name}/remove").first).to_contain_text("nick")


def test_an_admin_freezes_and_thaws(come_in: Callable[..., Visit], team: TeamServed) -> None:
    root = come_in("root", "#/admin/limits")
    page = root.page
    expect(page.get_by_text("sign in", exact=True)).to_be_visible()
    page.get_by_role("button", name="Freeze …").click()
    page.get_by_label("Why").fill("a backup runs")
    page.get_by_role("button", name="Freeze", exact=True).click()
    expect(page.get_by_text("a backup runs")).to_be_visible()
    refused = team.ask("POST", "/remember", team.keys["ann"], json={"text": "The tide turns at five."})
    assert refused.status_code == 503
    page.get_by_role("button", name="Thaw").click()
    expect(page.get_by_role("heading", name="Changes are taken")).to_be_visible()
    assert (
        team.ask("POST", "/remember", team.keys["ann"], json={"text": "The tide turns at five."}).status_code
        == 200
    )


def test_people_change_their_password_and_sign_in_with_a_key(
    come_in: Callable[..., Visit], visit: Open, team: TeamServed
) -> None:
    credentials = Credentials(team.place / "config")
    credentials.add_user("ida", "agent")
    credentials.set_password("ida", Passwords().hash(PASSWORD))
    _, key = credentials.create_key("ida")
    credentials.close()
    ida = come_in("ida")
    ida.page.locator("#account").click()
    ida.page.get_by_role("button", name="Change password …").click()
    ida.page.get_by_label("The one you have").fill(PASSWORD)
    for label in ("The new one, 12 characters or more", "The same again"):
        ida.page.get_by_label(label).fill("eight red lighthouses")
    ida.page.get_by_role("button", name="Change", exact=True).click()
    expect(ida.page.get_by_text("Changed", exact=True)).to_be_visible()
    ida.page.locator("#account").click()
    ida.page.get_by_role("button", name="Sign out", exact=True).click()
    sign_in(ida.page, "ida", "eight red lighthouses")
    with_key = visit(url=team.url)
    page = with_key.go("")
    page.get_by_role("button", name="Use a key").click()
    page.get_by_label("Key", exact=True).fill(key)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#account")).to_have_text("ida")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_pages_of_a_team_are_usable_by_everybody(
    visit: Open, team: TeamServed, theme: str, size: tuple[int, int]
) -> None:
    opened = visit(*size, theme=theme, url=team.url, reduced_motion="reduce")
    page = opened.go("")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    found = {"sign-in": serious(page)}
    sign_in(page, "root")
    for where, shown in (
        ("projects", ".empty, .cards .card"), ("admin/users", "tbody tr"), ("admin/keys", "tbody tr"),
        ("admin/audit", "tbody tr"), ("admin/limits", ".facts"), ("memories", ".memory-row"),
    ):  # fmt: skip
        page = opened.go(f"#/{where}")
        expect(page.locator(shown).first).to_be_visible()
        found[where] = serious(page)
        beyond = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert beyond <= 0, f"{where} is {beyond} px wider than the window"
    assert {name: said for name, said in found.items() if said} == {}
