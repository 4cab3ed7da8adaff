"""helix session, helix cite: the logs of what agents did."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.cli import session_ref
from helix.cli.output import Json, err, out, print_facts, print_json, reports_errors, shortened
from helix.cli.verbs import Verbs, gather, open_verbs
from helix.errors import BadValue

app = typer.Typer(
    help="Read, verify and add to the logs of what agents did.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

Session = Annotated[str, typer.Argument(metavar="SESSION", help="The name of the session.")]
Hash = Annotated[
    str | None,
    typer.Option(
        "--hash", help="The hash of the event, or its first 12 digits; for a session with two ends."
    ),
]
Ref = Annotated[
    str | None,
    typer.Option(help="Up to this point, as it was known then: HEAD, or refs/… as `ref set` made it."),
]
app.add_typer(session_ref.app, name="ref")
_LINE = 160
_STRETCH = 1000


@app.command("list")
@reports_errors
def list_sessions(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
    archived: Annotated[bool, typer.Option("--archived", help="Those that are archived.")] = False,
    as_json: Json = False,
) -> None:
    """List the sessions, the one that something happened in last first."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "sessions", archived=archived), "sessions", limit)
    if as_json:
        print_json(answer)
        return
    for found in answer["sessions"]:
        out.parts(
            (found["session_id"], "bold"), (f"  {_events(found['events'])}  {found['last'][:16]}", "dim")
        )
    if answer["archived"]:
        err.print(f"{answer['archived']} archived; `helix session list --archived` shows them", style="dim")
    elif not answer["sessions"]:
        err.print(
            "none is archived" if archived else "no session has a log yet; `helix session append` begins one"
        )


@app.command()
@reports_errors
def show(context: typer.Context, session: Session, as_json: Json = False) -> None:
    """Say what is known of a session: its events by type, who acted, the ends of its chains."""
    with open_verbs(context) as verbs:
        answer = verbs.ask("session", session_id=session)
    if as_json:
        print_json(answer)
        return
    types = ", ".join(f"{count} {kind}" for kind, count in answer["types"].items())
    print_facts(
        [
            ("session", answer["session_id"]),
            ("events", answer["events"]),
            ("first", answer["first"]),
            ("last", answer["last"]),
            ("by", ", ".join(answer["actors"])),
            ("types", types),
            ("ends", ", ".join(f"{head['seq']}#{head['hash'][:12]}" for head in answer["heads"])),
            ("files", ", ".join(answer["files"])),
        ]
    )


