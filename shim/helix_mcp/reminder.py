"""A reminder, once in a long session: before the agent stops, to write what a later session should know."""

from __future__ import annotations

import os

from helix_mcp.address import percent_encoded
from helix_mcp.folders import private
from helix_mcp.rest import GiveUp
from helix_mcp.transcript import Transcript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from helix_mcp.rest import Rest

_WORDS = (
    "Before you stop: if this session settled something that a later one should know (a decision with its reason, a "
    "preference of the user, what took long to find out) and it is not kept yet, write it with memory_write, one "
    "memory for each. If there is nothing, stop without a word about this."
)
_LONG = 8
"""prompts; the daemon says so too, but most sessions are shorter and it need not be asked"""


def reminder(event: dict[str, Any], rest: Rest) -> str:
    """What the agent is told in place of stopping; empty when it may stop."""
    session = str(event.get("session_id", ""))
    if event.get("hook_event_name") != "Stop" or event.get("stop_hook_active") or not session:
        return ""
    transcript = Transcript(str(event.get("transcript_path", "")))
    # One that is too long to be counted is long.
    turns = _LONG if transcript.prompts is None and transcript.last_prompt else transcript.prompts or 0
    folder = os.path.join(rest.state_folder, "hooks")
    note = os.path.join(folder, f"{percent_encoded(session)[:190]}.reminded")
    if turns < _LONG or os.path.exists(note):
        return ""
    log = percent_encoded(f"claude-code-{session}"[:128])
    asked = {"trigger": "stop", "turn_count": turns, "source": "claude-code"}
    try:
        answer = rest.ask("POST", f"/sessions/{log}/reminder", asked).get("reminder")
    except GiveUp:
        return ""
    if not isinstance(answer, dict) or "long_session" not in answer.get("reasons", ()):
        return ""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with open(note, "w", encoding="ascii", opener=private):
        return _WORDS
