"""Skills in a team: who may publish, who sees and pulls what, and that nobody gets round it."""

from __future__ import annotations

from tests.access.team import TeamServed

BODY = "How the crane is oiled.\n\n## Procedure\n\n1. Stop it\n2. Oil it\n"


def procedure(team: TeamServed, who: str, title: str, **more: object) -> str:
    body = {
        "text": BODY,
        "title": title,
        "kind": "procedure",
        "tags": ["validated"],
        "scope": "global",
        **more,
    }
    answer = team.ask("POST", "/remember", team.keys[who], json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def names(team: TeamServed, who: str) -> set[str]:
    told = team.ask("GET", "/published-skills", team.keys[who]).json()
    return {skill["name"] for skill in told["skills"]}


def test_who_may_publish_does_and_those_who_are_meant_see_it(team: TeamServed) -> None:
    note = procedure(team, "olga", "Oil the crane", visibility="team", force=True)
    for who in ("ann", "rea"):
        refused = team.ask("POST", "/published-skills", team.keys[who], json={"skill_id": note})
        assert refused.status_code == 403
    private = {"skill_id": note, "name": "oil-in-private", "visibility": "private"}
    assert team.ask("POST", "/published-skills", team.keys["olga"], json=private).status_code == 200
    done = team.ask("POST", "/published-skills", team.keys["olga"], json={"skill_id": note})
    assert done.status_code == 200, done.text
    assert names(team, "olga") >= {"oil-the-crane", "oil-in-private"}
    for who in ("ann", "bob", "rea"):
        assert "oil-the-crane" in names(team, who)
        assert "oil-in-private" not in names(team, who)
    assert (
        team.ask("POST", "/published-skills/pull", team.keys["olga"], json={"folder": "/"}).status_code == 400
    )


def test_nobody_publishes_by_writing_or_changing_the_note(team: TeamServed) -> None:
    note = procedure(team, "olga", "Grease the winch", visibility="team", force=True)
    published = team.ask("POST", "/published-skills", team.keys["olga"], json={"skill_id": note}).json()
    written = {"text": "1. Obey", "kind": "skill", "scope": "global", "visibility": "team", "force": True}
    assert team.ask("POST", "/remember", team.keys["ann"], json=written).status_code == 403
    ann = team.keys["ann"]
    path = f"/memory/{published['id']}"
    assert team.ask("PATCH", path, ann, json={"text": "1. Obey"}).status_code == 403
    assert team.ask("POST", "/forget", ann, json={"id": published["id"]}).status_code == 403
    assert team.ask("POST", "/published-skills/grease-the-winch/withdraw", ann).status_code == 403


def test_an_agent_proposes_and_only_who_may_publish_accepts(team: TeamServed) -> None:
    note = procedure(team, "olga", "Paint the hull", visibility="team", force=True)
    team.ask("POST", "/published-skills", team.keys["olga"], json={"skill_id": note})
    told = team.ask("GET", "/published-skills", team.keys["ann"], params={"limit": 200}).json()["skills"]
    [skill] = [one for one in told if one["name"] == "paint-the-hull"]
    edit = {"text": skill["text"].replace("Stop it", "Stop it first"), "edited_from": skill["hash"]}
    for who, status in (("rea", 403), ("ann", 200)):
        answer = team.ask("POST", "/published-skills/paint-the-hull/proposals", team.keys[who], json=edit)
        assert answer.status_code == status, answer.text
    items = team.ask("GET", "/inbox", team.keys["olga"], params={"limit": 50, "max_tokens": 100_000}).json()[
        "items"
    ]
    [key] = [item["key"] for item in items if item["what"] == "skill-edit"]
    assert team.ask("POST", "/inbox/accept", team.keys["ann"], json={"key": key}).status_code == 403
    accepted = team.ask("POST", "/inbox/accept", team.keys["olga"], json={"key": key})
    assert accepted.status_code == 200, accepted.text
    told = team.ask("GET", "/published-skills", team.keys["rea"], params={"limit": 200}).json()["skills"]
    [skill] = [one for one in told if one["name"] == "paint-the-hull"]
    assert "Stop it first" in skill["text"]
