"""helixd from the outside: started as a user starts it, asked over HTTP."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cli.commands import BIN, helix, helix_json, listed, remembered
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.waiting import wait_for


@pytest.fixture
def daemon(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Daemon]:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    with running_daemon(by_hand=True) as running:
        yield running


def test_what_needs_a_person_is_told_and_stays_out_of_the_page(daemon: Daemon, place: Path) -> None:
    (place / "vault" / "bad.md").write_text("---\na: [\n---\n")
    (place / "vault" / "script.md").write_text("---\ntitle: <script>alert(1)</script>\n---\n")
    wait_for(lambda: daemon.health()["problems"] == 1)
    wait_for(lambda: "alert(1)" in daemon.get("/recent")[1])
    assert "bad.md" in daemon.get("/conflicts")[1]
    # The page is the same for every vault: what it shows it asks for.
    assert "alert(1)" not in daemon.get("/")[1]


def test_an_edit_on_disk_is_seen_and_commands_work_beside_the_daemon(daemon: Daemon, place: Path) -> None:
    made = remembered("Written beside the daemon")
    assert helix_json("status")["pid"] == daemon.process.pid
    file = place / "vault" / made["path"]
    file.write_text(
        file.read_text().replace("title: Written beside the daemon", "title: Changed by a person")
    )
    wait_for(lambda: "Changed by a person" in {row["title"] for row in listed()})
    assert helix_json("reindex")["problems"] == 0


def test_what_is_written_is_found_and_what_is_forgotten_is_not(daemon: Daemon) -> None:
    made = remembered(
        "The nightly export to the warehouse runs at 02:40 on heron", "--title", "Nightly export"
    )
    found = helix_json("recall", "--all", "when does the warehouse export run?")
    assert found["results"][0]["id"] == made["id"]
    assert "02:40" in found["results"][0]["text"]
    wait_for(lambda: daemon.health()["index"]["index_lag"] == 0)
    helix("forget", made["id"])
    wait_for(
        lambda: made["id"] not in str(helix_json("recall", "--all", "when does the warehouse export run?"))
    )
    assert helix_json("recall", "--all", "after:soonish x", ok=False)["error"]


def test_commands_say_that_the_daemon_has_stopped_and_why(daemon: Daemon, place: Path) -> None:
    assert helix_json("status")["stopped"] is None
    for number in range(40):
        (place / "vault" / f"n{number}.md").write_text(f"---\nid: n{number}\n---\ntext\n")
    wait_for(lambda: daemon.health()["memories"]["active"] > 40)
    for number in range(40):
        (place / "vault" / f"n{number}.md").unlink()
    wait_for(lambda: daemon.health()["state"] == "degraded")
    assert "disappeared" in helix("status").stderr
    assert "disappeared" in helix("doctor", ok=False).stdout
    assert "many-notes-gone" in {one["code"] for one in helix_json("doctor", ok=False)["findings"]}
    refused = helix_json("reindex", ok=False)
    assert refused["code"] == "vault-unavailable"
    assert refused["error"].startswith("40 of")
    helix("reindex", "--accept-missing")
    assert helix_json("status")["stopped"] is None


def test_a_daemon_is_found_wherever_it_listens_and_one_that_is_named_is_believed(
    daemon: Daemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    assert helix_json("status")["state"] == "ready"
    monkeypatch.setenv("HELIX_URL", f"http://127.0.0.1:{free_port()}")
    assert helix_json("status")["state"] == "unreachable"
    assert helix_json("remember", "Not written anywhere", ok=False)["code"] == "daemon-unreachable"
    assert "Not written" not in str(listed())


def test_a_daemon_that_hangs_is_not_gone_round_by_a_write_and_reading_says_so(
    daemon: Daemon, place: Path
) -> None:
    made = remembered("Before it hung")
    before = sorted((place / "vault").rglob("*.md"))
    os.kill(daemon.process.pid, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor() as at_once:  # each of them waits as long as its patience
            reading = at_once.submit(helix, "get", made["id"])
            recalled = at_once.submit(helix_json, "recall", "anything", ok=False)
            refused = at_once.submit(helix_json, "remember", "Not now", ok=False)
        read = reading.result()
        assert recalled.result()["code"] == "daemon-unreachable"
        assert refused.result()["code"] == "daemon-unreachable"
    finally:
        os.kill(daemon.process.pid, signal.SIGCONT)
    assert "does not answer" in read.stderr
    assert "Before it hung" in read.stdout
    assert sorted((place / "vault").rglob("*.md")) == before


def test_only_this_machine_and_its_own_page_may_come_in(daemon: Daemon) -> None:
    host = daemon.url.removeprefix("http://")
    assert daemon.get("/")[0] == 200
    assert daemon.get("/", {"Origin": f"http://{host}"})[0] == 200
    assert daemon.get("/", {"Host": "attacker.example"})[0] == 421
    assert daemon.get("/", {"Origin": "http://attacker.example"})[0] == 403
    assert daemon.get("/", {"Origin": "null"})[0] == 403
    assert daemon.get("/reindex", {"Sec-Fetch-Site": "cross-site"}, method="POST")[0] == 403
    assert daemon.get("/.well-known/oauth-protected-resource")[0] == 404


def test_a_second_daemon_on_the_same_vault_is_refused(daemon: Daemon) -> None:
    env = {**os.environ, "HELIX_PORT": str(free_port())}
    done = subprocess.run([str(BIN / "helixd")], env=env, capture_output=True, text=True, timeout=30)
    assert done.returncode == 1
    assert f"process {daemon.process.pid}, at {daemon.url}" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_port_in_use_or_a_public_address_is_one_clear_sentence(daemon: Daemon, place: Path) -> None:
    env = {**os.environ, "HELIX_VAULT": str(place / "other"), "HELIX_HOST": "127.0.0.1"}
    helix("init", str(place / "other"))
    done = subprocess.run([str(BIN / "helixd")], env=env, capture_output=True, text=True, timeout=30)
    assert "HELIX_PORT" in done.stderr
    done = subprocess.run(
        [str(BIN / "helixd"), "--host", "0.0.0.0"], env=env, capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 1
    assert "loopback" in done.stderr


def test_a_killed_daemon_leaves_nothing_that_stops_the_next_one(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    with running_daemon() as first:
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(timeout=10)
    with running_daemon() as second:
        assert second.health()["state"] == "ready"


def test_a_state_folder_deleted_under_the_daemon_is_made_anew(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init")
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text("[follow]\nscan_interval = 0.5\n")
    with running_daemon() as daemon:
        before = {row["id"] for row in listed()}
        shutil.rmtree(place / "state")
        wait_for(
            lambda: (
                list((place / "state").rglob("catalog.db")) and list((place / "state").rglob("follow.lock"))
            )
        )
        wait_for(lambda: {row["id"] for row in listed()} == before)
        assert helix_json("status")["pid"] == daemon.process.pid
        assert daemon.health()["state"] == "ready"
        wait_for(lambda: "retries" in daemon.get("/recall?q=retry+policy")[1], 30)


def test_with_require_token_only_health_and_the_sign_in_are_open(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    monkeypatch.setenv("HELIX_TOKEN", "correct-horse")
    (place / "config").mkdir()
    (place / "config" / "config.toml").write_text("require_token = true\n")
    helix("init")
    with running_daemon() as daemon:
        assert daemon.get("/")[0] == 200
        assert daemon.get("/stats")[0] == 401
        assert daemon.get("/stats", {"Authorization": "Bearer wrong"})[0] == 401
        assert daemon.get("/stats", {"Authorization": "Bearer correct-horse"})[0] == 200
        assert helix_json("reindex")["problems"] == 0


def test_autocommit_names_the_memories_of_a_quiet_batch(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIX_PORT", str(free_port()))
    helix("init", "--autocommit")
    config = place / "config" / "config.toml"
    config.write_text(config.read_text() + "quiet = 0.2\n")
    vault = place / "vault"

    def log() -> str:
        return subprocess.run(
            ["git", "-C", str(vault), "log", "--format=%B", "--name-only"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    with running_daemon():
        made = remembered("Remember the milk")
        wait_for(lambda: "helix: add Remember the milk" in log())
        copy = (vault / made["path"]).with_name(f"{made['id']} (Ann's conflicted copy 2026-09-25).md")
        copy.write_text((vault / made["path"]).read_text() + "and the bread\n")
        wait_for(lambda: "and the bread" in (vault / made["path"]).read_text())
        wait_for(
            lambda: (
                not subprocess.run(
                    ["git", "--no-optional-locks", "-C", str(vault), "status", "--porcelain"],
                    capture_output=True,
                ).stdout
            )
        )
    assert copy.exists()
