"""A filter asked of columns: numbers in arrays, a place for each row."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

import numpy as np

from helix.index.filters import Among, Between, Condition, Either, Every, Has, Not, to_micros

NO_TIME = np.iinfo(np.int64).min
NO_DAY = 0


class Columns(Protocol):
    """What is filed in columns. Every mask is an array of the caller's own, with a place for each row."""

    @property
    def count(self) -> int: ...
    def created(self) -> np.ndarray:
        """In microseconds, or `NO_TIME`."""

    def is_any(self, column: str, values: Collection[str]) -> np.ndarray:
        """Where one of these values stands."""

    def lists_any(self, column: str, values: Collection[str]) -> np.ndarray:
        """Where a list holds one of these values."""

    def owned_by(self, memory_ids: Collection[str]) -> np.ndarray: ...
    def ids(self) -> Iterable[str]: ...


def to_mask(condition: Condition, columns: Columns) -> np.ndarray:
    """Which rows pass; an array of the caller's own."""
    match condition:
        case Has(field, values) if field.is_list:
            return columns.lists_any(field.name, values)
        case Has(field, values) if field.is_id:
            return columns.owned_by([one for one in columns.ids() if field.compared(one) in values])
        case Has(field, values):
            return columns.is_any(field.name, values)
        case Among(ids):
            return columns.owned_by(ids)
        case Between(after, before):
            created = columns.created()
            mask = created != NO_TIME
            if after is not None:
                mask &= created >= to_micros(after)
            if before is not None:
                mask &= created < to_micros(before)
            return np.asarray(mask)
        case Every(parts):
            mask = np.ones(columns.count, bool)
            for part in parts:
                mask &= to_mask(part, columns)
            return mask
        case Either(parts):
            mask = np.zeros(columns.count, bool)
            for part in parts:
                mask |= to_mask(part, columns)
            return mask
        case Not(part):
            return ~to_mask(part, columns)


def among_codes(column: np.ndarray, codes: Iterable[int | None]) -> np.ndarray:
    mask = np.zeros(len(column), bool)
    for code in codes:
        if code is not None:
            mask |= column == code
    return mask
