"""The memories that a session was told last, kept for the next one: it is told these when the daemon takes too long.

They lie in the state folder of the vault, one file for each project. The notes in the vault are the truth: with each
memory stands how its file looked, and one whose file is gone or was written since (edited, forgotten, erased) is left
out. What is erased leaves this file, too (`helix.memory.erasure`).
"""

from __future__ import annotations

import json
import os
import time

from helix_mcp.address import percent_encoded
from helix_mcp.folders import private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from helix_mcp.rest import Rest

FOLDER = "digests"
_DAEMON_FILE = "daemon.json"
_HEADING = "\n## "
_BEGIN, _END = '<memory id="', "\n</memory>"
# A file that was written this shortly before the question may have been written after it, as coarse as clocks are.
_MARGIN = 1_000_000_000
_KEPT = 30 * 24 * 3600.0
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


class KeptDigest:
    def __init__(self, state_folder: str, url: str, project: str, budget: int) -> None:
        vault = _vault_at(os.path.join(state_folder, "vaults"), url)
        self._folder = os.path.join(vault, FOLDER) if vault else ""
        # The budget is part of the name: what was packed for a larger one must not be told for a smaller.
        self._file = os.path.join(self._folder, f"{percent_encoded(project)[:200]}.{budget}.json")
        self._project = project

    def find(self) -> str:
        """What can be told of it; empty when there is nothing."""
        parts = self._standing(self._read())
        if not any(part.get("id") for part in parts):
            return ""
        return "\n".join([f"(As of {_age(self._file)} ago: the daemon took too long.)", *_texts(parts)])

    def _standing(self, kept: dict[str, Any]) -> list[dict[str, Any]]:
        """The parts without the memories whose files are other ones by now."""
        root = str(kept.get("vault", ""))
        return [
            part
            for part in kept.get("parts", [])
            if not part.get("id") or _looks(root, part.get("path")) == part.get("looks")
        ]

    def keep(self, context: str, rest: Rest, asked: int) -> None:
        """`asked` is when the daemon was asked for it, in nanoseconds of the clock on the wall."""
        if not self._folder:
            return
        before = self._read()
        paths = {part["id"]: str(part.get("path")) for part in before.get("parts", []) if part.get("id")}
        root = str(before.get("vault") or rest.ask("GET", "/healthz").get("vault", ""))
        parts = [_part(text, rest, paths, root, asked) for text in _split(context)]
        kept = {"project": self._project, "vault": root, "parts": [part for part in parts if part]}
        if kept == before:
            os.utime(self._file)
            return
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        self._discard_old()
        draft = f"{self._file}.{os.getpid()}"
        with open(draft, "w", encoding="utf-8", opener=private) as file:
            json.dump(kept, file)
        # What was erased meanwhile must not come back: an erasure takes the draft away, or came before this look.
        if self._standing(kept) == kept["parts"]:
            os.replace(draft, self._file)
        else:
            os.unlink(draft)

    def _read(self) -> dict[str, Any]:
        if not self._folder:
            return {}
        try:
            with open(self._file, encoding="utf-8") as file:
                kept = json.load(file)
        except (OSError, ValueError):
            return {}
        if not isinstance(kept, dict) or kept.get("project") != self._project:
            return {}
        parts = kept.get("parts")
        return kept if isinstance(parts, list) and all(isinstance(part, dict) for part in parts) else {}

    def _discard_old(self) -> None:
        for name in os.listdir(self._folder):
            path = os.path.join(self._folder, name)
            if time.time() - os.stat(path).st_mtime > _KEPT:
                os.unlink(path)


def erase_digests(vault_state: str, memory_ids: Sequence[str]) -> bool:
    """Remove every digest of a vault that has one of these memories in it."""
    folder = os.path.join(vault_state, FOLDER)
    wanted = [json.dumps(one)[1:-1].encode() for one in memory_ids]
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            text = file.read()
        if any(one in text for one in wanted):
            os.unlink(path)
    return True


def _vault_at(vaults: str, url: str) -> str:
    """The folder of the vault whose daemon answers there; empty when none says so."""
    found: list[tuple[float, str]] = []
    try:
        for name in os.listdir(vaults):
            path = os.path.join(vaults, name, _DAEMON_FILE)
            try:
                with open(path, encoding="utf-8") as file:
                    if json.load(file).get("url") == url:
                        found.append((os.stat(path).st_mtime, os.path.join(vaults, name)))
            except (OSError, ValueError, AttributeError):
                continue  # no daemon runs on this one
    except OSError:
        return ""
    return max(found)[1] if found else ""


def _part(text: str, rest: Rest, paths: dict[str, str], root: str, asked: int) -> dict[str, Any] | None:
    """None for a memory whose file cannot be told to be the one that was read."""
    if not text.startswith(_BEGIN):
        return {"text": text}
    memory_id = text[len(_BEGIN) :].partition('"')[0]
    path = paths.get(memory_id) or _path_of(rest, memory_id)
    looks = _looks(root, path)
    if looks is None or max(looks[:2]) > asked - _MARGIN:
        return None
    return {"text": text, "id": memory_id, "path": path, "looks": looks}


def _path_of(rest: Rest, memory_id: str) -> str:
    return str(rest.ask("GET", f"/memory/{percent_encoded(memory_id)}?format=detailed").get("path", ""))


def _looks(root: str, path: object) -> list[int] | None:
    """How a file looks from outside; None when it is not there."""
    try:
        found = os.stat(os.path.join(root, str(path)))
    except (OSError, ValueError):
        return None
    return [found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino]


def _split(context: str) -> list[str]:
    """Memories, each as a part of its own, and the lines between them. What is in a memory closes no fence."""
    parts: list[str] = []
    while context:
        before, begin, rest = context.partition(_BEGIN)
        opening, heading, name = before.removesuffix("\n").rpartition(_HEADING)
        parts += [one for one in (opening.removesuffix("\n"), heading + name) if one]
        inside, end, context = rest.partition(_END)
        parts += [begin + inside + end] if begin else []
        context = context.removeprefix("\n")
    return parts


def _texts(parts: list[dict[str, Any]]) -> list[str]:
    """Without the headings under which nothing is left."""
    texts = []
    for position, part in enumerate(parts):
        following = parts[position + 1] if position + 1 < len(parts) else {}
        if not str(part.get("text")).startswith(_HEADING) or following.get("id"):
            texts.append(str(part.get("text")))
    return texts


def _age(path: str) -> str:
    seconds = max(time.time() - os.stat(path).st_mtime, 1)
    length, name = next(unit for unit in _UNITS if seconds >= unit[0])
    count = int(seconds // length)
    return f"{count} {name}{'s' if count > 1 else ''}"