@app.command()
@reports_errors
def replay(
    context: typer.Context,
    session: Session,
    from_seq: Annotated[int, typer.Option("--from", min=1, help="The number of the first event.")] = 1,
    to_seq: Annotated[int | None, typer.Option("--to", min=1, help="The number of the last event.")] = None,
    kind: Annotated[str | None, typer.Option("--type", help="Only events of this type.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="How many at most; all, unless you say so.")
    ] = None,
    ref: Ref = None,
    as_json: Json = False,
) -> None:
    """Print the events of a session in their order, and whether its log verifies."""
    with open_verbs(context) as verbs:
        if ref is not None:
            point = verbs.ask("session_ref", name=ref, session_id=session)
            session, to_seq = point["session_id"], min(point["target_seq"], to_seq or point["target_seq"])
        answer = _replayed(
            verbs, session, limit=limit, from_seq=from_seq, to_seq=to_seq, event_type=kind, ref=ref
        )
    if as_json:
        print_json(answer)
        return
    for event in answer["events"]:
        _print_event(event)
    _print_integrity(answer["integrity"])


@app.command()
@reports_errors
def append(
    context: typer.Context,
    session: Session,
    kind: Annotated[str, typer.Argument(metavar="TYPE", help="A dotted name such as decision.made.")],
    payload: Annotated[
        str, typer.Option(help="A JSON object; `-` reads it from standard input.", metavar="JSON")
    ] = "{}",
    actor: Annotated[str, typer.Option(help="Who did it.")] = "person",
    ref: Annotated[
        str | None, typer.Option(help="Where it was taken from; a session takes one of a name once.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add an event to the log of a session; a decision and the like also become a memory."""
    try:
        content = json.loads(sys.stdin.read() if payload == "-" else payload)
    except ValueError as error:
        raise BadValue(f"the payload is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise BadValue('the payload is a JSON object, such as {"decision": "Use PostgreSQL"}')
    with open_verbs(context) as verbs:
        answer = verbs.ask(
            "session_append",
            session_id=session,
            event_type=kind,
            actor=actor,
            payload=content,
            external_ref=ref,
        )
    if as_json:
        print_json(answer)
        return
    out.print(answer["citation"])
    if memory := answer.get("memory"):
        err.print(f"{memory['status']}: {memory['id']}", style="dim")
    if answer.get("degraded"):
        err.print(answer["degraded"], style="yellow")


@app.command()
@reports_errors
def verify(context: typer.Context, session: Session, as_json: Json = False) -> None:
    """Read the whole log of a session, and say where its chain is broken; the exit status is 1 then."""
    with open_verbs(context) as verbs:
        answer = verbs.ask("session_verify", session_id=session)
    if as_json:
        print_json(answer)
    else:
        _print_integrity(answer)
    if not answer["ok"]:
        raise typer.Exit(1)


@app.command()
@reports_errors
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words that were said, in any script.")],
    session: Annotated[str | None, typer.Option(help="Only of this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 10,
    ref: Ref = None,
    as_json: Json = False,
) -> None:
    """Find what was said word for word, with citations."""
    with open_verbs(context) as verbs:
        answer = gather(
            partial(verbs.ask, "session_verbatim", query=query, session_id=session, ref=ref), "results", limit
        )
    if as_json:
        print_json(answer)
        return
    for hit in answer["results"]:
        out.print(hit["citation"][: -64 + 12], style="bold")
        out.print(shortened(" ".join(hit["content"].split()), _LINE), indent=2)
    if not answer["results"]:
        err.print("nobody said that in a session")


@app.command()
@reports_errors
def query(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="The question.")],
    at: Annotated[
        str | None, typer.Option(help="What held at this time, such as 2026-06-18; now, unless you say so.")
    ] = None,
    session: Annotated[
        list[str] | None, typer.Option(help="Only what this session stated; may be given several times.")
    ] = None,
    ref: Ref = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 10,
    as_json: Json = False,
) -> None:
    """Find facts, as they hold now or held at a time, with their citations."""
    with open_verbs(context) as verbs:
        ask = partial(verbs.ask, "session_query", query=query, held_at=at, session_ids=session or [], ref=ref)
        answer = gather(ask, "facts", limit)
    if as_json:
        print_json(answer)
        return
    for fact in answer["facts"]:
        since, until = (fact["valid_from"] or "")[:10], (fact["valid_to"] or "")[:10]
        out.parts((fact["citation"], "bold"), (f"  {since} to {until or 'now'}", "dim"))
        out.print(shortened(" ".join(fact["content"].split()), _LINE), indent=2)
    if not answer["facts"]:
        err.print("no fact answers that")


@app.command()
@reports_errors
def checkout(
    context: typer.Context,
    session: Session,
    query: Annotated[str, typer.Argument(help="The question.")],
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many facts at most.")] = 10,
    max_tokens: Annotated[int, typer.Option(min=64, help="The whole answer fits in so many tokens.")] = 4000,
    ref: Ref = None,
    as_json: Json = False,
) -> None:
    """Say what memory knows of a question, with citations, and whether it can be answered from it."""
    with open_verbs(context) as verbs:
        answer = verbs.ask(
            "session_checkout",
            session_id=session,
            query=query,
            limit=limit,
            max_tokens=max_tokens,
            ref=ref,
        )
    if as_json:
        print_json(answer)
        return
    out.print(answer["prompt"])


@app.command()
@reports_errors
def export(context: typer.Context, session: Session) -> None:
    """Print the log of a session as one chain of JSON lines; of two that went on at once, the longer."""
    with open_verbs(context) as verbs:
        part: dict[str, Any] = {"next_seq": 1}
        while part["next_seq"] is not None:
            part = verbs.ask(
                "session_export", session_id=session, from_seq=part["next_seq"], head=part.get("head")
            )
            for line in part["lines"]:
                sys.stdout.write(f"{line}\n")


@app.command("import")
@reports_errors
def import_log(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A log, such as SESSION.jsonl.")],
    allow_secrets: Annotated[
        bool, typer.Option("--allow-secrets", help="Take lines that hold credentials too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Take over a log that was sealed elsewhere, line by line as it is. It is verified first, and taken once."""
    from helix.vault.log.log_import import read_log_file

    log = read_log_file(file, allow_secrets=allow_secrets)
    answer: dict[str, Any] = {"session_id": log.session, "imported": 0, "known": 0, "memories": 0}
    with open_verbs(context) as verbs:
        for first_line, lines in log.batches():
            part = verbs.ask(
                "session_import",
                session_id=log.session,
                lines=lines,
                first_line=first_line,
                allow_secrets=allow_secrets,
            )
            for name in ("imported", "known", "memories"):
                answer[name] += part[name]
            if part.get("degraded"):
                answer["degraded"] = part["degraded"]
    if as_json:
        print_json(answer)
        return
    out.print(
        f"{log.session}: {_events(answer['imported'])} imported, {answer['known']} there already,"
        f" {answer['memories']} memories written or changed"
    )
    if answer.get("degraded"):
        err.print(answer["degraded"], style="yellow")


@app.command()
@reports_errors
def archive(context: typer.Context, session: Session, as_json: Json = False) -> None:
    """Move the log of a session to where nothing reads it, until it is brought back or goes on."""
    _move(context, "session_archive", session, as_json)


@app.command()
@reports_errors
def restore(context: typer.Context, session: Session, as_json: Json = False) -> None:
    """Bring an archived session back."""
    _move(context, "session_restore", session, as_json)


def _move(context: typer.Context, what: str, session: str, as_json: bool) -> None:
    with open_verbs(context) as verbs:
        answer = verbs.ask(what, session_id=session)
    if as_json:
        print_json(answer)
    else:
        out.print(f"{session} {answer['status']}")


@app.command()
@reports_errors
def erase(
    context: typer.Context,
    session: Session,
    seq: Annotated[int, typer.Argument(min=1, help="The number of the event.")],
    event_hash: Hash = None,
    through: Annotated[
        int | None, typer.Option(min=1, help="Erase every event from SEQ to this number.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Erase the content of an event for good; its hash stays, so that the chain still verifies."""
    with open_verbs(context) as verbs:
        answer = verbs.ask(
            "session_erase", session_id=session, seq=seq, event_hash=event_hash, through=through
        )
    if as_json:
        print_json(answer)
        return
    what = f"event {answer['seq']}" if answer["erased"] == 1 else f"{answer['erased']} events"
    out.print(f"erased {what} of {session}")
    if answer["memory_id"]:
        err.print(f"the memory {answer['memory_id']} was made of it; `helix forget --hard` erases that too")
    err.print("git and sync services keep versions of their own; see docs/log-format.md", style="dim")


@app.command()
@reports_errors
def invalidate(
    context: typer.Context,
    session: Session,
    name: Annotated[
        str, typer.Argument(help="What it was stated as; or the id, title or citation of a memory.")
    ],
    kind: Annotated[str, typer.Option("--type", help="Such as decision or preference.")] = "memory",
    at: Annotated[
        str | None, typer.Option(help="Since when it no longer holds; now, unless you say so.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    actor: Annotated[str, typer.Option(help="Who says so.")] = "person",
    as_json: Json = False,
) -> None:
    """Say that what was stated no longer holds; the exit status is 1 when nothing matches."""
    with open_verbs(context) as verbs:
        answer = verbs.ask(
            "session_invalidate",
            session_id=session,
            entity_name=name,
            entity_type=kind,
            invalid_at=at,
            reason=reason,
            actor=actor,
        )
    if as_json:
        print_json(answer)
    elif answer["status"] == "invalidated":
        out.print(f"{answer['memory_id']} held until {answer['valid_until']}")
    elif answer["status"] == "noop":
        out.print(f"{answer['memory_id']} held no longer already")
    else:
        err.print(f"nothing is called {shortened(name, _LINE)!r}", style="yellow")
    if answer["status"] == "nothing_matched":
        raise typer.Exit(1)


@reports_errors
def cite(
    context: typer.Context,
    uri: Annotated[str, typer.Argument(metavar="CITATION", help="eventloom://SESSION/events/SEQ#HASH")],
    as_json: Json = False,
) -> None:
    """Print the event that a citation names."""
    with open_verbs(context) as verbs:
        answer = verbs.ask("cite", uri=uri)
    if as_json:
        print_json(answer)
        return
    _print_event(answer["event"], whole=True)
    if answer["memory_id"]:
        err.print(f"memory: {answer['memory_id']}", style="dim")


def _replayed(
    verbs: Verbs,
    session: str,
    *,
    limit: int | None,
    from_seq: int = 1,
    to_seq: int | None = None,
    **wanted: Any,
) -> dict[str, Any]:
    """A stretch of the log at a time: one listing of a long one would be carried from page to page."""
    ask = partial(verbs.ask, "session_replay", session_id=session, **wanted)
    last = max(head["seq"] for head in verbs.ask("session", session_id=session)["heads"])
    events: list[Any] = []
    first: dict[str, Any] = {}
    for start in range(from_seq, min(last, to_seq or last) + 1, _STRETCH):
        end = min(start + _STRETCH - 1, to_seq or last)
        left = None if limit is None else limit - len(events)
        page = gather(partial(ask, from_seq=start, to_seq=end), "events", left)
        first = first or page
        events += page["events"]
        if limit is not None and len(events) >= limit:
            break
    return {**(first or ask(from_seq=from_seq, limit=1)), "events": events}


def _print_event(event: dict[str, Any], *, whole: bool = False) -> None:
    out.parts(
        (f"{event['seq']}", "bold"),
        (f"  {event['timestamp'][:19]}  {event['type']}  {event['actor']}", "dim"),
    )
    if event.get("erased_at"):
        out.print(f"(erased {event['erased_at']})", indent=2)
    elif whole:
        out.print(json.dumps(event["payload"], ensure_ascii=False, indent=2), indent=2)
    else:
        out.print(shortened(json.dumps(event["payload"], ensure_ascii=False), _LINE), indent=2)


def _print_integrity(integrity: dict[str, Any]) -> None:
    erased = f", {integrity['erased']} of them erased" if integrity["erased"] else ""
    if integrity["ok"]:
        out.print(f"verified: {_events(integrity['total_events'])}{erased}")
    else:
        for problem in integrity["problems"]:
            err.print(f"{problem['path']}:{problem['line']}: {problem['reason']}", style="yellow")
        err.print(f"the chain is broken; {_events(integrity['total_events'])} can be read{erased}")
    if len(integrity["heads"]) > 1:
        err.print(
            f"{len(integrity['heads'])} ends: two machines went on at once, and both are kept", style="dim"
        )


def _events(count: int) -> str:
    return f"{count} event{'' if count == 1 else 's'}"
