"""Every dialect there is, by its name, and what its path asks of a request. One is loaded when somebody speaks it."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helix.access import LOCAL, Access, bearer
from helix.errors import ConfigError

if TYPE_CHECKING:
    from helix.dialects.dialect import Dialect

DEFAULT = "helix"
ALL = "all"
"""instead of names of dialects"""


@dataclass(frozen=True)
class Registered:
    where: str
    access: Access = LOCAL

    def load(self) -> Dialect:
        found: Dialect = pkgutil.resolve_name(self.where)
        return found


REGISTERED: Mapping[str, Registered] = {
    DEFAULT: Registered("helix.dialects.helix.dialect:HELIX"),
    "vault": Registered("helix.dialects.vault.dialect:VAULT", bearer()),
    "zaxy": Registered("helix.dialects.zaxy.dialect:ZAXY"),
}


class Dialects(Mapping[str, "Dialect"]):
    def __init__(self, names: Sequence[str] = tuple(REGISTERED)) -> None:
        self._names = tuple(names)

    def __getitem__(self, name: str) -> Dialect:
        if name not in self._names:
            raise KeyError(name)
        return REGISTERED[name].load()

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


DIALECTS = Dialects()


def access_to(name: str) -> Access:
    """What the path of a dialect asks of a request."""
    registered = REGISTERED.get(name)
    return LOCAL if registered is None else registered.access


def enabled(names: Sequence[str]) -> Dialects:
    """Those that the settings name, and the default one. Raises ConfigError for one that there is not."""
    unknown = [name for name in names if name not in (*REGISTERED, ALL)]
    if unknown:
        known = ", ".join(REGISTERED)
        raise ConfigError(f"dialects.enabled names {unknown[0]!r}; there are {known}, or {ALL!r} for each")
    return Dialects([name for name in REGISTERED if name in (*names, DEFAULT) or ALL in names])
