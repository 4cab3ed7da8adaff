"""A credential is written nowhere, wherever in a request it stands: neither into the vault nor the state nor a log."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.commands import BIN
from tests.flows.daemon import running_daemon
from tests.residue import residue
from tests.shim.driver import shim
from tests.surfaces.conftest import Served, surroundings

KEY = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXT = "Deploys go out on Tuesdays, after the stand-up."


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("credentials")
    env = {**surroundings(place), "HELIX_LOG_LEVEL": "debug"}
    (place / "vault").mkdir()
    with running_daemon(env) as daemon, httpx.Client(base_url=daemon.url, timeout=30) as http:
        yield Served(daemon, place, env, http)


def is_anywhere(place: Path) -> list[str]:
    return residue(KEY, place / "vault", place / "state")


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ({"text": f"{TEXT} {KEY}"}, {}),
        ({"title": KEY}, {}),
        ({"tags": [KEY]}, {}),
        ({"project": KEY}, {}),
        ({"edges": {"relates_to": [KEY]}}, {}),
        ({"source": {"uri": KEY}}, {}),
        ({"source": {"agent": KEY}}, {}),
        ({"idempotency_key": KEY}, {}),
        ({}, {"Idempotency-Key": KEY}),
        ({}, {"Helix-Session": KEY}),
        ({}, {"Helix-Client": KEY}),
        ({}, {"Helix-Project": KEY}),
        ({}, {"Helix-Project": "%67" + KEY[1:]}),
    ],
    ids=str,
)
def test_a_memory_with_a_credential_anywhere_is_refused(
    body: Mapping[str, Any], headers: Mapping[str, str], served: Served
) -> None:
    wish = {"text": TEXT, "scope": "project", "project": "shop", "force": True, **body}
    answer = served.http.post("/remember", json=wish, headers=dict(headers))
    assert answer.status_code == 422, answer.text
    assert answer.json()["code"] == "secret-refused"
    assert KEY not in answer.text
    assert is_anywhere(served.place) == []


def test_changes_and_reads_with_a_credential_are_refused_too(served: Served) -> None:
    memory = served.remember("Releases are cut from the main branch.", scope="global")
    other = served.remember("The office closes at six.", scope="global")
    changed = [
        served.http.patch(f"/memory/{memory}", json={"kind": "fact", "tags": [KEY]}),
        served.http.patch(
            f"/memory/{memory}", json={"valid_from": "2026-01-01"}, headers={"Helix-Client": KEY}
        ),
        served.http.patch(f"/memory/{memory}", json={"tags": ["a"], "idempotency_key": KEY}),
        served.http.post("/forget", json={"id": memory, "idempotency_key": KEY}),
        served.http.post("/restore", json={"id": memory}, headers={"Idempotency-Key": KEY}),
        served.http.post(
            "/relate", json={"from": memory, "to": other, "rel": "relates_to", "idempotency_key": KEY}
        ),
        served.http.get("/recent", headers={"Helix-Session": KEY}),
    ]
    assert [answer.status_code for answer in changed] == [422] * len(changed)
    assert all(KEY not in answer.text for answer in changed)
    assert is_anywhere(served.place) == []


def test_tools_of_agents_refuse_a_credential_in_any_argument(served: Served) -> None:
    arguments: list[dict[str, Any]] = [
        {"project": KEY},
        {"tags": [KEY]},
        {"idempotency_key": KEY},
        {"edges": {"refines": [KEY]}},
    ]
    for number, more in enumerate(arguments):
        with shim("", env=served.env) as driver:
            driver.open()
            answer = driver.call(number, "memory_write", {"text": TEXT, "scope": "project", **more})
            assert answer["result"]["isError"] is True, answer
            assert KEY not in str(answer)
    assert is_anywhere(served.place) == []


def test_nothing_of_a_refused_credential_is_logged(tmp_path: Path) -> None:
    env = {**surroundings(tmp_path), "HELIX_LOG_LEVEL": "debug"}
    (tmp_path / "vault").mkdir()
    log = tmp_path / "log"
    with log.open("wb") as output:
        process = subprocess.Popen([BIN / "helixd"], env=env, stdout=output, stderr=output)
        try:
            from tests.waiting import wait_for

            url = f"http://127.0.0.1:{env['HELIX_PORT']}"

            def is_up() -> bool:
                try:
                    return str(httpx.get(f"{url}/healthz").json()["state"]) != "starting"
                except httpx.HTTPError:
                    return False

            wait_for(is_up, seconds=60)
            for headers in ({"Helix-Client": KEY}, {"Helix-Session": KEY}, {"Idempotency-Key": KEY}):
                httpx.post(f"{url}/remember", json={"text": TEXT, "scope": "global"}, headers=headers)
            httpx.post(f"{url}/remember", json={"text": f"{TEXT} {KEY}", "scope": "global"})
        finally:
            process.terminate()
            process.wait(30)
    assert b"/remember" in log.read_bytes()
    assert KEY.encode() not in log.read_bytes()
