"""Texts in, vectors out. The one door to fastembed; nothing here touches the network except `pull`."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from helix.errors import BadValue, EmbeddingFailed, ModelBroken, ModelError, ModelUnavailable
from helix.index.models import NONE, Model, bundled_reranker, get_model, record_download

if TYPE_CHECKING:
    import numpy as np
    from fastembed import TextEmbedding
    from fastembed.rerank.cross_encoder import TextCrossEncoder

MAX_PAIRS = 20

# An int8 model scales its activations by the largest value in the batch, so neighbours change a vector (cosine down
# to 0.99), and on a processor a batch of 32 takes twice as long as its texts one by one, and gigabytes. One at a time,
# a text has one vector whatever it is embedded with: an index built note by note equals one built anew.
_BATCH = 1
_RERANK_CHARACTERS = 1_000  # about 256 tokens; the time per pair grows with the length
_OWN_NAMES = "helix/"  # under which fastembed knows the models that it does not know by itself
_registering = threading.Lock()


class Embedder(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def digest(self) -> str:
        """Names model, weights and tokenizer: vectors of two digests are never compared."""

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One normalized float32 row per text, in their order."""

    def embed_query(self, text: str) -> np.ndarray: ...


@dataclass(frozen=True)
class EmbedderChoice:
    embedder: Embedder | None
    reason: str
    """why there is none, in plain words; empty when there is one"""


def find_embedder(choice: str, models_dir: Path, threads: int = 0) -> EmbedderChoice:
    """The embedder that the settings name. Helix works without one: search is by words then."""
    if choice == NONE:
        return EmbedderChoice(None, "the setting `model` is `none`: search is by words only")
    if importlib.util.find_spec("fastembed") is None:
        return EmbedderChoice(None, "the package fastembed is not installed: search is by words only")
    try:
        model = get_model(choice, models_dir)
    except ModelError as error:
        return EmbedderChoice(None, error.message)
    return EmbedderChoice(FastEmbedder(model, threads), "")


