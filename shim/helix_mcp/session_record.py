"""What stays of a session: one short memory that says where it was, what was asked and what was said last.

It is a memory of the session, written once and then changed in place. A change is based on what was written last, so
that what a person wrote into it meanwhile is merged and not replaced; what a person has forgotten stays forgotten.
"""

from __future__ import annotations

import os
import time

from helix_mcp.address import percent_encoded
from helix_mcp.digest import SESSION_TAG
from helix_mcp.folders import private
from helix_mcp.rest import GiveUp
from helix_mcp.transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from helix_mcp.rest import Rest

# An agent stops after every answer: a file that changed each time would keep sync clients and git busy.
_BETWEEN_STOPS = 300.0
_LONGEST_PROMPT = 200
_LONGEST_ANSWER = 600
# A session of one "hello" is not worth a file.
_SHORTEST_ANSWER = 80
# A session that nobody went on with for so long is over.
_KEPT = 30 * 24 * 3600.0
_ENDS = {"PreCompact": "before its context was compacted", "SessionEnd": "at its end", "Stop": "so far"}


def record(event: dict[str, Any], rest: Rest, project: str) -> None:
    if event.get("stop_hook_active"):
        raise GiveUp("the agent was stopped by a hook and goes on")
    name, session = str(event["hook_event_name"]), str(event.get("session_id", ""))
    if not session:
        raise GiveUp("the event does not say which session it is of")
    known = _find(rest, session)
    if known and known.get("status") != "active":
        raise GiveUp("the record of this session was forgotten")
    if known and name == "Stop" and _is_fresh(known):
        raise GiveUp("the record of this session is fresh")
    title, text = _title_and_text(event, name, project)
    text += _log_of(rest, session)
    written = LastWritten(rest.state_folder, session)
    if known:
        based_on = {"If-Match": f'"{written.get()}"'}
        answer = rest.ask("PATCH", f"/memory/{known['id']}", {"title": title, "text": text}, based_on)
        written.put(str(answer["hash"]))
        return
    memory = {
        "title": title,
        "text": text,
        "kind": "event",
        "scope": "session",
        "tags": [SESSION_TAG],
        "source": {"agent": "claude-code", "session": session},
        "force": True,  # two sessions may end with the same words, and are two all the same
        **({"project": project} if project else {}),
    }
    answer = rest.ask(
        "POST", "/remember", memory, {"Idempotency-Key": f"claude-code session {session}"[:200]}
    )
    written.put(str(rest.ask("GET", f"/memory/{answer['id']}?format=detailed")["hash"]))


def _log_of(rest: Rest, session: str) -> str:
    """Where its log is, if what the host writes down is taken in."""
    log = f"claude-code-{session}"
    try:
        heads = rest.ask("GET", f"/sessions/{percent_encoded(log)}").get("heads")
    except GiveUp:
        return ""
    return f"\n\nIts log: eventloom://{log}/events/1" if heads else ""


class LastWritten:
    """The hash of a record as it was written last, in the state folder."""

    def __init__(self, state_folder: str, session: str) -> None:
        self._folder = os.path.join(state_folder, "hooks")
        self._file = os.path.join(self._folder, percent_encoded(session)[:200])

    def get(self) -> str:
        try:
            with open(self._file, encoding="ascii") as file:
                return file.read()
        except OSError as error:
            raise GiveUp("what was written last is not known; the record is left as it is") from error

    def put(self, content_hash: str) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        for name in os.listdir(self._folder):
            old = os.path.join(self._folder, name)
            if time.time() - os.stat(old).st_mtime > _KEPT:
                os.unlink(old)
        with open(self._file, "w", encoding="ascii", opener=private) as file:
            file.write(content_hash)


def _find(rest: Rest, session: str) -> dict[str, Any] | None:
    """The record of this session; reading at its scope shows no other session's."""
    query = f"scope=session&kind=event&tag={SESSION_TAG}&format=detailed&include_deleted=true&limit=5&max_tokens=4000"
    results = rest.ask("GET", f"/recent?{query}").get("results")
    for memory in results if isinstance(results, list) else []:
        if memory.get("scope") == "session" and f"session={session}" in str(memory.get("source")):
            return dict(memory)
    return None


def _is_fresh(memory: dict[str, Any]) -> bool:
    """Times in this form sort as text; `time.strptime` would take longer to import than all of this."""
    return str(memory.get("updated", "")) > time.strftime(
        "%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() - _BETWEEN_STOPS)
    )


def _title_and_text(event: dict[str, Any], name: str, project: str) -> tuple[str, str]:
    transcript = Transcript(str(event.get("transcript_path", "")))
    answer = str(event.get("last_assistant_message") or "").strip() or transcript.last_answer
    if len(answer) < _SHORTEST_ANSWER and (transcript.prompts or 0) < 2:
        raise GiveUp("too little was said for a record")
    folder = str(event.get("cwd", ""))
    where = project or os.path.basename(folder) or "no project"
    task = _cut(transcript.first_prompt, 60) or "a session"
    count = f", {transcript.prompts} prompt{'s'[: transcript.prompts - 1]}" if transcript.prompts else ""
    reason = f" ({event['reason']})" if isinstance(event.get("reason"), str) else ""
    moment = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    lines = [f"Claude Code in {folder or where}{count}, {_ENDS[name]}{reason}, {moment}."]
    if transcript.first_prompt:
        lines.append(f"Asked first: {_cut(transcript.first_prompt, _LONGEST_PROMPT)}")
    if transcript.last_prompt and transcript.last_prompt != transcript.first_prompt:
        lines.append(f"Asked last: {_cut(transcript.last_prompt, _LONGEST_PROMPT)}")
    if answer:
        lines.append(f"Said last: {_cut(answer, _LONGEST_ANSWER)}")
    return f"Session in {where}: {task}", "\n\n".join(lines)


def _cut(text: str, length: int) -> str:
    """On one line, at the end of a word."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"
