"""What is kept of a password: an Argon2id hash with its salt and what it cost. What may be one, and whether it is it.

Nobody learns from an answer whether there is a user of a name: who is not there, or has no password, is held against a
hash that nobody has the password of, which takes as long.
"""

from __future__ import annotations

import secrets
import unicodedata
from typing import TYPE_CHECKING

from helix.errors import BadValue, ExtraMissing

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST, LONGEST = 12, 1000
# The second choice of RFC 9106: 64 MiB, three times over, in four lanes. Some 60 ms.
_PASSES, _KIB, _LANES = 3, 64 * 1024, 4
_EASILY_GUESSED = 5
"""different characters that it has at least"""
_LONG_NAME = 4


def check_password(password: str, user: str) -> None:
    """Raises BadValue for one that others would guess soon. Length is what counts, and not which characters it has."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise BadValue(f"a password has {SHORTEST} to {LONGEST} characters; several words make a good one")
    if "\n" in password or "\0" in password:
        raise BadValue("a password is one line")
    folded = _normal(password).casefold()
    is_their_name = len(user) >= _LONG_NAME and user in folded
    if len(set(folded)) < _EASILY_GUESSED or is_their_name:
        raise BadValue("that password is easily guessed: it repeats itself, or holds the name of its user")


class Passwords:
    """Takes some 60 ms and 64 MB for each hash, on purpose."""

    def __init__(self) -> None:
        self._argon2 = _argon2()
        self._nobodys = self.hash(secrets.token_urlsafe(32))

    def hash(self, password: str) -> str:
        return self._argon2.hash(_normal(password))

    def is_password(self, password: str, kept: str | None) -> bool:
        """Whether this is the password of which the hash is kept; the same work where there is none."""
        from argon2.exceptions import InvalidHashError, VerificationError

        try:
            return (
                self._argon2.verify(kept or self._nobodys, _normal(password[:LONGEST])) and kept is not None
            )
        except (VerificationError, InvalidHashError):
            return False

    def is_cheap(self, kept: str) -> bool:
        """Whether it was hashed when that cost less than today."""
        return self._argon2.check_needs_rehash(kept)


def _normal(password: str) -> str:
    """The same letter typed on another keyboard is the same password."""
    return unicodedata.normalize("NFKC", password)


def _argon2() -> PasswordHasher:
    try:
        # Here and not above: one person needs no such library.
        from argon2 import PasswordHasher
    except ImportError as error:
        raise ExtraMissing(
            "passwords are hashed by a library that is not installed: pip install 'helix-memory[team]'"
        ) from error
    return PasswordHasher(time_cost=_PASSES, memory_cost=_KIB, parallelism=_LANES)
