"""Every dialect there is, by its name, and what its path asks of a request. One is loaded when somebody speaks it."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helix.access import LOCAL, Access, bearer
from helix.access.api_key import SPELLINGS
from helix.errors import ConfigError

if TYPE_CHECKING:
    from helix.dialects.dialect import Dialect, DialectRoutes

DEFAULT = "helix"
ALL = "all"
"""instead of names of dialects"""


@dataclass(frozen=True)
class Registered:
    where: str
    access: Access = LOCAL
    routes: str = ""
    """where it lists what its clients call beside the tools"""
    begins: str = ""
    """of the keys of its clients: they are known by them where they do not name the dialect"""

    def load(self) -> Dialect:
        found: Dialect = pkgutil.resolve_name(self.where)
        return found


REGISTERED: Mapping[str, Registered] = {
    DEFAULT: Registered("helix.dialects.helix.dialect:HELIX"),
    "vault": Registered("helix.dialects.vault.dialect:VAULT", bearer()),
    "zaxy": Registered("helix.dialects.zaxy.dialect:ZAXY"),
    "novamem": Registered(
        "helix.dialects.novamem.dialect:NOVAMEM",
        LOCAL.refusing("unauthorized"),
        routes="helix.dialects.novamem.paths:ROUTES",
        begins=SPELLINGS["novamem"],
    ),
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


def routes_of(name: str) -> DialectRoutes | None:
    """What a dialect has beside its tools."""
    where = REGISTERED[name].routes
    return pkgutil.resolve_name(where) if where else None


def enabled(names: Sequence[str]) -> Dialects:
    """Those that the settings name, and the default one. Raises ConfigError for one that there is not."""
    unknown = [name for name in names if name not in (*REGISTERED, ALL)]
    if unknown:
        known = ", ".join(REGISTERED)
        raise ConfigError(f"dialects.enabled names {unknown[0]!r}; there are {known}, or {ALL!r} for each")
    return Dialects([name for name in REGISTERED if name in (*names, DEFAULT) or ALL in names])
