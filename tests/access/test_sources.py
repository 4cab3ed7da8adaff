"""Sources in a team: who connects what, and who sees what is in it."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

from tests.access.team import TeamServed, serving_team
from tests.sources.repositories import write
from tests.waiting import wait_for


def _ready(team: TeamServed, key: str, source_id: str) -> bool:
    answer = team.ask("GET", f"/sources/{source_id}/health", key)
    assert answer.status_code == 200, answer.text
    return bool(answer.json()["state"] == "ready")


def _found(team: TeamServed, key: str) -> Any:
    answer = team.ask("GET", "/recall", key, params={"q": "lane:source narwhals", "scope": "all"})
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


def test_a_source_is_seen_by_those_who_would_see_a_memory_filed_as_it_is(tmp_path: Path) -> None:
    allowed = write(
        tmp_path / "allowed", {"shop/a.md": "Narwhals mend the nets.\n", "own/b.md": "Narwhals nap.\n"}
    )
    private = write(tmp_path / "private", {"c.md": "Narwhals keep secrets.\n"})
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f'[sources]\nfolders = ["{allowed}"]\n')
    with serving_team(tmp_path) as team:
        ann, bob, olga, rea = (team.keys[name] for name in ("ann", "bob", "olga", "rea"))
        made = team.ask("POST", "/projects", olga, json={"project": "shop", "members": ["ann"]})
        assert made.status_code == 200, made.text

        refused = team.ask("POST", "/sources", ann, json={"path": str(allowed / "shop")})
        assert (refused.status_code, "'connectors'" in refused.text) == (403, True)
        for path in (private, allowed / ".." / "private", tmp_path / "nowhere"):
            refused = team.ask("POST", "/sources", olga, json={"path": str(path)})
            assert refused.status_code == 403, refused.text
            assert "sources.folders" in refused.text
        wanted = {"path": str(allowed / "shop"), "project": "shop"}
        shop = team.ask("POST", "/sources", olga, json=wanted).json()
        assert (shop["owner"], shop["visibility"]) == ("olga", "project")
        own = team.ask("POST", "/sources", olga, json={"path": str(allowed / "own")}).json()
        assert own["visibility"] == "private"
        owners = team.ask("POST", "/sources", team.owner_token, json={"path": str(private)}).json()
        for key, source in ((olga, shop), (olga, own), (team.owner_token, owners)):
            wait_for(functools.partial(_ready, team, key, source["id"]))

        assert len(_found(team, olga)) == 2
        assert len(_found(team, team.owner_token)) == 3
        [hit] = _found(team, ann)
        assert hit["citation"] == "shop/a.md#L1"  # nothing of the disk of that machine
        assert _found(team, bob) == _found(team, rea) == []
        [listed] = team.ask("GET", "/sources", ann).json()["sources"]
        assert (listed["id"], "folder" in listed) == (shop["id"], False)
        assert team.ask("GET", f"/sources/{own['id']}/health", ann).status_code == 404
        # One that is bound to another project sees nothing of it.
        bound = team.key("olga", projects=frozenset({"else"}))
        assert _found(team, bound) == []

        admin = team.keys["root"]
        assert team.ask("POST", f"/sources/{shop['id']}/purge", admin, json={}).status_code == 404
        assert team.ask("POST", f"/sources/{shop['id']}/purge", olga, json={}).json()["status"] == "purged"
        assert _found(team, ann) == []


def test_whoever_sees_a_source_of_another_does_not_purge_it(tmp_path: Path) -> None:
    allowed = write(tmp_path / "allowed", {"a.md": "Narwhals mend the nets.\n"})
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(f'[sources]\nfolders = ["{allowed}"]\n')
    with serving_team(tmp_path) as team:
        olga, admin = team.keys["olga"], team.keys["root"]
        wanted = {"path": str(allowed), "visibility": "team"}
        source = team.ask("POST", "/sources", olga, json=wanted).json()
        wait_for(lambda: _ready(team, admin, source["id"]))
        assert len(_found(team, team.keys["rea"])) == 1
        refused = team.ask("POST", f"/sources/{source['id']}/purge", admin, json={})
        assert (refused.status_code, "is not yours" in refused.text) == (403, True)
