"""Signing in with a browser, as a browser asks: by password, by key, and what others cannot do with the cookie."""

from __future__ import annotations

import json
import statistics
import threading
import time
from collections.abc import Iterator, Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import httpx
import pytest

from helix.access.password import Passwords, check_password
from helix.access.sign_in import SignIn
from helix.errors import BadValue
from tests.access.team import TeamServed, id_of, serving_team
from tests.cli.commands import helix
from tests.cli.terminal import in_terminal
from tests.surfaces.conftest import surroundings

PASSWORDS = {"ann": "seven green ferries", "bob": "a lighthouse, unlit", "root": "the keeper of keys!"}
PAGE = {"Helix-Page": "1", "Sec-Fetch-Site": "same-origin"}


@pytest.fixture(scope="module")
def people(team: TeamServed) -> TeamServed:
    for name, password in PASSWORDS.items():
        set_password(team, name, password)
    return team


def set_password(team: TeamServed, name: str, password: str) -> Any:
    done = helix("user", "passwd", name, "--stdin", "--json", env=dict(team.env), feed=f"{password}\n")
    return json.loads(done.stdout)


class Browser:
    """Keeps cookies, and says from where it asks, as Helix's own page has it."""

    def __init__(self, team: TeamServed) -> None:
        self.http = httpx.Client(base_url=team.url, timeout=30)
        self.origin = {"Origin": team.url, **PAGE}

    def ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        return self.http.request(method, path, headers=self.origin if headers is None else headers, **more)

    def sign_in(self, user: str, password: str | None = None) -> httpx.Response:
        given = {"user": user, "password": password or PASSWORDS[user]}
        return self.ask("POST", "/sign-in", json=given)


@pytest.fixture
def browser(people: TeamServed) -> Iterator[Browser]:
    opened = Browser(people)
    yield opened
    opened.http.close()


def test_a_cookie_opens_what_its_user_may_and_sees_what_they_see(
    people: TeamServed, browser: Browser
) -> None:
    done = browser.sign_in("ann")
    assert done.status_code == 200, done.text
    assert (done.json()["user"], done.json()["role"], done.json()["signed_in"]) == (
        "ann",
        "agent",
        "password",
    )
    kept = browser.ask(
        "POST", "/remember", json={"text": "The slipway is closed on Mondays.", "scope": "global"}
    )
    assert kept.status_code == 200, kept.text
    path = f"/memory/{kept.json()['id']}"
    assert browser.ask("GET", f"{path}?format=detailed").json()["owner"] == "ann"
    assert people.ask("GET", path, people.keys["ann"]).status_code == 200
    assert people.ask("GET", path, people.keys["bob"]).status_code == 404
    assert browser.ask("GET", "/status").status_code == 403, "her role may not"


def test_the_cookie_is_for_this_host_its_scripts_cannot_read_it_and_other_sites_do_not_send_it(
    people: TeamServed, browser: Browser
) -> None:
    cookie = SimpleCookie(browser.sign_in("ann").headers["Set-Cookie"])
    [(name, morsel)] = cookie.items()
    assert name == f"helix-{people.url.rpartition(':')[2]}"
    assert morsel["httponly"]
    assert (morsel["samesite"], morsel["path"], morsel["domain"]) == ("strict", "/", "")
    assert int(morsel["max-age"]) == 7 * 24 * 3600
    assert not morsel["secure"], "it is spoken in the clear, on this machine"


