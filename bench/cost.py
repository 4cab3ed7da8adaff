"""What a search, a write, a list and a pack cost the processor, in process and without the encoding.

`python -m bench.cost --beside FOLDER` runs another checkout and this one in turns on the same notes, so that a busy
machine is busy for both, and says whether they gave the same answers. Times are of the asking thread alone.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from bench.notes import Notes
from bench.search import fill_vectors, write_notes
from helix.compose import open_vault
from helix.config import Config
from helix.index.embed import find_embedder
from helix.memory.search_engine import open_recall
from helix.vault.vault_id import IDENTITY_FILE, new_identity
from tests.memory.world import opened

_WRITTEN_FROM = 10**6  # numbers of notes that are not in the vault
_LINKED = 5  # one note in so many names another


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.cost", description=__doc__)
    parser.add_argument("--notes", type=int, default=1_000)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--writes", type=int, default=100)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--beside", type=Path, help="another checkout")
    parser.add_argument("--once", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.once is not None:
        print(json.dumps(_measure(options.once, options)))
        return
    here = Path(__file__).parent.parent
    checkouts = {"here": here} if options.beside is None else {"beside": options.beside, "here": here}
    with tempfile.TemporaryDirectory() as folder:
        made, place = Path(folder, "made"), Path(folder, "turn")
        _prepare(place, options.notes)
        place.rename(made)  # and copied back for each turn: state is found by the path of the vault
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in checkouts}
        for turn in range(options.turns):
            for name, checkout in checkouts.items():
                shutil.copytree(made, place)
                found[name].append(_run(checkout, place, argv))
                shutil.rmtree(place)
            print(f"turn {turn + 1} of {options.turns}", file=sys.stderr, flush=True)
    for what in found["here"][0]:
        if what != "answers":
            medians = [f"{name} {statistics.median(one[what] for one in found[name]):.2f}" for name in found]
            print(f"{what}: {', '.join(medians)}")
    print(
        f"answers: {'the same' if len({one['answers'] for all_ in found.values() for one in all_}) == 1 else 'DIFFER'}"
    )


def _run(checkout: Path, place: Path, argv: list[str]) -> dict[str, Any]:
    command = [sys.executable, "-P", __file__, *argv, "--once", str(place)]
    paths = os.pathsep.join(map(str, (checkout, checkout / "shim")))
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": paths}, stdout=subprocess.PIPE, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _prepare(place: Path, size: int) -> None:
    notes = Notes()
    config = Config(vault=place / "vault", state_dir=place / "state", config_dir=place / "config")
    (config.vault / ".helix").mkdir(parents=True)
    (config.vault / IDENTITY_FILE).write_bytes(new_identity())
    write_notes(config.vault, notes, range(size))
    for number in range(0, size, _LINKED):
        other = Path(notes.path((number * 7 + 1) % size)).stem
        with (config.vault / notes.path(number)).open("a") as file:
            file.write(f"\nSee [[{other}]].\n")
    embedder = find_embedder(config.model, place, config.embed_threads).embedder
    assert embedder is not None
    with open_vault(config, must_follow=True) as helix:
        helix.catch_up()
        fill_vectors(helix, embedder)
        with open_recall(helix) as recall:
            assert recall.index.wait_until_embedded(600)


def _measure(place: Path, options: argparse.Namespace) -> dict[str, Any]:
    notes = Notes()
    questions = notes.questions(options.questions, options.notes)
    texts = [notes.body(_WRITTEN_FROM + number) for number in range(2 * options.writes)]
    asked_after = [" ".join(text.lower().split()[20:26]) for text in texts]
    model = Config(place, place, place).model
    embedder = find_embedder(model, place, 1).embedder
    assert embedder is not None
    vectors = {text: embedder.embed_query(text) for text in (*questions, *asked_after, "warm up")}
    answers = hashlib.sha256()
    known = mock.patch.object(type(embedder), "embed_query", lambda _, text: vectors[text])
    with known, opened(place, model=model) as world:
        assert world.recall.index.wait_until_embedded(600)
        world.service.search("warm up", scope="all")
        half = len(questions) // 2

        def ask(question: str) -> Callable[[], Any]:
            return lambda: world.service.search(question, scope="all")

        def pack(task: str) -> Callable[[], Any]:
            return lambda: world.service.context(task, scope="all")

        def add(text: str, **how: Any) -> Callable[[], Any]:
            return lambda: world.add(text, project="p001", **how)

        first = [_spent(ask(one), answers) for one in questions[:half]]
        then = [_spent(ask(one), answers) for one in questions[half:]]
        gc.collect()
        resident = _resident()
        written = [_spent(add(text), answers) for text in texts[: options.writes]]
        after, forced, listed, packed = [], [], [], []
        for text, question in zip(texts[options.writes :], asked_after[options.writes :], strict=True):
            forced.append(_spent(add(text, force=True), answers))
            assert world.recall.index.wait_until_embedded(600)  # or the answer is a matter of luck
            after.append(_spent(ask(question), answers))
            listed.append(_spent(lambda: world.service.recent(scope="all"), answers))
            packed.append(_spent(pack(question), hashlib.sha256()))  # it names ids in its text
    return {
        "search, notes not read yet, ms": statistics.mean(first),
        "search, ms": statistics.mean(then),
        "write, ms": statistics.mean(written),
        "write by force, ms": statistics.mean(forced),
        "search after a write, ms": statistics.mean(after),
        "list after a write, ms": statistics.mean(listed),
        "pack after a write, ms": statistics.mean(packed),
        "resident after the searches, MB": resident,
        "answers": answers.hexdigest(),
    }


def _spent(act: Callable[[], dict[str, Any]], answers: Any) -> float:
    before = time.thread_time()
    answer = act()
    spent = (time.thread_time() - before) * 1000
    answers.update(json.dumps(_lasting(answer), sort_keys=True).encode())
    return spent


def _lasting(value: Any) -> Any:
    """Without what is drawn anew in every run, and what depends on its length."""
    if isinstance(value, dict):
        drawn = ("id", "tokens_used", "next_cursor", "score", "degraded")
        return {key: _lasting(one) for key, one in value.items() if key not in drawn}
    return [_lasting(one) for one in value] if isinstance(value, list) else value


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    main(sys.argv[1:])
