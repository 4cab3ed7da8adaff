"""Vectors of length one, which is what all of the index compares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from helix.errors import EmbeddingFailed, ModelBroken
from helix.index.models import Model

if TYPE_CHECKING:
    import numpy as np


def unit_rows(rows: np.ndarray, model: Model) -> np.ndarray:
    """What a model made, one row per text, as normalized float32."""
    import numpy as np

    if rows.shape[1:] != (model.dimensions,):
        raise ModelBroken(
            f"{model.name} makes vectors of shape {rows.shape[1:]}, not of {model.dimensions} numbers"
        )
    rows = rows.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise EmbeddingFailed(f"{model.name} made a vector that is not a number")
    normalized: np.ndarray = rows / np.maximum(lengths, 1e-12)
    return normalized