def test_whoever_changes_something_with_a_cookie_is_the_own_page(
    people: TeamServed, browser: Browser
) -> None:
    browser.sign_in("ann")
    body = {"text": "Tides are in the harbour book.", "scope": "global"}
    own = people.url
    for headers in (
        {},
        {"Helix-Page": "1"},
        {"Origin": own},
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none", "Helix-Page": "1"},
        {"Origin": "https://evil.example", "Helix-Page": "1"},
        {"Origin": "null", "Helix-Page": "1"},
        {"Origin": own, "Helix-Page": "1", "Sec-Fetch-Site": "cross-site"},
        {"Origin": own, "Helix-Page": "1", "Sec-Fetch-Site": "same-site"},
    ):
        for path in ("/remember", "/sign-out", "/sign-out/everywhere", "/mcp"):
            answer = browser.ask("POST", path, headers, json=body)
            assert answer.status_code == 403, (headers, path, answer.text)
            assert answer.json()["code"] == "wrong-origin"
    form = {**browser.origin, "Content-Type": "application/x-www-form-urlencoded"}
    assert browser.ask("POST", "/remember", form, content="text=x").status_code == 415
    assert browser.ask("GET", "/recent", {"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert browser.ask("POST", "/remember", json=body).status_code == 200


def test_signing_in_gives_a_new_id_and_the_one_that_was_shown_before_ends(people: TeamServed) -> None:
    first, planted = Browser(people), Browser(people)
    first.sign_in("bob")
    [stolen] = first.http.cookies.values()
    name = next(iter(first.http.cookies.keys()))
    planted.http.cookies.set(name, stolen, domain="127.0.0.1")
    planted.sign_in("ann")
    assert len([one for one in planted.http.cookies.jar if one.value == stolen]) == 0
    assert planted.ask("GET", "/whoami").json()["user"] == "ann"
    assert first.ask("GET", "/whoami").json()["user"] is None, "nobody has the id that was planted"
    made_up = Browser(people)
    made_up.http.cookies.set(name, "A" * 43, domain="127.0.0.1")
    made_up.sign_in("ann")
    assert made_up.http.cookies[name] != "A" * 43


def test_signing_out_ends_it_here_and_everywhere_ends_it_everywhere(people: TeamServed) -> None:
    here, there, of_bob = Browser(people), Browser(people), Browser(people)
    here.sign_in("ann")
    there.sign_in("ann")
    of_bob.sign_in("bob")
    cookie = dict(here.http.cookies)
    assert here.ask("POST", "/sign-out").json() == {"signed_out": 1}
    assert not here.http.cookies
    assert httpx.get(f"{people.url}/recent", cookies=cookie).status_code == 401, "ended, not only forgotten"
    assert there.ask("GET", "/recent").status_code == 200
    here.sign_in("ann")
    assert here.ask("POST", "/sign-out/everywhere").json()["signed_out"] >= 2
    assert there.ask("GET", "/recent").status_code == 401
    assert of_bob.ask("GET", "/recent").status_code == 200
    assert here.ask("POST", "/sign-out").json() == {"signed_out": 0}


def test_a_stream_ends_with_the_session_of_the_browser(people: TeamServed, browser: Browser) -> None:
    browser.sign_in("ann")
    begun, ended = threading.Event(), threading.Event()

    def listen() -> None:
        with browser.http.stream("GET", "/events", headers=browser.origin, timeout=60) as answer:
            assert answer.status_code == 200
            begun.set()
            for _ in answer.iter_raw():
                pass
        ended.set()

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert begun.wait(30)
    elsewhere = Browser(people)
    elsewhere.sign_in("ann")
    assert not ended.is_set()
    elsewhere.ask("POST", "/sign-out/everywhere")
    assert ended.wait(30), "the stream outlived its session"
    thread.join(30)


def test_a_key_signs_in_for_what_it_is_good_for_and_until_it_is_revoked(
    people: TeamServed, browser: Browser
) -> None:
    key = people.key("olga", permissions=frozenset({"recall"}))
    who = browser.ask("POST", "/sign-in", json={"key": key}).json()
    assert (who["user"], who["signed_in"], who["permissions"]) == ("olga", "key", ["recall"])
    assert browser.ask("GET", "/recent").status_code == 200
    assert browser.ask("POST", "/remember", json={"text": "Olga was here at noon."}).status_code == 403
    people.helix("key", "revoke", id_of(key))
    assert browser.ask("GET", "/recent").status_code == 401
    assert browser.ask("POST", "/sign-in", json={"key": key}).status_code == 401
    of_agent = people.key("ann", agent="claude-code")
    refused = browser.ask("POST", "/sign-in", json={"key": of_agent})
    assert refused.status_code == 403
    assert "for a program" in refused.json()["error"]


def test_another_password_or_removal_is_felt_by_the_next_request(
    people: TeamServed, browser: Browser
) -> None:
    people.helix("user", "add", "tess")
    set_password(people, "tess", "under the old bridge")
    assert browser.sign_in("tess", "under the old bridge").status_code == 200
    assert set_password(people, "tess", "over the new bridge") == {"user": "tess", "signed_out": 1}
    assert browser.ask("GET", "/recent").status_code == 401
    assert browser.sign_in("tess", "under the old bridge").status_code == 401
    assert browser.sign_in("tess", "over the new bridge").status_code == 200
    people.helix("user", "remove", "tess")
    assert browser.ask("GET", "/recent").status_code == 401
    people.helix("user", "add", "tess")
    assert browser.ask("GET", "/recent").status_code == 401
    assert browser.sign_in("tess", "over the new bridge").status_code == 401


def test_people_change_their_own_password_when_they_know_it(people: TeamServed) -> None:
    people.helix("user", "add", "nina")
    set_password(people, "nina", "wind from the west")
    here, there = Browser(people), Browser(people)
    here.sign_in("nina", "wind from the west")
    there.sign_in("nina", "wind from the west")
    wanted = {"before": "wind from the east", "password": "wind from the south"}
    assert here.ask("POST", "/password", json=wanted).status_code == 401
    wanted["before"] = "wind from the west"
    assert here.ask("POST", "/password", json={**wanted, "password": "short"}).status_code == 400
    assert here.ask("POST", "/password", json=wanted).json() == {"user": "nina", "signed_out": 1}
    assert here.ask("GET", "/recent").status_code == 200
    assert there.ask("GET", "/recent").status_code == 401
    assert people.ask("POST", "/password", people.keys["ann"], json=wanted).status_code == 400


def test_who_is_not_there_and_who_has_no_password_are_refused_alike(
    people: TeamServed, browser: Browser
) -> None:
    told = {
        (answer.status_code, answer.text)
        for user in ("ann", "rea", "nobody", "no such name!", "")
        for answer in [browser.ask("POST", "/sign-in", json={"user": user, "password": "not it, not it"})]
    }
    assert len(told) == 1
    assert next(iter(told))[0] == 401


def test_it_takes_as_long_whether_there_is_such_a_user_or_not() -> None:
    passwords = Passwords()
    kept = passwords.hash(PASSWORDS["ann"])

    def cost(held: str | None) -> float:
        began = time.process_time()
        assert not passwords.is_password("not it, not it", held)
        return time.process_time() - began

    known, unknown = (statistics.median(cost(held) for _ in range(5)) for held in (kept, None))
    assert 0.6 < known / unknown < 1.6, (known, unknown)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert passwords.is_password(PASSWORDS["ann"], kept)
    assert not passwords.is_password(PASSWORDS["ann"], "damaged")


def test_guessing_is_slowed_down_by_name_and_by_address(tmp_path: Path) -> None:
    with serving_team(tmp_path, limits={"sign_in": 3, "failures": 8}) as guarded:
        for name in ("ann", "bob"):
            set_password(guarded, name, PASSWORDS[name])
        browser = Browser(guarded)
        assert [browser.sign_in("ann", "guess number one").status_code for _ in range(4)] == [
            401,
            401,
            401,
            429,
        ]
        refused = browser.sign_in("ann")
        assert refused.status_code == 429, "nor is the right one looked at"
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert [browser.sign_in("ghost", "guess number one").status_code for _ in range(4)] == [
            401,
            401,
            401,
            429,
        ]
        assert browser.sign_in("bob").status_code == 200
        assert [browser.sign_in("bob", "guess number one").status_code for _ in range(3)] == [401, 401, 429]


def test_signing_in_is_written_down_without_what_was_typed(people: TeamServed, browser: Browser) -> None:
    browser.sign_in("ann")
    browser.sign_in("my whole password", "my whole password")
    lines = people.ask("GET", "/audit?limit=5", people.owner_token).json()["entries"]
    [refused, allowed] = [line for line in lines if line["what"] == "POST /sign-in"][:2]
    assert (allowed["user"], allowed["outcome"], allowed["address"]) == ("ann", "allowed", "127.0.0.1")
    assert (refused["user"], refused["outcome"], refused["code"]) == ("unknown", "refused", "sign-in-refused")
    for secret in ("my whole password", PASSWORDS["ann"], *browser.http.cookies.values()):
        people.daemon.log.seek(0)
        assert secret.encode() not in people.daemon.log.read()
        for file in (file for file in people.place.rglob("*") if file.is_file()):
            assert secret.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"user": 3}', b'{"user": "ann"}', b'{"key": "x", "user": "y"}']
)
def test_a_body_that_is_nothing_to_sign_in_with_is_told_so(browser: Browser, body: bytes) -> None:
    headers = {**browser.origin, "Content-Type": "application/json"}
    answer = browser.ask("POST", "/sign-in", headers, content=body)
    assert answer.status_code == 400
    assert answer.json()["code"] == "bad-value"


