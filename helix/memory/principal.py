"""Who makes a request: what the guard read from the credential, never what a header says that a client may choose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Principal:
    """Somebody sees what they are said to see. Whoever is not said to see anything sees nothing."""

    id: str
    sees_everything: bool = False


LOCAL = Principal("local", sees_everything=True)
"""the owner of the vault, at their own machine"""

UNKNOWN = Principal("unknown")
