"""The routes, one promise each, on a real daemon."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from helix.memory.tokens import token_counter
from tests.surfaces.conftest import Served, serving
from tests.waiting import wait_for

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rest-api.md"


def test_the_two_examples_of_the_page_work_as_they_are_written(served: Served) -> None:
    block = PAGE.read_text("utf-8").split("```sh\n")[1].split("```")[0]
    ask, keep = (
        command.replace("\\\n", " ").replace("127.0.0.1:7878", served.url.removeprefix("http://"))
        for command in block.strip().split("\n\n")
    )
    said = subprocess.run(shlex.split(ask), capture_output=True, text=True, check=True).stdout
    assert '"results"' in said
    written = [
        subprocess.run(shlex.split(keep), capture_output=True, text=True, check=True).stdout for _ in range(2)
    ]
    assert '"status":"created"' in written[0] or '"status":"merged"' in written[0]
    assert '"status":"noop"' in written[1]


def test_what_is_remembered_is_found_read_changed_forgotten_and_restored(served: Served) -> None:
    memory_id = served.remember("The heron staging host listens on port 9431", kind="fact", tags=["staging"])
    found = served.http.get("/recall", params={"q": "on which port does heron listen?", "tag": "staging"})
    assert found.json()["results"][0]["id"] == memory_id
    read = served.http.get(f"/memory/{memory_id}")
    assert read.json()["tags"] == ["staging"]
    changed = served.http.patch(
        f"/memory/{memory_id}",
        json={"text": "The heron staging host listens on port 9432"},
        headers={"If-Match": read.headers["ETag"]},
    )
    assert changed.json()["status"] == "updated"
    assert "merged" not in changed.json()
    again = served.http.get(f"/memory/{memory_id}", params={"format": "concise"})
    assert "9432" in again.json()["text"]
    assert again.headers["ETag"] == changed.headers["ETag"]
    assert served.http.post("/forget", json={"id": memory_id}).json()["status"] == "forgotten"
    assert served.http.get(f"/memory/{memory_id}").json()["code"] == "not-found"
    hidden = served.http.get(f"/memory/{memory_id}", params={"include_deleted": True})
    assert hidden.json()["status"] == "deleted"
    assert served.http.post("/restore", json={"id": memory_id}).json()["memory_status"] == "active"
    assert served.http.get(f"/memory/{memory_id}").status_code == 200


def test_a_change_based_on_an_old_text_is_merged_and_one_on_an_unknown_text_refused(served: Served) -> None:
    text = "First line about llamas.\n\nSecond line about geese.\n\nThird line about owls.\n"
    memory_id = served.remember(text)
    old = served.http.get(f"/memory/{memory_id}").headers["ETag"]
    served.http.patch(f"/memory/{memory_id}", json={"text": text.replace("llamas", "alpacas")})
    merged = served.http.patch(
        f"/memory/{memory_id}", json={"text": text.replace("owls", "kites")}, headers={"If-Match": old}
    )
    assert merged.status_code == 200
    assert merged.json()["merged"] is True
    now = served.http.get(f"/memory/{memory_id}").json()["text"]
    assert "alpacas" in now
    assert "kites" in now
    before = served.bytes()
    refused = served.http.patch(
        f"/memory/{memory_id}", json={"text": "all new"}, headers={"If-Match": '"never-read"'}
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "stale-hash")
    assert served.bytes() == before


def test_a_resolution_that_meets_another_change_is_asked_for_again_and_then_stands_alone(
    served: Served,
) -> None:
    memory_id = served.remember("The tide turns at six")
    where = f"/memory/{memory_id}"

    def say(text: str, based_on: str | None = None, **more: object) -> httpx.Response:
        headers = {} if based_on is None else {"If-Match": based_on}
        return served.http.patch(where, json={"text": text, **more}, headers=headers)

    read = served.http.get(where).headers["ETag"]
    first = say("The tide turns at seven", read)
    assert first.status_code == 200
    now = say("The tide turns at eight").headers["ETag"]
    before = served.bytes()
    for based_on in (read, first.headers["ETag"]):
        refused = say("The tide turns between seven and eight", based_on)
        assert (refused.status_code, refused.json()["code"]) == (409, "stale-hash")
    assert served.bytes() == before
    assert say("The tide turns between seven and eight", now).json()["status"] == "updated"
    assert served.http.get(where).json()["text"].strip() == "The tide turns between seven and eight"


def test_a_caller_may_ask_to_be_refused_where_the_changes_would_fit_together(served: Served) -> None:
    memory_id = served.remember("Bow\n\nMast\n\nStern")
    where = f"/memory/{memory_id}"
    read = served.http.get(where).headers["ETag"]
    served.http.patch(where, json={"text": "Bow, painted\n\nMast\n\nStern"})
    mine = {"text": "Bow\n\nMast\n\nStern, tarred"}
    refused = served.http.patch(where, json={**mine, "merge": False}, headers={"If-Match": read})
    assert (refused.status_code, refused.json()["code"]) == (409, "stale-hash")
    assert served.http.patch(where, json=mine, headers={"If-Match": read}).json()["merged"] is True


def test_a_key_is_answered_again_and_refused_for_something_else(served: Served) -> None:
    key = {"Idempotency-Key": "rest-key-1"}
    first = served.http.post("/remember", json={"text": "Kestrels nest on tower three"}, headers=key).json()
    again = served.http.post("/remember", json={"text": "Kestrels nest on tower three"}, headers=key).json()
    assert (again["id"], again["status"]) == (first["id"], "noop")
    other = served.http.post("/remember", json={"text": "Something else"}, headers=key)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency-conflict")
    both = served.http.post("/remember", json={"text": "x", "idempotency_key": "rest-key-2"}, headers=key)
    assert both.status_code == 400


def test_no_answer_is_larger_than_its_budget_as_it_is_sent(served: Served) -> None:
    for number in range(12):
        served.remember(f"Budget note {number}: the «pelican» queue drains at {number} o'clock — nightly.")
    count = token_counter()
    for path in ("/recall?q=pelican+queue", "/recent?", "/graph?", "/stats?", "/today?"):
        for budget in (64, 150, 700):
            answer = served.http.get(f"{path}&max_tokens={budget}")
            assert answer.status_code == 200, answer.text
            assert count(answer.text) <= answer.json()["tokens_used"] <= budget


def test_a_cursor_leads_through_everything_once_while_memories_are_written(served: Served) -> None:
    wanted = {
        served.remember(f"Paging note {number} of the puffin set", tags=["puffins"]) for number in range(9)
    }
    seen: list[str] = []
    cursor: str | None = None
    while True:
        params = {"tag": "puffins", "limit": "2", **({"cursor": cursor} if cursor else {})}
        page = served.http.get("/recent", params=params).json()
        seen += [one["id"] for one in page["results"]]
        served.remember(f"Written in between, after {len(seen)}", tags=["puffins"])
        if (cursor := page["next_cursor"]) is None:
            break
    assert sorted(seen) == sorted(wanted)


def test_what_is_remembered_without_a_project_is_found_from_every_one_until_it_is_filed(
    served: Served,
) -> None:
    made = served.http.post(
        "/remember",
        json={"text": "Bittern client retries 3x with jitter", "kind": "decision", "scope": "project"},
        headers={"Helix-Project": ""},
    ).json()["id"]

    def found(project: str) -> list[str]:
        asked = {"q": "how often does the bittern client retry?"}
        answer = served.http.get("/recall", params=asked, headers={"Helix-Project": project})
        return [one["id"] for one in answer.json()["results"]]

    assert made in found("billing-api")
    assert made in found("web")
    for name in ("/recent", "/today"):
        listed = served.http.get(name, params={"unfiled": True, "limit": 50, "max_tokens": 20_000}).json()
        assert made in [one["id"] for one in listed["results"]]
        others = served.http.get(name, params={"unfiled": False, "limit": 50, "max_tokens": 20_000}).json()
        assert made not in [one["id"] for one in others["results"]]
    narrowed = served.http.get("/recall", params={"q": "bittern", "unfiled": "true"}).json()
    assert [one["id"] for one in narrowed["results"]] == [made]

    filed = served.http.post("/file", json={"ids": [made], "project": "billing-api"}).json()
    assert filed == {"status": "filed", "project": "billing-api", "filed": [made]}
    assert made in found("billing-api")
    assert made not in found("web")


def test_edges_are_drawn_and_walked(served: Served) -> None:
    one, other = served.remember("The ferry needs the pier"), served.remember("The pier is being repaired")
    drawn = served.http.post("/relate", json={"from": one, "to": other, "rel": "depends_on"}).json()
    assert drawn["status"] == "created"
    around = served.http.get(f"/memory/{one}/neighbors").json()["neighbors"]
    assert [(near["id"], near["edge"]["rel"]) for near in around] == [(other, "depends_on")]
    graph = served.http.get("/graph", params={"max_tokens": 100_000}).json()
    assert {"from": one, "to": other, "rel": "depends_on"} in graph["edges"]


def test_a_pack_for_a_task_and_for_a_phase_cites_what_it_holds(served: Served) -> None:
    memory_id = served.remember("Deploys of the lighthouse service go through canary first", kind="decision")
    pack = served.http.post("/context", json={"task": "deploy the lighthouse service"}).json()
    assert memory_id in pack["citations"]
    assert memory_id in pack["context"]
    phases = served.http.post("/phases", json={"phases": ["plan"], "budget_tokens": 3000}).json()
    assert phases["tokens_used"] <= 3000
    assert phases["citations"]


def test_the_past_is_read_where_there_is_git(served: Served) -> None:
    commit = subprocess.run(
        ["git", "-C", str(served.vault), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()
    memory_id = served.remember("Not committed yet: the gannet colony moved")
    assert served.http.get(f"/memory/{memory_id}").status_code == 200
    past = served.http.get(f"/memory/{memory_id}", params={"ref": commit})
    assert (past.status_code, past.json()["code"]) == (404, "not-found")
    assert served.http.get("/recent", params={"ref": commit}).json()["results"]
    listed = served.http.get("/recent", params={"ref": "no-such-branch"})
    assert (listed.status_code, listed.json()["code"]) == (404, "bad-revision")
    starter = served.http.get("/recent", params={"ref": commit, "limit": 1}).json()["results"][0]["id"]
    assert served.http.get(f"/memory/{starter}/history").json()["versions"][0]["commit"] == commit


def test_the_project_of_the_caller_is_where_it_writes(served: Served) -> None:
    headers = {"Helix-Project": "caf%C3%A9-app", "Helix-Session": "s-1", "Helix-Client": "test"}
    made = served.http.post("/remember", json={"text": "Cormorants dry their wings at noon"}, headers=headers)
    read = served.http.get(f"/memory/{made.json()['id']}").json()
    assert read["project"] == "café-app"
    assert read["source"] == "agent=test session=s-1"


def test_proposals_are_listed_and_applied_by_name(served: Served) -> None:
    text = "Oystercatchers return to the north quay in the second week of March"
    one, other = served.remember(text), served.remember(text)
    wait_for(lambda: served.daemon.health()["index"]["index_lag"] == 0)
    params: dict[str, str] = {"limit": "50", "max_tokens": "100000"}
    found = served.http.get("/consolidate", params=params).json()["proposals"]
    [proposal] = [each for each in found if {each["memory"], each["other"]} == {one, other}]
    done = served.http.post("/consolidate", json={"ids": [proposal["id"]]}).json()
    assert [each["id"] for each in done["applied"]] == [proposal["id"]]
    assert served.http.get(f"/memory/{proposal['memory']}").status_code == 404
    assert served.http.post("/consolidate/pause").json()["state"] == "paused"
    assert served.daemon.health()["consolidation"]["state"] == "paused"
    assert served.http.post("/consolidate/resume").json()["state"] != "paused"
    served.http.post("/consolidate/pause")  # the other tests share this daemon and count its files


def test_reading_everything_changes_no_byte_of_the_vault(served: Served, tmp_path: Path) -> None:
    served.remember("A crawl changes nothing")
    event = {"type": "transcript.turn", "actor": "user", "payload": {"role": "user", "content": "we crawl"}}
    citation = served.http.post("/sessions/crawled/events", json=event).json()["citation"]
    memory_id = served.http.get("/recent", params={"ref": "HEAD"}).json()["results"][0]["id"]
    (tmp_path / "crawled").mkdir()
    (tmp_path / "crawled" / "keeper.py").write_text("def keep():\n    pass\n")
    source_id = served.http.post("/sources", json={"path": str(tmp_path / "crawled")}).json()["id"]
    asset = {"name": "crawl.txt", "text": "Crawl slowly", "visibility": "team"}
    asset_id = served.http.post("/assets", json=asset).json()["id"]
    (tmp_path / "crawl.md").write_text("# Crawling\n\nWe crawl on Fridays.\n")
    job_id = served.http.post("/documents", json={"path": str(tmp_path / "crawl.md")}).json()["job_id"]
    wait_for(lambda: served.http.get(f"/sources/{source_id}/health").json()["state"] == "ready")
    wait_for(lambda: served.http.get(f"/jobs/{job_id}").json()["state"] == "done")
    document_id = served.http.get("/documents").json()["documents"][0]["id"]
    wait_for(lambda: served.daemon.health()["index"]["index_lag"] == 0)
    wait_for(lambda: served.http.get("/map").status_code == 200)
    before = served.bytes()
    paths = served.http.get("/openapi.json").json()["paths"]
    crawled = [path for path, methods in paths.items() if "get" in methods and path != "/events"]
    needed = {
        "/recall": {"q": "crawl"},
        "/memory/{id}/diff": {"from": "HEAD"},
        "/verbatim": {"query": "crawl"},
        "/cite": {"uri": citation},
        "/code/find": {"symbol": "keep"},
        "/code/impact": {"symbol": "keep"},
        "/code/neighborhood": {"symbol": "keep"},
        "/harnesses": {"folder": str(tmp_path / "crawled")},
        "/refs/resolve": {"name": "HEAD", "session_id": "crawled"},
        "/sessions/{session_id}/context": {"query": "crawl"},
    }
    named = {
        "/documents/{id}": f"/documents/{document_id}",
        "/assets/{id}": f"/assets/{asset_id}",
        "{id}": memory_id,
        "{session_id}": "crawled",
        "{seq}": "1",
        "{job_id}": job_id,
        "{source_id}": source_id,
    }
    assert len(crawled) >= 12
    for path in [*crawled, "/", "/openapi.json"]:
        address = functools.reduce(lambda text, name: text.replace(name, named[name]), named, path)
        answer = served.http.get(address, params=needed.get(path))
        # No program may be run here, so that there is none to be told of.
        expected = 404 if path == "/secret-runs/{run_id}" else 200
        assert answer.status_code == expected, (path, answer.text)
    assert served.bytes() == before


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code", "words"),
    [
        ("GET", "/recall", None, 400, "bad-request", "q: field required"),
        ("GET", "/recall?q=x&max_tokens=9", None, 400, "bad-request", "max_tokens"),
        ("GET", "/recall?q=x&maxtokens=900", None, 400, "bad-request", "maxtokens"),
        ("GET", "/recall?q=x&format=concise&response_format=detailed", None, 400, "bad-value", "format"),
        ("GET", "/recall?q=x&cursor=nonsense", None, 400, "bad-cursor", "cursor"),
        ("GET", "/recall?q=x&as_of=soonish", None, 400, "bad-value", "as_of"),
        ("GET", "/memory/none", None, 404, "not-found", "no memory"),
        ("POST", "/remember", b"{", 400, "bad-request", "not JSON"),
        ("POST", "/remember", b"\xff\xfe", 400, "bad-request", "body"),
        ("POST", "/remember", b"[" * 100_000, 400, "bad-request", "body"),
        ("POST", "/remember", b"", 400, "bad-request", "body"),
        ("POST", "/remember", b'{"text": 7}', 400, "bad-request", "text"),
        ("POST", "/remember", b'{"text": "a", "tag": "b"}', 400, "bad-request", "tag"),
        ("POST", "/remember", b'{"text": "\\ud800"}', 400, "bad-request", "surrogate"),
        ("POST", "/remember", b'{"text": "a", "tags": ["\\udfff"]}', 400, "bad-request", "surrogate"),
        ("POST", "/forget", b'{"id": "\\ud800"}', 400, "bad-request", "surrogate"),
        ("POST", "/context", b'{"task": "a", "filters": {"\\ud800": "b"}}', 400, "bad-request", "surrogate"),
        ("POST", "/relate", b'{"from": "a", "to": "b", "rel": "likes"}', 400, "bad-request", "rel"),
        ("GET", "/nowhere", None, 404, "no-such-path", "openapi.json"),
        ("POST", "/sessions/..%2Fx/events", b"{}", 404, "no-such-path", "no id"),
        ("GET", "/sessions/.x/events", None, 400, "bad-value", "Invalid session_id"),
        ("POST", "/sessions/nobody/restore", b"{}", 404, "session-not-found", "session list --archived"),
        ("GET", "/.well-known/oauth-authorization-server", None, 404, "no-such-path", ""),
        ("GET", "/recall/", None, 404, "no-such-path", ""),
        ("DELETE", "/memory/x", None, 405, "wrong-method", "GET, PATCH"),
        ("GET", "/remember", None, 405, "wrong-method", "POST"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_one_code(
    served: Served, method: str, path: str, body: bytes | None, status: int, code: str, words: str
) -> None:
    headers = {"Content-Type": "application/json"} if body is not None else None
    answer = served.http.request(method, path, content=body, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert words in answer.json()["error"]
    assert set(answer.json()) == {"error", "code"}
    assert not re.search(r"Traceback|File \"|pydantic", answer.text)


_SECRET = "AKIA" + "Q3EGRIVJ5T7YKLMN"


def test_a_secret_is_refused_by_its_kind_and_not_repeated(served: Served) -> None:
    answer = served.http.post("/remember", json={"text": f"The deploy key is {_SECRET} for now"})
    assert (answer.status_code, answer.json()["code"]) == (422, "secret-refused")
    assert _SECRET not in answer.text


def test_the_timeline_tells_an_agent_from_a_person_on_the_page_and_from_one_with_an_editor(
    served: Served,
) -> None:
    made = served.http.post(
        "/remember",
        json={"text": "Turnstones flip pebbles at low tide"},
        headers={"Helix-Client": "claude-code"},
    )
    memory_id = made.json()["id"]
    page = {"Sec-Fetch-Site": "same-origin", "Origin": served.url}
    served.http.patch(f"/memory/{memory_id}", json={"title": "Turnstones"}, headers=page)
    path = served.vault / served.http.get(f"/memory/{memory_id}").json()["path"]
    path.write_text(path.read_text("utf-8") + "And at dusk.\n", "utf-8")

    def seen() -> list[tuple[str, str, str | None]]:
        events = served.http.get("/timeline", params={"max_tokens": 20_000}).json()["events"]
        return [(one["what"], one["who"], one["name"]) for one in events if one["id"] == memory_id]

    wait_for(lambda: len(seen()) == 3)
    assert seen() == [
        ("changed", "person", None),
        ("changed", "person", None),
        ("learned", "agent", "claude-code"),
    ]
    assert served.http.get("/timeline", params={"who": "nobody"}).json()["code"] == "bad-value"


def test_an_action_of_the_inbox_is_a_request_that_can_be_sent_as_it_stands(served: Served) -> None:
    over = served.remember("The north ferry is out of service", valid_until="2026-01-31")
    stays = served.remember("The south ferry is out of service", valid_until="2026-02-28")
    broken = served.vault / "broken.md"
    broken.write_text("---\nid: mem_broken\ntags: [open\n---\nText\n", "utf-8")

    def listed() -> dict[str, dict[str, Any]]:
        page = served.http.get("/inbox", params={"limit": 50, "max_tokens": 100_000}).json()
        assert sum(page["counts"].values()) >= len(page["items"])
        return {name: one for one in page["items"] for name in (one["id"], one["path"]) if name}

    def send(item: dict[str, Any], name: str) -> dict[str, Any]:
        [action] = [one for one in item["actions"] if one["name"] == name]
        answer = served.http.request(action["method"], action["route"], json=action["body"])
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    wait_for(lambda: {over, stays, "broken.md"} <= listed().keys())
    found = listed()
    assert found["broken.md"]["line"] == 3
    assert send(found[over], "apply")["applied"][0]["memory"] == over
    assert send(found[stays], "still-holds")["status"] == "updated"
    send(found["broken.md"], "dismiss")
    assert not {over, stays, "broken.md"} & listed().keys()
    broken.unlink()


def test_a_text_is_rendered_and_a_diff_is_shown(served: Served) -> None:
    memory_id = served.remember("Render me <script>alert(1)</script>", title="Rendered")
    html = served.http.post("/render", json={"text": f"<b>[[{memory_id}]]"}).json()["html"]
    assert f'<p>&lt;b&gt;<a href="#/memory/{memory_id}" data-memory="{memory_id}">Rendered</a></p>' in html
    committed = served.http.get("/recent", params={"ref": "HEAD"}).json()["results"][0]["id"]
    served.http.patch(f"/memory/{committed}", json={"title": "Another title"})
    diff = served.http.get(f"/memory/{committed}/diff", params={"from": "HEAD"}).json()
    assert "+title: Another title" in diff["diff"]


def test_with_a_model_the_memories_are_on_a_map_and_the_model_is_told(tmp_path: Path) -> None:
    with serving(tmp_path, HELIX_MODEL="bundled") as served:
        shown = wait_for(
            lambda: served.http.get("/map", params={"max_tokens": 100_000}).json().get("points"), 60
        )
        assert {"id", "title", "kind", "project", "x", "y", "cluster"} == set(shown[0])
        assert served.http.get("/status").json()["embedder"]["dimensions"] == 384
