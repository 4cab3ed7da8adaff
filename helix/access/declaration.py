"""What a route asks of a request before it answers: a declaration that stands where the route is made.

Plain data, known to the dialects too. `helix.surfaces.guard` enforces it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeVar

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"

_DECLARED = "helix_access"
E = TypeVar("E")


class Credential(Enum):
    """When a request has to show one."""

    NEVER = "never"
    AS_CONFIGURED = "as configured"
    """when the daemon asks for one everywhere"""
    ALWAYS = "always"


@dataclass(frozen=True)
class Access:
    credential: Credential
    scopes: frozenset[str] = frozenset()
    """what the credential has to be good for"""
    accepts: frozenset[str] = frozenset({JSON})
    """content types that a body may have"""
    is_unlimited: bool = False
    """answered also while as much is going on as may at once"""
    is_work: bool = True
    """whether a request tells who works with memories: not what is asked again and again by whoever watches, nor what
    only carries calls, each of which is heard of by itself"""

    is_judged_later: bool = False
    """what is asked for is counted and written down where it is done: a verb, or calls of tools"""

    is_of_workspace: bool = True
    """whether it is about one workspace, and not about the daemon itself"""

    is_landing: bool = False
    """whether a browser may be sent there by another site: a page, which does nothing by being shown"""

    unauthorized: str | None = None
    """what whoever shows no valid credential is told, where clients look for words of their own"""

    def refusing(self, unauthorized: str) -> Access:
        """The same, with these words for who is not let in."""
        return replace(self, unauthorized=unauthorized)

    def needing(self, *scopes: str) -> Access:
        """The same for a credential that is good for these scopes."""
        return replace(self, scopes=frozenset(scopes))

    def accepting(self, *content_types: str) -> Access:
        """The same for bodies of these types."""
        return replace(self, accepts=frozenset(content_types))

    def unlimited(self) -> Access:
        """The same, answered however much is going on."""
        return replace(self, is_unlimited=True)

    def unheard(self) -> Access:
        """The same for requests that do not tell who works with memories."""
        return replace(self, is_work=False)

    def judged_later(self) -> Access:
        """The same for what is counted and written down where it is done."""
        return replace(self, is_judged_later=True)

    def of_daemon(self) -> Access:
        """The same for what is about no workspace: answered whichever of them can be opened."""
        return replace(self, is_of_workspace=False)

    def landing(self) -> Access:
        """The same for a page to which other sites may send a browser."""
        return replace(self, is_landing=True)

    def accepts_type(self, content_type: str) -> bool:
        """For a type in lower case without parameters. What is built on JSON is JSON."""
        is_json = content_type.startswith("application/") and content_type.endswith("+json")
        return (JSON if is_json else content_type) in self.accepts


OPEN = Access(Credential.NEVER)
"""nothing of the vault is in the answer"""
LOCAL = Access(Credential.AS_CONFIGURED)
"""for programs on this machine"""


def bearer(*scopes: str) -> Access:
    """For whoever shows a credential that is good for these scopes, on this machine too."""
    return Access(Credential.ALWAYS, frozenset(scopes))


def declare(access: Access) -> Callable[[E], E]:
    """Declares what an endpoint asks for."""

    def mark(endpoint: E) -> E:
        setattr(endpoint, _DECLARED, access)
        return endpoint

    return mark


def declared(endpoint: object) -> Access | None:
    """None for an endpoint that declares nothing: nobody may use it."""
    found = getattr(endpoint, _DECLARED, None)
    return found if isinstance(found, Access) else None
