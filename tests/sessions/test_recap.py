"""What the last sessions of a project left in their logs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from helix.memory.place import Place
from helix.memory.principal import Principal
from helix.sessions import append
from helix.sessions.recap import recap
from tests.memory.world import World


def _add(world: World, session: str, kind: str, **payload: Any) -> Any:
    request = world.service.request(Place())
    return append.append(request, session_id=session, event_type=kind, actor="agent", payload=payload)


def _start(world: World, session: str, folder: Path) -> None:
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    _add(world, session, "hook.session_started", workspace=str(folder))


def _said(world: World, project: str = "gateway", **how: Any) -> list[str]:
    answer = recap(world.service.request(Place(project)), **how)
    return [line.partition(" (eventloom")[0] for line in answer["text"].splitlines()]


def test_hand_over_open_tasks_and_decisions_of_the_project_come_first(world: World, tmp_path: Path) -> None:
    _start(world, "s1", tmp_path / "gateway")
    _start(world, "s2", tmp_path / "shop")
    _add(world, "s1", "transcript.turn", role="user", content="make the gateway retry")
    _add(world, "s1", "decision.made", decision="Retry 3 times")
    _add(world, "s1", "task.proposed", taskId="t1", title="Write the docs")
    _add(world, "s1", "task.proposed", taskId="t2", title="Cap the retries")
    _add(world, "s1", "task.completed", taskId="t2", title="Cap the retries")
    handed = _add(world, "s1", "handoff.created", summary="Retries work", next_steps=["write the docs"])
    _add(world, "s1", "transcript.turn", role="assistant", content="Done.\n\nRetries have a cap.")
    _add(world, "s2", "decision.made", decision="Sell shoes")
    assert _said(world) == [
        "- Handed over: Retries work",
        "- Next: write the docs",
        "- Open: Write the docs",
        "- Decided: Retry 3 times",
        "- Asked first: make the gateway retry",
        "- Said last: Done. Retries have a cap.",
    ]
    assert handed["citation"] in recap(world.service.request(Place("gateway")))["text"]
    assert _said(world, "shop") == ["- Decided: Sell shoes"]
    assert _said(world, "nothing") == []


def test_the_session_that_asks_is_left_out_and_the_budget_holds(world: World, tmp_path: Path) -> None:
    _start(world, "claude-code-abc", tmp_path / "gateway")
    _add(world, "claude-code-abc", "decision.made", decision="Mine")
    assert _said(world, without="abc") == []
    _start(world, "codex-old", tmp_path / "gateway")
    for number in range(20):
        _add(world, "codex-old", "decision.made", decision=f"Decision {number} " + "with reasons " * 30)
    answer = recap(world.service.request(Place("gateway")), without="abc", max_tokens=300)
    assert answer["tokens_used"] <= 300
    assert answer["sessions"] == ["codex-old"]
    assert answer["text"].startswith("- Decided: Decision 19")


def test_what_is_erased_is_not_told_and_a_stranger_is_told_nothing(world: World, tmp_path: Path) -> None:
    _start(world, "s1", tmp_path / "gateway")
    _add(world, "s1", "decision.made", decision="Retry 3 times")
    append.erase(world.service.request(Place()), session_id="s1", seq=2)
    assert _said(world) == []
    _add(world, "s1", "decision.made", decision="Retry 4 times")
    stranger = world.workspace.request(Principal("stranger"), Place("gateway"))
    assert recap(stranger)["text"] == ""
