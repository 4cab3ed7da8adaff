"""Assets in a team: who may share and take back, and who sees which."""

from __future__ import annotations

from typing import Any

from tests.access.team import TeamServed


def publish(team: TeamServed, who: str, name: str, **more: object) -> Any:
    body = {"name": name, "text": f"What {who} wrote.", **more}
    return team.ask("POST", "/assets", team.keys[who], json=body)


def names(team: TeamServed, who: str) -> set[str]:
    told = team.ask("GET", "/assets", team.keys[who], params={"limit": 200}).json()
    return {asset["name"] for asset in told["assets"]}


def test_who_may_publish_shares_with_those_who_are_meant(team: TeamServed) -> None:
    for who in ("ann", "rea"):
        assert publish(team, who, "theirs.md").status_code == 403
    open_to_all = publish(team, "olga", "open.md").json()
    closed = publish(team, "olga", "closed.md", visibility="private").json()
    for who in ("ann", "bob", "rea"):
        assert "open.md" in names(team, who)
        assert "closed.md" not in names(team, who)
        assert team.ask("GET", f"/assets/{open_to_all['id']}", team.keys[who]).status_code == 200
        hidden = team.ask("GET", f"/assets/{closed['id']}", team.keys[who])
        missing = team.ask("GET", "/assets/mem_2026-01-01_none_aaaa", team.keys[who])
        assert (hidden.status_code, hidden.json()["code"]) == (missing.status_code, missing.json()["code"])
    assert team.ask("GET", f"/assets/{closed['id']}", team.keys["olga"]).status_code == 200


def test_of_one_name_each_has_their_own_and_nobody_changes_that_of_another(team: TeamServed) -> None:
    private = publish(team, "olga", "mine.md", visibility="private").json()
    other = publish(team, "root", "mine.md", visibility="private").json()
    assert private["id"] != other["id"]
    for who in ("ann", "rea"):
        answer = team.ask("POST", f"/assets/{private['id']}/tombstone", team.keys[who])
        assert answer.status_code == 403
    written = {"text": "x y z", "kind": "asset", "scope": "global", "visibility": "team", "force": True}
    assert team.ask("POST", "/remember", team.keys["ann"], json=written).status_code == 403
    assert team.ask("POST", f"/assets/{private['id']}/tombstone", team.keys["olga"]).status_code == 200
