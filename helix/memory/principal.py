"""Who makes a request: what the guard read from the credential, never what a header says that a client may choose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Principal:
    """Somebody sees what they are said to see. Whoever is not said to see anything sees nothing."""

    id: str
    sees_everything: bool = False


LOCAL = Principal("local", sees_everything=True)
"""the owner of the vault, at their own machine"""

UNKNOWN = Principal("unknown")


class Described(Protocol):
    """What a rule about who sees a memory may look at: of a row of the catalog, or of a note just read."""

    @property
    def id(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def project(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def source(self) -> Mapping[str, Any] | None: ...


Allows = Callable[[Described], bool]
"""whether somebody sees a memory"""
Visibility = Callable[[Principal], Allows]
"""what each principal sees"""


def everything(_: Described) -> bool:
    return True


def nothing(_: Described) -> bool:
    return False


def visible_to(principal: Principal) -> Allows:
    """Everything to whom it is said of, and nothing to anybody else."""
    return everything if principal.sees_everything else nothing
