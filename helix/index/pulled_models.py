"""Models that were pulled, and folders of one's own. The one door to fastembed; only `pull` uses the network."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helix.errors import BadValue, EmbeddingFailed, ModelBroken, ModelUnavailable
from helix.index.encoder import network_errors
from helix.index.models import Model, record_download
from helix.index.query_cache import QueryCache
from helix.index.unit_rows import unit_rows

if TYPE_CHECKING:
    import numpy as np
    from fastembed import TextEmbedding

_BATCH = 1  # docs/decisions/008-one-text-at-a-time.md
_OWN_NAMES = "helix/"  # under which fastembed knows the models that it does not know by itself
_registering = threading.Lock()


class FastEmbedder:
    """Loads on the first text, and can be used by many threads."""

    def __init__(self, model: Model, threads: int) -> None:
        self.model = model
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: TextEmbedding | None = None
        self._queries = QueryCache()

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
        except network_errors() as error:
            raise EmbeddingFailed(f"{self.name} could not embed a text: {error}") from error
        return unit_rows(np.stack(rows), self.model)

    def embed_query(self, text: str) -> np.ndarray:
        import numpy as np

        known = self._queries.find(text)
        if known is not None:
            return known
        loaded = self._load()
        try:
            rows = list(loaded.query_embed([text], batch_size=_BATCH))
        except network_errors() as error:
            raise EmbeddingFailed(f"{self.name} could not embed the query: {error}") from error
        vector: np.ndarray = unit_rows(np.stack(rows), self.model)[0]
        self._queries.put(text, vector)
        return vector

    def rest(self) -> None:
        """fastembed has no way to make its session smaller."""

    def _load(self) -> TextEmbedding:
        with self._lock:
            if self._loaded is None:
                self.model.check()
                self._loaded = _load_embedding(self.model, self.digest, self._threads)
            return self._loaded


def supported_models() -> list[dict[str, Any]]:
    """What fastembed knows by name and `pull` can download."""
    _stay_offline()
    from fastembed import TextEmbedding

    known = TextEmbedding.list_supported_models()
    return [described for described in known if not described["model"].startswith(_OWN_NAMES)]


def pull(name: str, models_dir: Path) -> Model:
    """Download a model by its name. The only thing in Helix that downloads one; progress goes to stderr."""
    os.environ["HF_HUB_OFFLINE"] = "0"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    from fastembed import TextEmbedding
    from loguru import logger

    logger.disable("fastembed")  # it reports each of its retries; one error at the end says it all
    described = next((known for known in supported_models() if known["model"].lower() == name.lower()), None)
    if described is None:
        raise BadValue(f"there is no model {name!r}; `helix model list` names those that can be pulled")
    _check_network()
    models_dir.mkdir(parents=True, exist_ok=True)
    try:
        TextEmbedding(described["model"], cache_dir=str(models_dir), lazy_load=True)
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"{described['model']} could not be downloaded from huggingface.co: is there a network? ({error})"
        ) from error
    repository = "models--" + described["sources"]["hf"].replace("/", "--")
    files = sorted(models_dir.glob(f"{repository}/snapshots/*/{described['model_file']}"))
    if not files:
        raise ModelUnavailable(
            f"the download of {described['model']} left no {described['model_file']} behind"
        )
    newest = max(files, key=lambda path: path.stat().st_mtime)
    return record_download(
        models_dir,
        Model(
            name=described["model"],
            folder=newest.parents[len(Path(described["model_file"]).parts) - 1],
            file=described["model_file"],
            dimensions=described["dim"],
            licence=described["license"],
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
            if name not in (described["model"] for described in TextEmbedding.list_supported_models()):
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
    except network_errors() as error:
        raise ModelBroken(f"{model.folder} cannot be loaded: {error}") from error


def _stay_offline() -> None:
    """Before the first import of the hub's client, which reads these once. Local files need no hub."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
