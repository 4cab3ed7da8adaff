"""The engine of one machine, on real stores: what every engine does, and what becomes of its files."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.index.embed import Embedder, EmbedderChoice
from helix.index.embed_cache import EmbedCache
from helix.index.engine import Engine
from helix.index.local_engine import LocalEngine
from helix.vault.erasures import Erasures
from tests.follow.rig import Rig
from tests.index.engine_suite import WORDS, EngineSuite, ask, ids, read_note, write
from tests.index.memories import HashEmbedder


class TestLocalEngine(EngineSuite):
    @pytest.fixture(autouse=True)
    def _caches(self) -> Iterator[None]:
        self.caches: list[EmbedCache] = []
        yield
        for cache in self.caches:
            cache.close()

    def open(self, place: Path, embedder: Embedder | None, erasures: Erasures | None) -> LocalEngine:
        cache = EmbedCache(place / "embeddings.db")
        self.caches.append(cache)
        choice = EmbedderChoice(embedder, "" if embedder else "no model")
        return LocalEngine(place, cache, "bundled", lambda _: choice, erasures=erasures)

    def crash(self, engine: Engine) -> None:
        """Its files stay as they are."""

    def holds(self, place: Path, word: str) -> bool:
        files = [file for file in place.rglob("*") if file.is_file()]
        return any(word.lower().encode() in file.read_bytes().lower() for file in files)

    @pytest.mark.parametrize("broken", ["keywords", "vectors", "both"])
    def test_a_store_that_cannot_be_read_is_set_aside_and_filled_again(
        self, rig: Rig, tmp_path: Path, broken: str
    ) -> None:
        state = tmp_path / "state"
        with self.opened(rig, state, HashEmbedder()) as engine:
            for number, word in enumerate(WORDS):
                write(rig, f"m{number}", f"about the {word}")
            rig.follow()
            before = ask(rig, engine, "about the cache")
        for folder in state.iterdir():
            if folder.is_dir() and (broken == "both" or folder.name.startswith(broken)):
                for file in folder.rglob("*"):
                    if file.is_file():
                        file.write_bytes(b"")
        with self.opened(rig, state, HashEmbedder()) as engine:
            assert ask(rig, engine, "about the cache") == before

    def test_an_index_that_is_deleted_while_it_is_used_is_built_again(self, rig: Rig, tmp_path: Path) -> None:
        state = tmp_path / "state"
        with self.opened(rig, state, HashEmbedder()) as engine:
            write(rig, "one", "The broker drops messages")
            rig.follow()
            engine.tend(tidy=False)
            before = ask(rig, engine, "broker")
            for folder in state.iterdir():
                if folder.is_dir():
                    shutil.rmtree(folder)
            engine.tend(tidy=False)
            assert ask(rig, engine, "broker") == before
        with self.opened(rig, state, HashEmbedder()) as engine:
            assert ask(rig, engine, "broker") == before

    def test_the_vectors_of_the_model_before_serve_until_those_of_a_new_one_are_complete(
        self, rig: Rig, tmp_path: Path
    ) -> None:
        state, cache = tmp_path / "state", EmbedCache(tmp_path / "state" / "embeddings.db")
        old, new = HashEmbedder(), HashEmbedder()
        new.name, new.digest = "new", hashlib.sha256(b"new").hexdigest()
        models = {"old": EmbedderChoice(old, ""), "new": EmbedderChoice(new, "")}
        write(rig, "one", "The broker drops messages")
        rig.follow()
        first = LocalEngine(state, cache, "old", models.__getitem__)
        first.catch_up(rig.catalog, lambda path: read_note(rig, path))
        assert first.wait_until_embedded(30)
        first.close()

        new.gate.clear()
        engine = LocalEngine(state, cache, "new", models.__getitem__)
        engine.catch_up(rig.catalog, lambda path: read_note(rig, path))
        assert engine.wait_until_embedded(
            30
        )  # a single vector is not written to disk: it comes from the cache
        engine.tend(tidy=False)
        assert engine.health().model == old.name
        assert "new" in str(engine.health().degraded)
        assert ids(ask(rig, engine, "broker")) == ["one"]
        new.gate.set()
        deadline = time.monotonic() + 30
        while engine.health().model != "new" and time.monotonic() < deadline:
            engine.tend(tidy=False)
        assert (engine.health().model, engine.health().degraded) == ("new", None)
        assert ids(ask(rig, engine, "broker")) == ["one"]
        engine.close()
        again = LocalEngine(state, cache, "new", models.__getitem__)
        assert again.health().model == "new"
        assert again.health().degraded is None
        again.close()
        cache.close()