class FastEmbedder:
    """Loads on the first text, and can be used by many threads."""

    def __init__(self, model: Model, threads: int = 0) -> None:
        self.model = model
        self._threads = threads or spare_cores()
        self._lock = threading.Lock()
        self._loaded: TextEmbedding | None = None

    @property
    def name(self) -> str:
        return self.model.name

    @cached_property
    def digest(self) -> str:
        return self.model.digest()

    @property
    def dimensions(self) -> int:
        return self.model.dimensions

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        loaded = self._load()
        try:
            rows = list(loaded.embed(list(texts), batch_size=_BATCH))
        except _onnx_errors() as error:
            raise EmbeddingFailed(f"{self.name} could not embed a text: {error}") from error
        return self._normalized(np.stack(rows))

    def embed_query(self, text: str) -> np.ndarray:
        import numpy as np

        loaded = self._load()
        try:
            rows = list(loaded.query_embed([text], batch_size=_BATCH))
        except _onnx_errors() as error:
            raise EmbeddingFailed(f"{self.name} could not embed the query: {error}") from error
        vector: np.ndarray = self._normalized(np.stack(rows))[0]
        return vector

    def _normalized(self, rows: np.ndarray) -> np.ndarray:
        import numpy as np

        if rows.shape[1:] != (self.dimensions,):
            raise ModelBroken(
                f"{self.name} makes vectors of shape {rows.shape[1:]}, not of {self.dimensions} numbers"
            )
        rows = rows.astype(np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise EmbeddingFailed(f"{self.name} made a vector that is not a number")
        normalized: np.ndarray = rows / np.maximum(lengths, 1e-12)
        return normalized

    def _load(self) -> TextEmbedding:
        with self._lock:
            if self._loaded is None:
                self.model.check()
                self._loaded = _load_embedding(self.model, self.digest, self._threads)
            return self._loaded


class Reranker:
    """Reads query and text together: slower and finer than comparing vectors, so for the best few only."""

    def __init__(self, model: Model | None = None, threads: int = 0) -> None:
        self._model = model
        self._threads = threads or spare_cores()
        self._lock = threading.Lock()
        self._loaded: TextCrossEncoder | None = None

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score per text, higher is better; they compare only within one query."""
        if len(texts) > MAX_PAIRS:
            raise BadValue(f"{len(texts)} texts are too many to rerank; {MAX_PAIRS} at most")
        if not texts:
            return []
        loaded = self._load()
        short = [text[:_RERANK_CHARACTERS] for text in texts]
        try:
            return [float(score) for score in loaded.rerank(query, short, batch_size=_BATCH)]
        except _onnx_errors() as error:
            raise EmbeddingFailed(f"the reranker could not read a text: {error}") from error

    def _load(self) -> TextCrossEncoder:
        with self._lock:
            if self._loaded is None:
                model = self._model or bundled_reranker()
                model.check()
                self._loaded = _load_reranker(model, self._threads)
            return self._loaded


def spare_cores() -> int:
    """All but one: a search must not wait for the embedding of a thousand notes."""
    return max(1, (os.cpu_count() or 2) - 1)


def supported_models() -> list[dict[str, Any]]:
    """What fastembed knows by name and `pull` can download."""
    _stay_offline()
    from fastembed import TextEmbedding

    known = TextEmbedding.list_supported_models()
    return [said for said in known if not said["model"].startswith(_OWN_NAMES)]


def pull(name: str, models_dir: Path) -> Model:
    """Download a model by its name. The only thing in Helix that downloads one; progress goes to stderr."""
    os.environ["HF_HUB_OFFLINE"] = "0"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from fastembed import TextEmbedding
    from loguru import logger

    logger.disable("fastembed")  # it reports each of its retries; one error at the end says it all
    said = next((one for one in supported_models() if one["model"].lower() == name.lower()), None)
    if said is None:
        raise BadValue(f"there is no model {name!r}; `helix model list` names those that can be pulled")
    _check_network()
    models_dir.mkdir(parents=True, exist_ok=True)
    try:
        TextEmbedding(said["model"], cache_dir=str(models_dir), lazy_load=True)
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"{said['model']} could not be downloaded from huggingface.co: is there a network? ({error})"
        ) from error
    repository = "models--" + said["sources"]["hf"].replace("/", "--")
    files = sorted(models_dir.glob(f"{repository}/snapshots/*/{said['model_file']}"))
    if not files:
        raise ModelUnavailable(f"the download of {said['model']} left no {said['model_file']} behind")
    newest = max(files, key=lambda path: path.stat().st_mtime)
    return record_download(
        models_dir,
        Model(
            name=said["model"],
            folder=newest.parents[len(Path(said["model_file"]).parts) - 1],
            file=said["model_file"],
            dimensions=said["dim"],
            licence=said["license"],
            size=0,
            pooling="",
        ),
    )


def _check_network() -> None:
    """fastembed tries three times, forty seconds in all, before it admits that there is no network."""
    if "HF_ENDPOINT" in os.environ:
        return  # a mirror, which may be reached otherwise
    import urllib.error
    import urllib.request

    try:
        urllib.request.urlopen("https://huggingface.co", timeout=10).close()
    except urllib.error.HTTPError:
        return  # somebody answered
    except OSError as error:
        raise ModelUnavailable(f"huggingface.co cannot be reached: {error}") from error


def _load_embedding(model: Model, digest: str, threads: int) -> TextEmbedding:
    _stay_offline()
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    name = model.name
    if not model.is_known_to_fastembed:
        name = f"{_OWN_NAMES}{digest}"
        with _registering:
            # fastembed keeps its models in one list per process and refuses a second one of a name.
            if name not in (said["model"] for said in TextEmbedding.list_supported_models()):
                TextEmbedding.add_custom_model(
                    model=name,
                    pooling=PoolingType.CLS if model.pooling == "cls" else PoolingType.MEAN,
                    normalization=True,
                    sources=ModelSource(hf="helix/local-files-only"),
                    dim=model.dimensions,
                    model_file=model.file,
                )
    try:
        return TextEmbedding(name, specific_model_path=str(model.folder), threads=threads)
    except _onnx_errors() as error:
        raise ModelBroken(f"{model.folder} cannot be loaded: {error}") from error


def _load_reranker(model: Model, threads: int) -> TextCrossEncoder:
    _stay_offline()
    from fastembed.common.model_description import ModelSource
    from fastembed.rerank.cross_encoder import TextCrossEncoder

    name = f"{_OWN_NAMES}{model.digest()}"
    with _registering:
        if name not in (said["model"] for said in TextCrossEncoder.list_supported_models()):
            TextCrossEncoder.add_custom_model(
                model=name, sources=ModelSource(hf="helix/local-files-only"), model_file=model.file
            )
    try:
        return TextCrossEncoder(name, specific_model_path=str(model.folder), threads=threads)
    except _onnx_errors() as error:
        raise ModelBroken(f"{model.folder} cannot be loaded: {error}") from error


def _stay_offline() -> None:
    """Before the first import of the hub's client, which reads these once. Local files need no hub."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


def _onnx_errors() -> tuple[type[Exception], ...]:
    """What a broken model or a bad input raises: onnxruntime's own errors share no class but Exception."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    return (
        *(state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NoSuchFile),
        *(state.RuntimeException, state.NotImplemented, state.EPFail, RuntimeError, ValueError, OSError),
    )
