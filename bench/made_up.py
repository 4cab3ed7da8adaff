"""A model that knows nothing and takes no time: vectors for benches in which the model is not what is measured."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from helix.index.embed import EmbedderChoice
from helix.memory.shared_models import Models

_DIMENSIONS = 384


class MadeUpEmbedder:
    """Each text has a direction of its own, near to one of some hundred."""

    name = "made-up"
    digest = hashlib.sha256(b"made-up vectors").hexdigest()
    dimensions = _DIMENSIONS

    def __init__(self) -> None:
        self._likenesses = np.random.default_rng(1).standard_normal((300, _DIMENSIONS)).astype(np.float32)

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> np.ndarray:
        rng = np.random.default_rng(int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()))
        row = self._likenesses[rng.integers(300)] + rng.standard_normal(_DIMENSIONS)
        unit: np.ndarray = (row / np.linalg.norm(row)).astype(np.float32)
        return unit

    def rest(self) -> None:
        """There is nothing to let go."""


class MadeUpModels(Models):
    def __init__(self, state_dir: Path) -> None:
        super().__init__(state_dir, 1)
        self._made_up = EmbedderChoice(MadeUpEmbedder(), "")

    def find(self, choice: str) -> EmbedderChoice:
        return self._made_up
