"""Rules in a team: each is told those that they see, and nobody names folders on the machine of the daemon."""

from __future__ import annotations

from pathlib import Path

from tests.access.team import TeamServed


def remember(team: TeamServed, who: str, text: str, **more: object) -> None:
    body = {"text": text, "kind": "rule", "scope": "global", **more}
    answer = team.ask("POST", "/remember", team.keys[who], json=body)
    assert answer.status_code == 200, answer.text


def test_a_rule_is_told_to_those_who_see_it(team: TeamServed) -> None:
    remember(team, "ann", "Ann keeps the red ledger by herself.")
    refused = team.ask(
        "POST", "/remember", team.keys["ann"],
        json={"text": "All obey Ann.", "kind": "rule", "scope": "global", "visibility": "team"},
    )  # fmt: skip
    assert refused.status_code == 403
    assert "'connectors'" in refused.json()["error"]
    remember(team, "olga", "Everybody closes the green gate.", visibility="team")
    for who, knows in (("ann", True), ("bob", False), ("rea", False)):
        told = team.ask("GET", "/harnesses/rules", team.keys[who]).json()
        texts = " ".join(rule["text"] for rule in told["rules"])
        assert "green gate" in texts
        assert ("red ledger" in texts) == knows


def test_nobody_writes_files_on_the_machine_of_the_daemon(team: TeamServed, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_bytes(b"# Mine\n")
    for who in ("root", "olga"):
        answer = team.ask("POST", "/harnesses/sync", team.keys[who], json={"folder": str(tmp_path)})
        assert answer.status_code == 400
        assert "owner of the daemon's machine" in answer.json()["error"]
    assert team.ask("POST", "/harnesses/sync", team.keys["ann"], json={"folder": "/x"}).status_code == 403
    assert (tmp_path / "CLAUDE.md").read_bytes() == b"# Mine\n"
