"""Search that gets ready beside everything else, as the daemon has it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from helix.compose import open_vault, open_workspace
from helix.config import Config
from helix.index.embed import EmbedderChoice
from helix.memory.followed_vault import FollowedVault
from helix.memory.search_engine import RecallSoon
from helix.memory.shared_models import Models
from helix.memory.writing.write import NewText
from tests.index.memories import HashEmbedder
from tests.memory.asking import Verbs
from tests.memory.world import ME, record
from tests.waiting import wait_for


class SlowModels(Models):
    """Models that are there when the test says so."""

    def __init__(self, state_dir: Path) -> None:
        super().__init__(state_dir, 1)
        self.go_on = threading.Event()
        self.asked = threading.Event()

    def find(self, choice: str) -> EmbedderChoice:
        self.asked.set()
        assert self.go_on.wait(30)
        return EmbedderChoice(HashEmbedder(), "")


@contextmanager
def opened(place: Path, **notes: str) -> Iterator[tuple[FollowedVault, SlowModels]]:
    (place / "vault").mkdir()
    for name, body in notes.items():
        (place / "vault" / f"{name}.md").write_text(record(name, body), "utf-8")
    config = Config(place / "vault", place / "state", place / "config")
    with open_vault(config, must_follow=True) as helix, SlowModels(config.state_dir) as models:
        helix.catch_up()
        try:
            yield helix, models
        finally:
            models.go_on.set()


def test_a_question_is_answered_by_words_and_a_write_is_found_while_the_model_loads(tmp_path: Path) -> None:
    with opened(tmp_path, one="The broker drops messages") as (helix, models):
        recall = RecallSoon(helix, models)
        recall.start()
        with open_workspace(helix, lambda: recall.get(30)) as workspace:
            verbs = Verbs(workspace)
            answer = verbs.search("broker", caller=ME)
            assert [hit["id"] for hit in answer["results"]] == ["one"]
            assert "getting ready" in answer["degraded"]
            written = verbs.write(NewText("The gateway throttles uploads"), ME)
            found = verbs.search("gateway uploads", caller=ME)
            assert [hit["id"] for hit in found["results"]] == [written["id"]]
            health = recall.health()
            assert health is not None
            assert health.is_starting
            models.go_on.set()
            wait_for(lambda: (known := recall.health()) is not None and not known.is_starting)
            assert recall.get(0).index.wait_until_embedded(30)
            assert "degraded" not in verbs.search("broker", caller=ME)
            assert {hit["id"] for hit in verbs.search("gateway uploads", caller=ME)["results"]} >= {
                written["id"]
            }
            recall.stop()


def test_the_model_waits_for_somebody_who_waits_for_something_else(tmp_path: Path) -> None:
    with opened(tmp_path, one="The broker drops messages") as (helix, models):
        waiting = threading.Event()
        waiting.set()
        recall = RecallSoon(helix, models, somebody_waits=waiting.is_set)
        recall.start()
        assert recall.get(30).index.hashes().keys() == {"one"}
        assert not models.asked.is_set()
        waiting.clear()
        assert models.asked.wait(30)
        models.go_on.set()
        recall.stop()


def test_it_can_be_stopped_while_the_model_loads(tmp_path: Path) -> None:
    with opened(tmp_path, one="The broker drops messages") as (helix, models):
        recall = RecallSoon(helix, models)
        recall.start()
        recall.get(30)
        assert models.asked.wait(30)
        stopping = threading.Thread(target=recall.stop)
        stopping.start()
        models.go_on.set()
        stopping.join(30)
        assert not stopping.is_alive()
        assert recall.health() is None
