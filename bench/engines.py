"""The engines side by side, on the same made-up notes in one run: taking in, searching, writing, what they keep.

`python -m bench scale --notes 10000` starts a PostgreSQL from a package; `--url` names another one. Vectors are made
up, so nothing is encoded. Answers are compared, and have to be the same.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.made_up import MadeUpEmbedder
from bench.notes import Notes
from bench.search import write_notes
from helix.compose import open_vault
from helix.config import Config
from helix.index.embed import EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.engine import Engine
from helix.index.filters import Reach, Where
from helix.index.local_engine import LocalEngine
from helix.index.search import Question, Searcher
from helix.memory.followed_vault import FollowedVault
from helix.memory.reading.vault_view import find_note
from helix.vault.diff import Change

_PATIENCE = 3600.0


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.engines", description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--writes", type=int, default=50)
    parser.add_argument("--url", help="a PostgreSQL with pgvector")
    options = parser.parse_args(argv)
    notes = Notes()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        config = Config(vault=place / "vault", state_dir=place / "state", config_dir=place / "config")
        config.vault.mkdir()
        write_notes(config.vault, notes, range(options.notes))
        helix = stack.enter_context(open_vault(config, must_follow=True))
        helix.catch_up()
        url = options.url or stack.enter_context(_server())
        answers = {}
        for name, opener in {"local": _local(place), "postgres": _postgres(url)}.items():
            answers[name] = _measure(name, opener, helix, notes, options, place)
    print(f"answers: {'the same' if answers['local'] == answers['postgres'] else 'DIFFER'}")


Opener = Callable[[EmbedCache, EmbedderChoice], Engine]


def _local(place: Path) -> Opener:
    return lambda cache, choice: LocalEngine(place / "local", cache, "bundled", lambda _: choice)


def _postgres(url: str) -> Opener:
    from helix.index.postgres.engine import PostgresEngine

    return lambda cache, choice: PostgresEngine(url, "helix_bench", cache, "bundled", lambda _: choice)


@contextmanager
def _server() -> Iterator[str]:
    from tests.index.postgres.server import started

    with started() as server:
        yield server.url


def _measure(
    name: str, opener: Opener, helix: FollowedVault, notes: Notes, options: argparse.Namespace, place: Path
) -> list[list[str]]:
    cache = EmbedCache(place / name / "embeddings.db")
    engine = opener(cache, EmbedderChoice(MadeUpEmbedder(), ""))
    try:
        begun = time.perf_counter()
        engine.catch_up(helix.catalog, helix.read_note)
        words = time.perf_counter() - begun
        assert engine.wait_until_embedded(_PATIENCE)
        engine.tend(tidy=True)
        whole = time.perf_counter() - begun
        print(
            f"{name}: {options.notes} notes found by words after {words:.1f} s, by meaning after {whole:.1f} s"
        )
        searcher = Searcher(
            engine, helix.vault.clock, lambda one: find_note(helix.catalog, helix.notes.read, one)
        )
        questions = notes.questions(options.questions, options.notes)
        found = []
        for what, where in {
            "": Where(active_only=True),
            " of one project": Where(active_only=True, reaches=(Reach("project", ("p001",)),)),
        }.items():
            spent = []
            for text in questions:
                begun = time.perf_counter()
                hits = searcher.search(Question(text, where=where)).hits
                spent.append((time.perf_counter() - begun) * 1000)
                found.append([hit.memory_id for hit in hits])
            print(f"{name}: search{what} p50 {_p(spent, 50):.1f} ms, p95 {_p(spent, 95):.1f} ms")
        spent = []
        for row in helix.catalog.memories(include_hidden=True)[: options.writes]:
            note = helix.read_note(row.path)
            assert note is not None
            change = Change(row.id, note.path, note)
            begun = time.perf_counter()
            engine.apply([change])
            spent.append((time.perf_counter() - begun) * 1000)
        print(f"{name}: {_kept(engine, place / name) / options.notes / 1024:.1f} KiB on disk for each memory")
        print(f"{name}: one change put p50 {_p(spent, 50):.1f} ms, p95 {_p(spent, 95):.1f} ms")
        return found
    finally:
        engine.close()
        cache.close()


def _kept(engine: Engine, folder: Path) -> int:
    """Bytes of tables and indexes, or of files; without the cache of vectors, which is the same for both."""
    schema = getattr(engine, "schema", None)
    if schema is None:
        files = [file for file in folder.rglob("*") if file.is_file() and file.name != "embeddings.db"]
        return sum(file.stat().st_size for file in files)
    return engine.disk_bytes()  # type: ignore[attr-defined,no-any-return]


def _p(values: Sequence[float], share: int) -> float:
    return statistics.quantiles(values, n=100)[share - 1]


if __name__ == "__main__":
    main(sys.argv[1:])
