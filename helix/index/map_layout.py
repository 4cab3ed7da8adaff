"""Vectors on a plane: near ones near each other, the same every time, and where they were before as far as can be.

The two directions in which the vectors differ most are the start; from there points are drawn towards their nearest
neighbours and pushed away from others, as UMAP does, in numpy and for all points at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

METHOD = "PCA, then a neighbour-preserving layout (15 nearest by cosine)"

_SEED = 20_260_618
_NEIGHBOURS = 15
_DIRECTIONS = 48
_BLOCK = 1_000
_AGAINST = 5  # others that a point is pushed away from, for each neighbour that it is drawn to
_ROUNDS = 160
_ROUNDS_AGAIN = 40
_STEP = 0.25
_STEP_AGAIN = 0.03
_LONGEST_STEP = 4.0
# The curve of UMAP for a least distance of 0.1.
_A, _B = 1.577, 0.895
_SPREAD = 10.0
_ENOUGH_KNOWN = 0.5  # of the points; where fewer have a place the map is drawn anew
_INSIDE = 0.995  # of the points; those further out are brought to the edge
_MOST_GROUPS = 24
_GROUP_ROUNDS = 25


@dataclass(frozen=True)
class Layout:
    ids: list[str]
    points: np.ndarray
    """from -1 to 1"""
    groups: np.ndarray
    """of each point, the number of its cluster"""


def lay_out(ids: Sequence[str], vectors: np.ndarray, before: Mapping[str, tuple[float, float]]) -> Layout:
    """`vectors` are of length one, a row for each id; `before` is where points were in the layout before."""
    count = len(ids)
    if count < 4:
        line = np.zeros((count, 2), np.float32)
        line[:, 0] = np.linspace(-0.5, 0.5, count) if count > 1 else 0.0
        return Layout(list(ids), line, np.zeros(count, np.int64))
    narrow = _narrowed(vectors)
    near, weights = _neighbours(narrow)
    known = np.array([one in before for one in ids])
    if known.mean() >= _ENOUGH_KNOWN:
        there = _placed(ids, before, known, near)
        points = _drawn(there, near, weights, _ROUNDS_AGAIN, _STEP_AGAIN)
        points = _as_before(points, there, known) / _SPREAD
    else:
        points = _drawn(_start(narrow), near, weights, _ROUNDS, _STEP)
        points = points - points.mean(axis=0)
        points = points / max(float(np.quantile(np.abs(points), _INSIDE)), 1e-6)
    points = np.clip(points, -1.0, 1.0).astype(np.float32)
    return Layout(list(ids), points, _grouped(points))


def _narrowed(vectors: np.ndarray) -> np.ndarray:
    """The directions in which they differ most: neighbours are found ten times faster among these."""
    centred = vectors.astype(np.float32) - vectors.mean(axis=0, dtype=np.float32)
    _, directions = np.linalg.eigh(centred.T @ centred)
    chosen = directions[:, ::-1][:, :_DIRECTIONS]
    # The sign of a direction is arbitrary: say it, so that two runs agree.
    chosen = chosen * np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(chosen.shape[1])])
    return np.asarray(centred @ chosen, np.float32)


def _neighbours(narrow: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each point its nearest, and how near they are, from 0 to 1."""
    count = len(narrow)
    k = min(_NEIGHBOURS, count - 1)
    length = np.linalg.norm(narrow, axis=1, keepdims=True)
    unit = narrow / np.maximum(length, 1e-9)
    near = np.empty((count, k), np.int64)
    likeness = np.empty((count, k), np.float32)
    for first in range(0, count, _BLOCK):
        rows = np.arange(first, min(first + _BLOCK, count))
        cosines = unit[rows] @ unit.T
        cosines[np.arange(len(rows)), rows] = -2.0
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        near[rows] = best
        likeness[rows] = np.take_along_axis(cosines, best, axis=1)
    away = 1.0 - likeness
    nearest = away.min(axis=1, keepdims=True)
    scale = np.maximum((away - nearest).mean(axis=1, keepdims=True), 1e-6)
    return near, np.exp(-(away - nearest) / scale)


