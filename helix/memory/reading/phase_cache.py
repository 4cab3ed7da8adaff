"""Bundles that were given out under a key: the same question under the same key gets the same one, while it holds."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from helix.memory.answers import Pack
from helix.memory.place import Place
from helix.memory.reading.view import View

_CACHED = 256


@dataclass(frozen=True)
class BundleKey:
    """From where is asked, for which phases, with how much room, at which scope, and the key that was given."""

    place: Place
    phases: tuple[str, ...]
    budget_tokens: int
    scope: str
    key: str


class Bundles:
    """In memory, and as long as the workspace is open."""

    def __init__(self) -> None:
        self._cached: OrderedDict[tuple[str, BundleKey], tuple[Pack, Mapping[str, str]]] = OrderedDict()
        """by owner and key, with the hashes of the memories in them"""
        self._lock = threading.Lock()

    def of(self, owner: str) -> OwnBundles:
        return OwnBundles(self, owner)

    def find(self, owner: str, key: BundleKey, view: View) -> Pack | None:
        with self._lock:
            bundle, hashes = self._cached.get((owner, key), (None, {}))
            rows = ((view.find_row(memory_id), hash_) for memory_id, hash_ in hashes.items())
            # What was forgotten or taken back since is in no answer, not in a cached one either.
            if all(row is not None and row.status == "active" and row.hash == hash_ for row, hash_ in rows):
                return bundle
            del self._cached[owner, key]
        return None

    def keep(self, owner: str, key: BundleKey, bundle: Pack, hashes: Mapping[str, str]) -> None:
        with self._lock:
            self._cached[owner, key] = bundle, hashes
            while len(self._cached) > _CACHED:
                self._cached.popitem(last=False)


@dataclass(frozen=True)
class OwnBundles:
    """The bundles of one principal."""

    _bundles: Bundles
    _owner: str

    def find(self, key: BundleKey, view: View) -> Pack | None:
        """As long as nothing in it was changed or forgotten."""
        return self._bundles.find(self._owner, key, view)

    def keep(self, key: BundleKey, bundle: Pack, hashes: Mapping[str, str]) -> None:
        self._bundles.keep(self._owner, key, bundle, hashes)
