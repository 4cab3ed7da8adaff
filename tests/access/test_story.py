"""Two people and an agent on one server: what each may, and what each sees."""

from __future__ import annotations

from pathlib import Path

from tests.access.team import TeamServed, serving_team

SHARED = "Invoices of the harbour shop are numbered without gaps."
PRIVATE = "Ben likes short meetings and long lunches."


def found(team: TeamServed, key: str, words: str) -> str:
    answer = team.ask("GET", "/recall", key, params={"q": words, "scope": "all"})
    assert answer.status_code == 200, answer.text
    return answer.text


def test_members_see_their_project_and_nobody_what_another_keeps_for_themselves(tmp_path: Path) -> None:
    with serving_team(tmp_path) as team:
        ann, bob, admin, rea = (team.keys[name] for name in ("ann", "bob", "root", "rea"))
        made = team.ask("POST", "/projects", bob, json={"project": "shop", "members": ["ann"]})
        assert made.status_code == 200, made.text
        agent = team.key("bob", projects=frozenset({"shop"}), agent="claude-code")
        kept = team.ask("POST", "/remember", agent, json={"text": SHARED, "kind": "decision"})
        assert kept.status_code == 200, kept.text
        assert (
            team.ask("POST", "/remember", bob, json={"text": PRIVATE, "scope": "global"}).status_code == 200
        )
        assert "without gaps" in found(team, ann, "how are invoices numbered?")
        assert "without gaps" in found(team, agent, "how are invoices numbered?")
        for other in (rea, admin):
            assert "without gaps" not in found(team, other, "how are invoices numbered?")
        assert "short meetings" in found(team, bob, "short meetings")
        assert "short meetings" in found(team, team.owner_token, "short meetings")
        for other in (ann, agent, admin, rea):
            assert "short meetings" not in found(team, other, "short meetings")
        note = next(file for file in (tmp_path / "vault").rglob("*.md") if SHARED in file.read_text())
        assert "owner: bob" in note.read_text()
        assert "agent: claude-code" in note.read_text()
        assert team.ask("POST", "/forget", rea, json={"id": kept.json()["id"]}).status_code == 403