def _start(narrow: np.ndarray) -> np.ndarray:
    plane = narrow[:, :2]
    if plane.shape[1] < 2:
        plane = np.column_stack([plane, np.zeros(len(plane), np.float32)])
    noise = np.random.default_rng(_SEED).normal(scale=1e-3, size=plane.shape)
    return np.asarray(plane / max(float(np.abs(plane).max()), 1e-9) * _SPREAD + noise, np.float32)


def _placed(
    ids: Sequence[str], before: Mapping[str, tuple[float, float]], known: np.ndarray, near: np.ndarray
) -> np.ndarray:
    """Where they were; new ones between those neighbours of theirs that have a place."""
    points = np.array([before.get(one, (0.0, 0.0)) for one in ids], np.float32) * _SPREAD
    noise = np.random.default_rng(_SEED)
    for row in np.flatnonzero(~known):
        around = near[row][known[near[row]]]
        if len(around):
            points[row] = points[around].mean(axis=0)
        points[row] += noise.normal(scale=0.05, size=2)
    return points


def _as_before(points: np.ndarray, there: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Those that had a place keep their middle and their spread: a map must not grow a little every time."""
    middle, spread = there[known].mean(axis=0), float(there[known].std())
    now = points - points[known].mean(axis=0)
    return np.asarray(now * spread / max(float(now[known].std()), 1e-9) + middle)


def _drawn(points: np.ndarray, near: np.ndarray, weights: np.ndarray, rounds: int, step: float) -> np.ndarray:
    count, k = near.shape
    heads, tails, pull = np.repeat(np.arange(count), k), near.ravel(), weights.ravel()
    chance = np.random.default_rng(_SEED)
    x, y = points[:, 0].astype(np.float64), points[:, 1].astype(np.float64)
    for turn in range(rounds):
        length = step * (1.0 - turn / rounds)
        move_x, move_y = np.zeros(count), np.zeros(count)
        dx, dy = x[heads] - x[tails], y[heads] - y[tails]
        square = dx * dx + dy * dy + 1e-9
        force = -2.0 * _A * _B * square ** (_B - 1.0) / (1.0 + _A * square**_B) * pull
        fx, fy = _bounded(force * dx), _bounded(force * dy)
        for ends, sign in ((heads, 1.0), (tails, -1.0)):
            move_x += sign * np.bincount(ends, fx, count)
            move_y += sign * np.bincount(ends, fy, count)
        for _ in range(_AGAINST):
            others = chance.integers(0, count, count)
            dx, dy = x - x[others], y - y[others]
            square = dx * dx + dy * dy
            force = 2.0 * _B / ((0.001 + square) * (1.0 + _A * square**_B)) * (others != np.arange(count))
            move_x += _bounded(force * dx)
            move_y += _bounded(force * dy)
        x, y = x + length * _bounded(move_x), y + length * _bounded(move_y)
    return np.column_stack([x, y])


def _bounded(force: np.ndarray) -> np.ndarray:
    return np.asarray(np.clip(force, -_LONGEST_STEP, _LONGEST_STEP))


def _grouped(points: np.ndarray) -> np.ndarray:
    """k-means on the plane, where a person sees them; numbered from left to right."""
    count = len(points)
    size = int(min(_MOST_GROUPS, max(1, round((count / 2) ** 0.5))))
    chance = np.random.default_rng(_SEED)
    centres = points[[int(chance.integers(count))]]
    while len(centres) < size:
        away = np.min(((points[:, None] - centres[None]) ** 2).sum(axis=2), axis=1)
        if away.sum() <= 0:
            break
        centres = np.vstack([centres, points[int(chance.choice(count, p=away / away.sum()))]])
    for _ in range(_GROUP_ROUNDS):
        groups = ((points[:, None] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
        sizes = np.bincount(groups, minlength=len(centres))
        sums = np.column_stack([np.bincount(groups, points[:, axis], len(centres)) for axis in (0, 1)])
        filled = sizes > 0
        moved = centres.copy()
        moved[filled] = sums[filled] / sizes[filled, None]
        if np.allclose(moved, centres, atol=1e-5):
            break
        centres = moved
    order = np.argsort(centres[:, 0], kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return np.asarray(rank[groups])
