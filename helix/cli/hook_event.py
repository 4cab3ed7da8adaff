"""helix hook-event: for the hooks of any agent, one line that adds to the log of a session."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from helix.capture.hook_event import TRIGGERS
from helix.capture.hook_event import hook_event as event_of
from helix.cli.output import Json, err, out, print_json, reports_errors
from helix.cli.verbs import open_verbs
from helix.errors import BadValue

Text = str | None
Number = int | None


@reports_errors
def hook_event(
    context: typer.Context,
    trigger: Annotated[str, typer.Argument(metavar="TRIGGER", help=f"{', '.join(TRIGGERS)}.")],
    session: Annotated[str, typer.Option("--session", "--session-id", help="The session.")] = "default",
    source: Annotated[str, typer.Option(help="Which agent it is.")] = "generic",
    workspace: Annotated[Text, typer.Option(help="The folder that it works in.")] = None,
    transcript_path: Annotated[Text, typer.Option(help="Where its transcript is.")] = None,
    summary: Annotated[Text, typer.Option(help="What happened, in a sentence.")] = None,
    reason: Annotated[Text, typer.Option(help="Why the hook was run.")] = None,
    turn_count: Annotated[Number, typer.Option(min=0, help="How many turns there were.")] = None,
    command: Annotated[Text, typer.Option(help="command: what was run.")] = None,
    exit_code: Annotated[Number, typer.Option(help="command: how it ended.")] = None,
    duration_ms: Annotated[Number, typer.Option(min=0, help="command: how long it took.")] = None,
    stdout: Annotated[Text, typer.Option(help="command: what it printed; 240 characters are kept.")] = None,
    stderr: Annotated[Text, typer.Option(help="command: what it complained of; 240 characters.")] = None,
    path: Annotated[Text, typer.Option(help="file-edit: which file.")] = None,
    operation: Annotated[Text, typer.Option(help="file-edit: what was done; `modified`, else.")] = None,
    line_count: Annotated[Number, typer.Option(min=0, help="file-edit: how many lines.")] = None,
    tool_name: Annotated[Text, typer.Option(help="tool-call: which tool.")] = None,
    tool_status: Annotated[Text, typer.Option(help="tool-call: how it ended; `ok`, else.")] = None,
    call_id: Annotated[Text, typer.Option(help="tool-call: the id of the call.")] = None,
    arguments_json: Annotated[
        Text, typer.Option(help="tool-call: a JSON object; only its keys are kept.")
    ] = None,
    result_summary: Annotated[
        Text, typer.Option(help="tool-call: 240 characters of what came of it.")
    ] = None,
    role: Annotated[Text, typer.Option(help="transcript-turn: who spoke.")] = None,
    content: Annotated[Text, typer.Option(help="transcript-turn: what was said.")] = None,
    turn_index: Annotated[Number, typer.Option(min=0, help="transcript-turn: which turn it is.")] = None,
    ref: Annotated[
        Text, typer.Option(help="Where it was taken from; a session takes one of a name once.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add what a hook saw to the log of a session.

    Credentials are replaced; of files and arguments nothing is kept but their names.
    """
    given = {
        "source": source, "workspace": workspace, "transcript_path": transcript_path, "summary": summary,
        "reason": reason, "turn_count": turn_count, "command": command, "exit_code": exit_code,
        "duration_ms": duration_ms, "stdout": stdout, "stderr": stderr, "path": path, "operation": operation,
        "line_count": line_count, "tool_name": tool_name, "tool_status": tool_status, "call_id": call_id,
        "arguments": _arguments(arguments_json), "result_summary": result_summary, "role": role,
        "content": content, "turn_index": turn_index,
    }  # fmt: skip
    event = event_of(trigger, given)
    with open_verbs(context, writes=True) as verbs:
        answer = verbs.ask(
            "session_append",
            session_id=session,
            event_type=event.type,
            actor=event.actor,
            payload=event.payload,
            external_ref=ref,
        )
    if as_json:
        print_json({**answer, "type": event.type})
        return
    out.print(answer["citation"])
    if answer.get("degraded"):
        err.print(answer["degraded"], style="yellow")


def _arguments(text: Text) -> dict[str, object]:
    try:
        given = json.loads(text or "{}")
    except ValueError as error:
        raise BadValue(f"--arguments-json is not JSON: {error}") from error
    if not isinstance(given, dict):
        raise BadValue("--arguments-json is a JSON object")
    return given
