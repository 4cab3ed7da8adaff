"""Logs are taken over as they were sealed, verified first and taken once; what is exported is the same again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from helix.errors import BadValue, SecretRefused
from helix.sessions import append, portability, reading, refs, verbatim
from helix.vault.log.event import EventDraft, LogEvent, canonical
from helix.vault.log.log_import import read_log_file
from helix.vault.log.session_logs import SessionLogs
from helix.vault.paths import Root
from tests.docs.test_log_format import verify_by_page
from tests.memory.world import ME, World, opened

DECISION = {"decision": "The lions get a pond"}


def _v1(seq: int, kind: str, payload: dict[str, Any], before: str | None) -> tuple[str, str]:
    """A line of the other envelope, made by its rule and not by ours; and its hash."""
    stamp = f"2026-01-01T00:00:{seq:02}Z"
    key = canonical({"actor": "agent", "seq": seq, "timestamp": stamp, "type": kind})
    line: dict[str, Any] = {
        "id": f"evt_zaxy_{seq:012}_{hashlib.sha256(key).hexdigest()[:16]}", "type": kind, "actorId": "agent",
        "threadId": "zoo", "parentEventId": None, "causedBy": [], "timestamp": stamp,
        "payload": {**payload, "__zaxy_security": {"sensitivity": "public", "redacted_paths": []}},
    }  # fmt: skip
    previous = None if before is None else f"sha256:{before}"
    digest = hashlib.sha256(canonical({"event": line, "previousHash": previous})).hexdigest()
    line["integrity"] = {"hash": f"sha256:{digest}", "previousHash": previous}
    return json.dumps(line, ensure_ascii=False), digest


def _made(place: Path, *payloads: dict[str, Any]) -> list[str]:
    """The lines of a log that another machine sealed."""
    place.mkdir(exist_ok=True)
    drafts = [
        EventDraft("decision.made" if "decision" in payload else "transcript.turn", "agent", payload)
        for payload in payloads
    ]
    return _lines(SessionLogs(Root(place), lambda: "other").append("zoo", drafts))


def _lines(events: list[LogEvent]) -> list[str]:
    return [event.to_line().decode().rstrip("\n") for event in events]


def _import(world: World, lines: list[str], **how: Any) -> Any:
    return portability.import_log(world.service.request(ME), session_id="zoo", lines=lines, **how)


def _export(world: World, **how: Any) -> list[str]:
    lines: list[str] = []
    part: Any = {"next_seq": 1, "head": None}
    while part["next_seq"] is not None:
        part = portability.export_log(
            world.service.request(ME), session_id="zoo", from_seq=part["next_seq"], head=part["head"], **how
        )
        lines += part["lines"]
    return lines


def test_what_is_imported_is_found_cited_and_learned_and_is_exported_the_same(
    world: World, tmp_path: Path
) -> None:
    lines = _made(tmp_path / "there", {"content": "lions swim"}, DECISION, {"content": "they do"})
    answer = _import(world, lines)
    assert (answer["imported"], answer["known"], answer["memories"]) == (3, 0, 1)
    assert world.found("lions pond")
    [hit] = verbatim.verbatim(world.service.request(ME), query="swim")["results"]
    assert reading.cite(world.service.request(ME), uri=hit["citation"])["event"]["seq"] == 1
    assert reading.verify(world.service.request(ME), session_id="zoo")["ok"]
    assert _export(world) == lines
    assert _export(world, limit=2) == lines


def test_it_is_taken_once_and_a_log_that_grew_is_continued(world: World, tmp_path: Path) -> None:
    first = _made(tmp_path / "there", {"content": "one"}, {"content": "two"})
    assert _import(world, first)["imported"] == 2
    before = world.folder / "sessions/zoo"
    files = {file: file.read_bytes() for file in before.iterdir()}
    assert (_import(world, first)["imported"], _import(world, first)["known"]) == (0, 2)
    assert {file: file.read_bytes() for file in before.iterdir()} == files
    grown = [*first, *_made(tmp_path / "there", {"content": "three"}, {"content": "four"})]
    answer = _import(world, grown)
    assert (answer["imported"], answer["known"]) == (2, 2)
    assert len(list(before.iterdir())) == 1
    assert _export(world) == grown
    # In parts, as a long one is sent.
    assert _import(world, grown[2:3], first_line=3)["known"] == 1


def test_what_happens_here_afterwards_continues_the_chain(world: World, tmp_path: Path) -> None:
    lines = _made(tmp_path / "there", {"content": "one"}, {"content": "two"})
    _import(world, lines)
    request = world.service.request(ME)
    assert append.append(request, session_id="zoo", event_type="a.b", actor="x", payload={})["seq"] == 3
    more = _made(tmp_path / "there", {"content": "three, elsewhere"})
    assert _import(world, [*lines, *more])["imported"] == 1
    verified = reading.verify(request, session_id="zoo")
    assert verified["ok"]
    assert len(verified["heads"]) == 2


def test_an_export_goes_into_another_vault_and_comes_back(tmp_path: Path) -> None:
    with opened(tmp_path / "one") as world:
        for kind, payload in (
            ("decision.made", DECISION),
            ("transcript.turn", {"content": "löwen\u2028schwimmen"}),
        ):
            append.append(
                world.service.request(ME), session_id="zoo", event_type=kind, actor="x", payload=payload
            )
        exported = _export(world)
        with opened(tmp_path / "two") as other:
            assert _import(other, exported)["imported"] == 2
            assert _export(other) == exported
            assert other.found("lions pond")
        assert _import(world, exported)["known"] == 2
    log = tmp_path / "zoo.jsonl"
    log.write_text("".join(f"{line}\n" for line in exported), "utf-8")
    assert verify_by_page(log)[1].startswith("verified: 2 events")


def test_both_envelopes_are_taken_in_one_log(world: World, tmp_path: Path) -> None:
    first, first_hash = _v1(1, "transcript.turn", {"role": "user", "content": "lions swim"}, None)
    second, second_hash = _v1(2, "decision.made", DECISION, first_hash)
    fields = {
        "seq": 3, "timestamp": "2026-01-01T00:00:03Z", "type": "hook.session_started", "actor": "hook", "thread": "zoo",
        "payload": {"n": "ö"}, "prev_hash": second_hash, "security": {"sensitivity": "public", "redacted_paths": []},
    }  # fmt: skip
    third = json.dumps({**fields, "hash": hashlib.sha256(canonical(fields)).hexdigest()}, ensure_ascii=False)
    lines = [first, second, third]
    assert _import(world, lines[:1])["imported"] == 1
    assert _import(world, lines)["imported"] == 2
    assert reading.verify(world.service.request(ME), session_id="zoo")["ok"]
    assert [json.loads(line) for line in _export(world)] == [json.loads(line) for line in lines]
    assert world.found("lions pond")


def test_a_line_that_cannot_be_taken_is_named_and_nothing_is_taken(world: World, tmp_path: Path) -> None:
    lines = _made(tmp_path / "there", {"content": "one"}, {"content": "two"}, {"content": "three"})
    other = _made(tmp_path / "else", {"content": "one"})
    for wrong, why in (
        ([*lines[:2], lines[2].replace("three", "nine")], "line 3: Event 3 hash mismatch"),
        ([lines[0], lines[2]], "line 2: Event 3 prev_hash does not link"),
        ([lines[1]], "line 1: the event before it is not there"),
        ([*lines, "{"], "line 4: it is not JSON"),
        ([*lines, *other], "line 4: it is not the first line"),
        ([*lines, "[]"], "line 4: it is not a JSON object"),
        ([lines[0].replace('"thread":"zoo"', '"thread":"ape"')], "line 1: it belongs to session 'ape'"),
    ):
        with pytest.raises(BadValue, match=why):
            _import(world, wrong)
        file = tmp_path / "wrong.jsonl"
        file.write_text("\n".join(wrong), "utf-8")
        if "ape" not in why:
            with pytest.raises(BadValue, match=why):
                read_log_file(file)
    assert not (world.folder / "sessions").exists()


def test_a_credential_in_a_sealed_line_is_refused_unless_it_is_wanted(world: World) -> None:
    secret = {"content": "the key is AKIAIOSFODNN7EXAMPLQ"}
    line, _ = _v1(1, "transcript.turn", secret, None)
    with pytest.raises(SecretRefused, match="line 1"):
        _import(world, [line])
    assert _import(world, [line], allow_secrets=True)["imported"] == 1
    redacted, _ = _v1(1, "tool.used", {"api_key": "[REDACTED]"}, None)
    assert _import(world, [redacted])["imported"] == 1


def test_refs_come_with_their_log(world: World, tmp_path: Path) -> None:
    with opened(tmp_path / "one") as one:
        request = one.service.request(ME)
        append.append(request, session_id="zoo", event_type="a.b", actor="x", payload={})
        refs.set_ref(request, session_id="zoo", name="refs/x")
        log = [
            line
            for name in ("zoo", "__refs__")
            for line in [portability.export_log(request, session_id=name)["lines"]]
        ]
    _import(world, log[0])
    portability.import_log(world.service.request(ME), session_id="__refs__", lines=log[1])
    assert refs.ref(world.service.request(ME), name="refs/x")["target_seq"] == 1


def test_a_file_is_sent_in_parts_that_fit_into_a_request(tmp_path: Path) -> None:
    lines = _made(tmp_path / "there", *({"content": f"{n} {'x' * 9000}"} for n in range(450)))
    file = tmp_path / "zoo.jsonl"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    log = read_log_file(file)
    parts = list(log.batches())
    assert [line for _, part in parts for line in part] == lines
    assert [first for first, _ in parts] == [
        1 + sum(len(part) for _, part in parts[:at]) for at in range(len(parts))
    ]
    assert all(sum(map(len, part)) <= 1024 * 1024 for _, part in parts)
    assert log.session == "zoo"
    with opened(tmp_path / "here") as world:
        for first_line, part in parts:
            _import(world, list(part), first_line=first_line)
        assert _export(world) == lines
    for text, why in (("", "empty"), ("\n\n", "empty")):
        file.write_text(text)
        with pytest.raises(BadValue, match=why):
            read_log_file(file)
