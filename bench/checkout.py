"""How often the verdict of a checkout is right, on the sessions of bench/checkout: `python -m bench.checkout`.

Each session is put into a vault of its own beside all others of its half, with the talk around what was stated, and is
asked its questions. `--model none` asks without search by meaning.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.figures import judge
from helix.compose import open_vault, open_workspace
from helix.config import Config
from helix.memory.place import Place
from helix.memory.principal import LOCAL
from helix.memory.request import Request
from helix.memory.search_engine import open_recall
from helix.memory.writing.amend import relate
from helix.memory.writing.write import NewText, write
from helix.sessions.append import append
from helix.sessions.checkout import checkout

_SET = Path(__file__).parent / "checkout" / "sessions.jsonl"
_ANSWERED = "answer_from_memory"
_OVER = "2020-01-01T00:00:00Z"


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="default", help="as in the settings; `none` for words alone")
    parser.add_argument("--half", choices=("tune", "test", "both"), default="both")
    parser.add_argument("--show", action="store_true", help="print every wrong verdict")
    wanted = parser.parse_args(argv)
    sessions = [json.loads(line) for line in _SET.read_text("utf-8").splitlines()]
    halves = {"tune": sessions[::2], "test": sessions[1::2]}
    for name, half in halves.items():
        if wanted.half in (name, "both"):
            _report(name, half, wanted.model, wanted.show)


def _report(name: str, sessions: Sequence[Mapping[str, Any]], model: str, show: bool) -> None:
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, _opened(Path(folder), model) as request:
        for session in sessions:
            _tell(request, session)
        for session in sessions:
            for kind, query, holds in _questions(session):
                answer = checkout(request, session_id=session["session"], query=query)
                verdict = answer["quality"]["answerability"]
                is_right = (verdict == _ANSWERED) == (kind in ("answerable", "superseded"))
                if is_right and holds is not None:
                    # Both: the verdict, and the answer itself among the first two facts.
                    facts = " ".join(str(fact["content"]) for fact in answer["current_facts"][:2])
                    is_right = holds.casefold() in facts.casefold()
                asked[kind] += 1
                right[kind] += is_right
                if show and not is_right:
                    first = answer["current_facts"][0]["content"] if answer["current_facts"] else None
                    print(f"  {kind}: {query} -> {verdict}; {first!r}")
    print(f"{name}: " + ", ".join(f"{kind} {right[kind]}/{asked[kind]}" for kind in asked))
    for kind, goal in (("absent", 0.9), ("answerable", 0.85)):
        judge(f"{kind}, right", right[kind] / asked[kind], goal, "", at_least=True)


def _tell(request: Request, session: Mapping[str, Any]) -> None:
    name = session["session"]

    def state(kind: str, payload: Mapping[str, Any]) -> None:
        append(request, session_id=name, event_type=kind, actor="agent", payload=payload)

    def say(text: str, role: str = "assistant") -> None:
        state("transcript.turn", {"role": role, "content": text})

    for kind, _, old, _, _, _ in session["superseded"]:
        state(kind, old)
    for kind, payload, _, _ in session["facts"]:
        for text in session["chat"]:
            say(text)
        state(kind, payload)
    for kind, _, _, new, _, _ in session["superseded"]:
        state(kind, new)
    (first, second), _ = session["contradicted"]
    ids = [write(request, NewText(text=text, title=text, force=True))["id"] for text in (first, second)]
    relate(request, ids[0], ids[1], "contradicts")
    (title, text), _ = session["stale"]
    write(request, NewText(text=f"{title}: {text}", title=title, valid_until=_OVER, force=True))


def _questions(session: Mapping[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    for _, _, query, holds in session["facts"]:
        yield "answerable", query, holds
    for *_, query, holds in session["superseded"]:
        yield "superseded", query, holds
    yield "contradicted", session["contradicted"][1], None
    for query in session["absent"]:
        yield "absent", query, None
    yield "stale", session["stale"][1], None


@contextmanager
def _opened(folder: Path, model: str) -> Iterator[Request]:
    (folder / "vault").mkdir()
    config = Config(vault=folder / "vault", state_dir=folder / "state", config_dir=folder / "config")
    config = config if model == "default" else replace(config, model=model)
    with open_vault(config, must_follow=True) as helix:
        helix.catch_up()
        with open_recall(helix) as recall, open_workspace(helix, lambda: recall) as workspace:
            yield workspace.request(LOCAL, Place(project="work"))


if __name__ == "__main__":
    main(sys.argv[1:])
