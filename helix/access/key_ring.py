"""Who shows a key, and who signed in: looked up in memory. A key is proved slowly, and once.

What is in memory is read again as soon as another process has written, so that a key that is revoked opens nothing from
the next request on. That a text was proved is remembered for a while by its hash, never the text; it counts only as
long as the key has the very hash against which it was proved.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from helix.access.api_key import is_secret, parse_key
from helix.access.browser_sessions import BrowserSession
from helix.access.credentials import Credentials, Key, KeyBounds, User
from helix.access.roles import ROLES
from helix.memory.principal import Principal
from helix.vault.times import format_time

_REMEMBERED = 600.0
_MOST_REMEMBERED = 4096


@dataclass(frozen=True)
class Holder:
    """Whose key was shown, and which."""

    key: Key
    principal: Principal


class KeyRing:
    def __init__(self, credentials: Credentials, clock: Callable[[], datetime]) -> None:
        self._credentials = credentials
        self._clock = clock
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._users: Mapping[str, User] = {}
        self._holders: dict[str, Holder] = {}
        self._proved: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._used: dict[str, str] = {}

    def find(self, key_id: str) -> Holder | None:
        """Of a key that is valid now."""
        with self._lock:
            self._read_again()
            holder = self._holders.get(key_id)
        return holder if holder is not None and holder.key.is_valid_at(format_time(self._clock())) else None

    def find_user(self, name: str) -> User | None:
        with self._lock:
            self._read_again()
            return self._users.get(name)

    def signed_in(self, session: BrowserSession) -> Principal | None:
        """Whose session of a browser it is. With a key: as long as that is valid, for what it is good for."""
        if session.key is None:
            user = self.find_user(session.user)
            found = None if user is None else _principal(user)
        else:
            holder = self.find(session.key)
            found = None if holder is None else holder.principal
        return None if found is None else replace(found, browser_session=session.name)

    def recognize(self, text: str) -> Holder | None:
        """Of a text that was proved a while ago; None when it has to be proved, or is nobody's."""
        holder = self._holder_of(text)
        if holder is None:
            return None
        now, digest = self._clock(), _digest(text)
        with self._lock:
            kept, until = self._proved.get(digest, ("", 0.0))
            if kept != holder.key.hash or now.timestamp() > until:
                return None
            self._used[holder.key.id] = format_time(now)
        return holder

    def prove(self, text: str) -> Holder | None:
        """Takes some 50 ms of a core; None for a text that is nobody's valid key."""
        key, holder = parse_key(text), self._holder_of(text)
        # An id that nobody has costs nothing: ids are shown in lists and are no secret.
        if key is None or holder is None or not is_secret(key.secret, holder.key.hash):
            return None
        now = self._clock()
        with self._lock:
            self._proved[_digest(text)] = (holder.key.hash, now.timestamp() + _REMEMBERED)
            while len(self._proved) > _MOST_REMEMBERED:
                self._proved.popitem(last=False)
            self._used[holder.key.id] = format_time(now)
        return holder

    def keep_last_uses(self) -> None:
        """Write down when keys were last shown: now and then, and not with each request."""
        with self._lock:
            used, self._used = self._used, {}
        if used:
            self._credentials.used(used)

    def _holder_of(self, text: str) -> Holder | None:
        key = parse_key(text)
        return None if key is None else self.find(key.id)

    def _read_again(self) -> None:
        version = self._credentials.file.version()
        if version != self._version:
            users, keys = self._credentials.everyone()
            self._holders = {
                key.id: Holder(key, _principal(users[key.user], key))
                for key in keys.values()
                if key.user in users
            }
            self._users = users
            self._version = version


def _principal(user: User, key: Key | None = None) -> Principal:
    """Who came in without a key may whatever their role says."""
    bounds = KeyBounds() if key is None else key.bounds
    return Principal(
        kept_name(user, bounds),
        user=user.name,
        projects=bounds.projects,
        permissions=ROLES[user.role] if key is None else key.allowed(user.role),
        agent=bounds.agent,
        harness=bounds.harness,
        key=None if key is None else key.id,
        org=user.org,
        workspaces=both_bounds(user.workspaces, bounds.workspaces),
    )


def kept_name(user: User, bounds: KeyBounds) -> str:
    """What is kept for somebody (cursors, idempotency keys) is kept by this name. A key that is bound to less than its
    user keeps apart from those that are not: a cursor would otherwise carry what was seen with one to the other."""
    if bounds.projects is None and bounds.agent is None:
        return user.name
    words = "\n".join(["" if bounds.agent is None else bounds.agent, *sorted(bounds.projects or ())])
    return f"{user.name}/{hashlib.sha256(words.encode()).hexdigest()[:12]}"


def both_bounds(first: frozenset[str] | None, second: frozenset[str] | None) -> frozenset[str] | None:
    """What both bounds leave; None bounds nothing."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