def test_who_asks_hears_who_they_are(people: TeamServed) -> None:
    stranger = people.ask("GET", "/whoami").json()
    assert (stranger["user"], stranger["owner"], stranger["permissions"]) == (None, False, [])
    reader = people.ask("GET", "/whoami", people.keys["rea"]).json()
    assert (reader["user"], reader["role"], reader["permissions"]) == ("rea", "readonly", ["recall"])
    owner = people.ask("GET", "/whoami", people.owner_token).json()
    assert (owner["user"], owner["owner"]) == (None, True)


def test_a_password_that_others_would_guess_is_refused() -> None:
    check_password("seven green ferries", "ann")
    for password in (
        "short one",
        "a" * 40,
        "ababababababab",
        "x" * 1001,
        "two\nlines of text",
        "olga-olga-123",
    ):
        with pytest.raises(BadValue):
            check_password(password, "olga")


def test_the_command_asks_twice_and_never_waits_where_nobody_can_answer(tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    helix("user", "add", "ann", env=env)
    alone = helix("user", "passwd", "ann", env=env, ok=False)
    assert "--stdin" in alone.stderr
    helix("user", "passwd", "nobody2", "--stdin", env=env, feed="seven green ferries\n", ok=False)
    questions = (b"new password of ann: ", b"the same again: ")
    typed = list(zip(questions, (b"seven green ferries\n", b"seven green ferries\n"), strict=True))
    done = in_terminal(["user", "passwd", "ann"], env, answers=typed)
    assert done.status == 0, done.text
    assert "ferries" not in done.text
    typed[1] = (questions[1], b"seven blue ferries\n")
    other = in_terminal(["user", "passwd", "ann"], env, answers=typed)
    assert other.status == 2
    assert "not the same" in other.text
    assert json.loads(helix("user", "list", "--json", env=env).stdout)[0]["has_password"]


def test_under_https_the_cookie_is_secure_and_for_this_host_alone(tmp_path: Path) -> None:
    public = "https://memory.example.com"
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        f'trusted_proxies = "127.0.0.1"\npublic_url = "{public}"\n'
    )
    with serving_team(tmp_path) as one:
        set_password(one, "ann", PASSWORDS["ann"])
        through = {"Host": "memory.example.com", "X-Forwarded-For": "203.0.113.9", "Origin": public, **PAGE}
        given = {"user": "ann", "password": PASSWORDS["ann"]}
        done = one.ask("POST", "/sign-in", headers=through, json=given)
        assert done.status_code == 200, done.text
        [(name, morsel)] = SimpleCookie(done.headers["Set-Cookie"]).items()
        assert name == "__Host-helix-session"
        assert (bool(morsel["secure"]), morsel["path"], morsel["domain"]) == (True, "/", "")
        shown = {"Cookie": f"{name}={morsel.value}"}
        assert one.ask("GET", "/recent", headers={**through, **shown}).status_code == 200
        plain = {"Cookie": f"helix-session={morsel.value}"}
        assert one.ask("GET", "/recent", headers={**through, **plain}).status_code == 401, (
            "planted in the clear"
        )


def test_signing_in_hashes_nothing_until_somebody_does() -> None:
    assert SignIn(None, None, None, None)._passwords is None  # type: ignore[arg-type]
