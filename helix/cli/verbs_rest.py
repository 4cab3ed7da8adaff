"""The verbs as a running daemon does them, over REST."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from helix.cli.output import Progress
from helix.cli.verbs import CLIENT, ROOM, Payload, Standing, gather
from helix.daemon_client import PATIENCE, Daemon

_READING_PATIENCE = 60.0


class RestVerbs:
    def __init__(self, daemon: Daemon, standing: Standing) -> None:
        self._daemon = daemon
        self._scope = standing.scope
        self._headers = {"Helix-Client": CLIENT}
        if standing.project:
            self._headers["Helix-Project"] = quote(standing.project, safe="")

    def remember(self, wish: Mapping[str, Any]) -> Payload:
        return self._post("/remember", wish)

    def recall(self, question: str, *, filters: Mapping[str, str], **words: Any) -> Payload:
        return self._get("/recall", q=question, scope=self._scope, format="detailed", **filters, **words)

    def context(self, task: str, *, filters: Mapping[str, str], **words: Any) -> Payload:
        asked = {"task": task, "scope": self._scope, "filters": dict(filters), **words}
        return self._post("/context", asked, _READING_PATIENCE)

    def get(self, memory_id: str, **words: Any) -> Payload:
        return self._get(f"/memory/{_in_path(memory_id)}", **words)

    def recent(self, *, filters: Mapping[str, str], **words: Any) -> Payload:
        return self._get("/recent", scope=self._scope, format="detailed", **filters, **words)

    def graph(self, **words: Any) -> Payload:
        return self._get("/graph", scope=self._scope, **words)

    def neighbors(self, memory_id: str, **words: Any) -> Payload:
        return self._get(f"/memory/{_in_path(memory_id)}/neighbors", **words)

    def history(self, memory_id: str, **words: Any) -> Payload:
        return self._get(f"/memory/{_in_path(memory_id)}/history", **words)

    def conflicts(self, **words: Any) -> Payload:
        return self._get("/conflicts", **words)

    def file(self, memory_ids: Sequence[str], *, project: str, idempotency_key: str | None) -> Payload:
        return self._post(
            "/file", {"ids": list(memory_ids), "project": project, "idempotency_key": idempotency_key}
        )

    def forget(self, memory_id: str, *, mode: str, idempotency_key: str | None) -> Payload:
        return self._post("/forget", {"id": memory_id, "mode": mode, "idempotency_key": idempotency_key})

    def restore(self, memory_id: str, *, at: str | None, idempotency_key: str | None) -> Payload:
        return self._post("/restore", {"id": memory_id, "at": at, "idempotency_key": idempotency_key})

    def relate(self, source: str, to: str, rel: str, *, idempotency_key: str | None) -> Payload:
        edge = {"from": source, "to": to, "rel": rel, "idempotency_key": idempotency_key}
        return self._post("/relate", edge)

    def consolidate(self, *, dry_run: bool, only: Sequence[str], progress: Progress) -> Payload:
        applied = [] if dry_run else self._post("/consolidate", {"ids": list(only)})["applied"]
        left = gather(lambda **page: self._get("/consolidate", **page), "proposals", None)
        return {"applied": applied, "proposals": left["proposals"]}

    def _get(self, path: str, **words: Any) -> Payload:
        asked = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in {"max_tokens": ROOM, **words}.items()
            if value is not None
        }
        return self._daemon.ask(
            f"{path}?{urlencode(asked)}", headers=self._headers, timeout=_READING_PATIENCE
        )

    def _post(self, path: str, body: Mapping[str, Any], timeout: float = PATIENCE) -> Payload:
        said = {name: value for name, value in body.items() if value is not None}
        return self._daemon.ask(path, method="POST", body=said, headers=self._headers, timeout=timeout)


def _in_path(memory_id: str) -> str:
    return quote(memory_id, safe="")
