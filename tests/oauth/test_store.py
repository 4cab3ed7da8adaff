"""The store of grants by a clock of our own: what ends when, and what a process that dies leaves behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.oauth.audience import audience_of
from helix.oauth.clients import DEVICE_GRANT, OWN, OAuthClient
from helix.oauth.database import LoginDatabase
from helix.oauth.devices import Devices
from helix.oauth.grants import Consent, Grants, GrantTimes, Pair
from helix.oauth.opaque_token import ACCESS, REFRESH
from helix.oauth.server import AuthorizationServer
from tests.oauth.program import challenge_of, new_verifier
from tests.scale import scaled

BASE = "http://127.0.0.1:7878"
CONSENT = Consent("ann", "helix-cli", "helix", "recall", BASE)
_KILLS = 100


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Store:
    def __init__(self, folder: Path, clock: Clock) -> None:
        self.clock = clock
        self.database = LoginDatabase(folder)
        self.grants = Grants(self.database, GrantTimes(access=900, refresh=86400), clock)
        self.devices = Devices(self.database, self.grants)
        self.is_user = True
        self.server = AuthorizationServer(
            audience_of(BASE, {"127.0.0.1:7878"}),
            self.grants,
            self.devices,
            self.find,
            lambda *_: self.is_user,
        )

    def find(self, client_id: str) -> OAuthClient | None:
        return OWN.get(client_id)

    def pair(self) -> Pair:
        code = self.grants.find_code(self.grants.grant_code(CONSENT, "x", challenge_of(new_verifier())))
        assert code is not None
        pair = self.grants.redeem_code(code)
        assert pair is not None
        return pair

    def is_valid(self, text: str, kind: str) -> bool:
        token = self.grants.find_token(text, kind)
        return token is not None and token.is_valid_at(self.clock())

    def poll(self, device_code: str) -> str:
        form = {"grant_type": DEVICE_GRANT, "client_id": "helix-cli", "device_code": device_code}
        status, answer = self.server.token_answer(form)
        return "tokens" if status == 200 else str(answer["error"])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path, Clock())
    yield made
    made.database.close()


def test_tokens_end_with_their_time_and_a_grant_with_the_last_use(store: Store) -> None:
    pair = store.pair()
    store.clock.now += 899
    assert store.is_valid(pair.access, ACCESS)
    store.clock.now += 1
    assert not store.is_valid(pair.access, ACCESS)
    store.clock.now += 86400 - 901
    refresh = store.grants.find_token(pair.refresh, REFRESH)
    assert refresh is not None
    newer = store.grants.rotate(refresh, "recall")
    assert newer is not None
    store.clock.now += 86399
    assert store.is_valid(newer.refresh, REFRESH)
    store.clock.now += 2
    assert not store.is_valid(newer.refresh, REFRESH)
    assert not store.grants.is_open(refresh.grant.id)


def test_a_program_that_polls_too_fast_has_to_wait_longer_each_time(store: Store) -> None:
    text, device = store.devices.begin("helix-cli", "helix", "recall", BASE, "192.0.2.7")
    assert store.poll(text) == "authorization_pending"
    assert store.poll(text) == "slow_down"
    store.clock.now += 6  # it was 5 seconds, and is 10 now
    assert store.poll(text) == "slow_down"
    store.clock.now += 16
    assert store.poll(text) == "authorization_pending"
    assert store.devices.decide(device, CONSENT)
    assert not store.devices.decide(device, None)
    store.clock.now += 16
    assert store.poll(text) == "tokens"
    store.clock.now += 16
    assert store.poll(text) == "invalid_grant"


def test_a_device_code_that_nobody_typed_in_time_is_over(store: Store) -> None:
    text, device = store.devices.begin("helix-cli", "helix", "recall", BASE, "192.0.2.7")
    store.clock.now += 601
    assert store.devices.find_typed(device.user_code) is None
    assert not store.devices.decide(device, CONSENT)
    assert store.poll(text) == "expired_token"


def test_a_code_that_nobody_came_for_leaves_no_open_grant(store: Store) -> None:
    store.grants.grant_code(CONSENT, "x", challenge_of(new_verifier()))
    store.clock.now += 700
    store.pair()
    assert [grant.ended is None for grant in store.grants.list_grants()] == [False, True]
    store.clock.now += 40 * 86400
    store.pair()
    assert len(store.grants.list_grants()) == 1


@pytest.mark.long
def test_a_thousand_logins_and_renewals_lose_none(store: Store) -> None:
    pairs = [store.pair() for _ in range(scaled(250))]
    for _ in range(3):
        tokens = [store.grants.find_token(pair.refresh, REFRESH) for pair in pairs]
        renewed = [store.grants.rotate(token, "recall") for token in tokens if token is not None]
        pairs = [pair for pair in renewed if pair is not None]
    assert len(pairs) == scaled(250)
    assert all(store.is_valid(pair.access, ACCESS) for pair in pairs)


def work(folder: Path, pipe: int) -> None:
    """Renews and ends for ever, and says before and after each step what it knows."""

    def say(word: str, text: str) -> None:
        os.write(pipe, f"{word} {text}\n".encode())

    store = Store(folder, Clock())
    pair: Pair | None = store.pair()
    while pair is not None:
        say("have", pair.refresh)
        token = store.grants.find_token(pair.refresh, REFRESH)
        assert token is not None
        say("spend", pair.refresh)
        pair = store.grants.rotate(token, "recall")
        gone = store.pair()
        grant = store.grants.find_token(gone.refresh, REFRESH)
        assert grant is not None
        store.grants.end(grant.grant.id, "over")
        say("ended", gone.refresh)


def killed_after(lines: int, folder: Path) -> list[list[str]]:
    """What a process said that was killed somewhere behind its so many-th line."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            work(folder, writes)
        finally:
            os._exit(1)
    os.close(writes)
    with os.fdopen(reads, "rb") as pipe:
        told = [pipe.readline() for _ in range(lines)]
        os.kill(child, signal.SIGKILL)
        told += pipe.readlines()
    os.waitpid(child, 0)
    return [line.decode().split() for line in told if line.endswith(b"\n")]


@pytest.mark.long
def test_after_a_death_at_any_point_what_was_acknowledged_holds_and_what_was_ended_does_not(
    tmp_path: Path,
) -> None:
    for kill in range(_KILLS):
        lines = killed_after(1 + kill % 23, tmp_path)
        store = Store(tmp_path, Clock())
        try:
            spent = {text for word, text in lines if word == "spend"}
            have = [text for word, text in lines if word == "have"]
            for text in [text for word, text in lines if word == "ended"] + have[:-1]:
                assert not store.is_valid(text, REFRESH), kill
            if have[-1] not in spent:
                assert store.is_valid(have[-1], REFRESH), kill
        finally:
            store.database.close()
