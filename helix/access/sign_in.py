"""Signing in with a browser, by password or by key: who does, and how often somebody may try.

Whoever guesses is slowed down twice: what comes from one address, and what is tried of one name from anywhere. Both
look the same for names that there are and names that there are not.
"""

from __future__ import annotations

import re

from helix.access.browser_sessions import BrowserSession, BrowserSessions
from helix.access.credentials import Credentials
from helix.access.key_ring import KeyRing
from helix.access.password import Passwords, check_password
from helix.access.rates import Rates
from helix.errors import Forbidden, SignInRefused

_NO_NAME = "?"
_NAME = re.compile(r"[a-z0-9._-]{1,64}")


class SignIn:
    def __init__(
        self, credentials: Credentials, ring: KeyRing, sessions: BrowserSessions, rates: Rates
    ) -> None:
        self._credentials = credentials
        self._ring = ring
        self._sessions = sessions
        self._rates = rates
        self._passwords: Passwords | None = None

    def by_password(self, user: str, password: str, address: str) -> tuple[BrowserSession, str]:
        """The session, and what the browser shows from now on. Takes some 60 ms. Raises SignInRefused in the same words
        whatever was wrong."""
        if not self._is_password(user, password, address):
            raise SignInRefused(
                "user and password do not fit; an admin can set another with `helix user passwd`"
            )
        return self._sessions.create(user)

    def by_key(self, key: str, address: str) -> tuple[BrowserSession, str]:
        holder = self._ring.recognize(key)
        if holder is None:
            self._rates.check("failures", address)
            holder = self._ring.prove(key)
        if holder is None:
            self._rates.count("failures", address)
            raise SignInRefused("this key is not valid here: mistyped, revoked or expired")
        bounds = holder.key.bounds
        if bounds.agent or bounds.connector or bounds.harness:
            raise Forbidden("this key is for a program; sign in with one of your own, or with your password")
        return self._sessions.create(holder.key.user, holder.key.id)

    def change_password(self, session: BrowserSession, before: str, password: str, address: str) -> int:
        """By whoever knows the one before. They sign in anew everywhere else; in how many browsers that was."""
        if session.key is not None:
            raise Forbidden("sign in with your password to change it; an admin can set one")
        if not self._is_password(session.user, before, address):
            raise SignInRefused("that is not your password")
        check_password(password, session.user)
        return self._credentials.set_password(session.user, self._hashing().hash(password), but=session.name)

    def _is_password(self, user: str, password: str, address: str) -> bool:
        name = user if _NAME.fullmatch(user) else _NO_NAME
        self._rates.check("failures", address)
        self._rates.check("sign_in", name)
        kept = self._credentials.find_password(name)
        passwords = self._hashing()
        if not passwords.is_password(password, kept):
            self._rates.count("failures", address)
            self._rates.count("sign_in", name)
            return False
        if kept is not None and passwords.is_cheap(kept):
            self._credentials.strengthen_password(name, kept, passwords.hash(password))
        return True

    def _hashing(self) -> Passwords:
        """Made when somebody signs in for the first time: most daemons are asked by programs."""
        if self._passwords is None:
            self._passwords = Passwords()
        return self._passwords
