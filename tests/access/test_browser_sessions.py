"""Sessions of browsers, by a clock that is set by hand: how they are found, replaced and ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helix.access.browser_sessions import IDLE, LIFE, BrowserSessions
from helix.access.credentials import Credentials, KeyBounds
from helix.access.credentials_file import CREDENTIALS_FILE
from helix.access.key_ring import KeyRing

MINUTE = timedelta(minutes=1)


@dataclass
class Club:
    credentials: Credentials
    now: datetime = datetime(2026, 6, 1, 12, tzinfo=UTC)
    sessions: BrowserSessions = field(init=False)
    ring: KeyRing = field(init=False)

    def __post_init__(self) -> None:
        self.sessions = BrowserSessions(self.credentials.file, lambda: self.now)
        self.ring = KeyRing(self.credentials, lambda: self.now)

    def is_in(self, shown: str) -> bool:
        session = self.sessions.find(shown)
        return session is not None and self.ring.signed_in(session) is not None


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    credentials = Credentials(tmp_path)
    for name, role in (("root", "admin"), ("ann", "agent"), ("bob", "agent")):
        credentials.add_user(name, role)
    yield Club(credentials)
    credentials.close()


def test_what_a_browser_shows_is_kept_nowhere(club: Club, tmp_path: Path) -> None:
    session, shown = club.sessions.create("ann")
    found = club.sessions.find(shown)
    assert found is not None
    assert (found.name, found.user) == (session.name, "ann")
    assert shown.encode() not in (tmp_path / CREDENTIALS_FILE).read_bytes()
    for wrong in (session.name, "", shown[:-1], f"{shown}x", "a" * 43, shown.swapcase()):
        assert not club.is_in(wrong), wrong


def test_it_ends_when_it_was_idle_and_when_it_is_old(club: Club) -> None:
    _, idle = club.sessions.create("ann")
    _, busy = club.sessions.create("ann")
    began = club.now
    while club.now < began + IDLE - MINUTE:
        club.now += timedelta(hours=1)
        if club.now < began + IDLE:
            assert club.is_in(busy)
    club.sessions.keep_seen()
    club.now = began + IDLE
    assert not club.is_in(idle)
    while club.now < began + LIFE - timedelta(hours=2):
        club.now += timedelta(hours=1)
        assert club.is_in(busy)
        club.sessions.keep_seen()
    club.now = began + LIFE
    assert not club.is_in(busy)


def test_a_new_id_takes_the_place_of_the_old_one_which_is_good_for_a_moment_more(club: Club) -> None:
    session, first = club.sessions.create("ann")
    assert not club.sessions.is_due(session)
    club.now += timedelta(hours=1, seconds=1)
    assert club.sessions.is_due(session)
    second = club.sessions.rotate(session)
    assert second is not None
    assert club.sessions.rotate(session) is None, "the other request was quicker"
    assert club.is_in(first)
    assert club.is_in(second)
    before = club.sessions.find(first)
    assert before is not None
    assert not club.sessions.is_due(before), "the id before gets no new one"
    club.now += timedelta(seconds=31)
    assert not club.is_in(first)
    assert club.is_in(second)


def test_it_ends_with_its_user_and_a_namesake_does_not_get_it(club: Club) -> None:
    _, shown = club.sessions.create("ann")
    club.credentials.remove_user("ann")
    assert not club.is_in(shown)
    club.credentials.add_user("ann", "agent")
    assert not club.is_in(shown)


def test_with_a_key_it_is_good_for_what_the_key_is_and_ends_with_it(club: Club) -> None:
    bounds = KeyBounds(permissions=frozenset({"recall"}), projects=frozenset({"shop"}))
    key, _ = club.credentials.create_key("ann", bounds=bounds, expires_in="2h")
    other, _ = club.credentials.create_key("ann")
    session, shown = club.sessions.create("ann", key.id)
    principal = club.ring.signed_in(session)
    assert principal is not None
    assert (principal.permissions, principal.projects) == (frozenset({"recall"}), frozenset({"shop"}))
    assert (principal.key, principal.browser_session) == (key.id, session.name)
    club.credentials.revoke_key(other.id)
    assert club.is_in(shown)
    club.now = datetime.now(UTC) + timedelta(hours=3)
    assert not club.is_in(shown), "the key has expired"


def test_a_revoked_key_and_a_new_password_end_it_at_once(club: Club) -> None:
    key, _ = club.credentials.create_key("ann")
    _, with_key = club.sessions.create("ann", key.id)
    _, of_bob = club.sessions.create("bob")
    club.credentials.revoke_key(key.id)
    assert not club.is_in(with_key)
    _, with_password = club.sessions.create("ann")
    assert club.credentials.set_password("ann", "a hash") == 2
    assert not club.is_in(with_password)
    assert club.is_in(of_bob)


def test_all_of_a_user_end_and_those_of_others_go_on(club: Club) -> None:
    shown = [club.sessions.create("ann")[1] for _ in range(3)]
    kept, stays = club.sessions.create("ann")
    _, of_bob = club.sessions.create("bob")
    assert club.sessions.end_all("ann", but=kept.name) == 3
    assert [club.is_in(one) for one in shown] == [False] * 3
    assert club.is_in(stays)
    assert club.sessions.end_all("ann") == 1
    assert not club.is_in(stays)
    assert club.is_in(of_bob)


def test_who_signs_in_again_and_again_has_the_last_fifty(club: Club) -> None:
    shown = []
    for _ in range(55):
        club.now += timedelta(seconds=1)
        shown.append(club.sessions.create("ann")[1])
    assert [club.is_in(one) for one in shown] == [False] * 5 + [True] * 50
