"""What an admin does with the users and keys of their org, and nobody else's.

An admin gives nothing that they may not do themselves: with a key that is narrower than its user nobody makes a wider
one, nor a user who may more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from helix.access.browser_sessions import BrowserSessions
from helix.access.credentials import Credentials, KeyBounds, User
from helix.access.key_facts import to_json
from helix.access.password import Passwords, check_password
from helix.access.roles import CONNECTOR, ROLES, check_role
from helix.access.workspaces import MAIN
from helix.errors import CredentialNotFound, Forbidden
from helix.memory.principal import Principal


class People:
    def __init__(self, credentials: Credentials, sessions: BrowserSessions) -> None:
        self._credentials = credentials
        self._sessions = sessions

    def users(self, admin: Principal) -> list[dict[str, Any]]:
        keys = self._credentials.list_keys()
        return [
            {
                "user": user.name,
                "role": user.role,
                "org": user.org,
                "workspaces": None if user.workspaces is None else sorted(user.workspaces),
                "keys": sum(key.user == user.name and key.revoked_at is None for key in keys),
                "has_password": user.has_password,
                "browsers": self._sessions.count(user.name),
                "created_at": user.created_at,
            }
            for user in self._of(admin)
        ]

    def keys(self, admin: Principal) -> list[dict[str, Any]]:
        """Never their values."""
        names = {user.name for user in self._of(admin)}
        return [to_json(key) for key in self._credentials.list_keys() if key.user in names]

    def add_user(self, admin: Principal, user: str, role: str) -> dict[str, Any]:
        self._check_gives(admin, ROLES[check_role(role)])
        made = self._credentials.add_user(user, role, org=admin.org or MAIN)
        return {"user": made.name, "role": made.role, "org": made.org}

    def remove_user(self, admin: Principal, name: str) -> dict[str, Any]:
        self._get(admin, name)
        return {"user": name, "revoked_keys": self._credentials.remove_user(name)}

    def set_password(self, admin: Principal, name: str, password: str) -> dict[str, Any]:
        self._check_gives(admin, ROLES[self._get(admin, name).role])
        check_password(password, name)
        return {
            "user": name,
            "signed_out": self._credentials.set_password(name, Passwords().hash(password)),
        }

    def sign_out(self, admin: Principal, name: str) -> dict[str, Any]:
        return {"user": self._get(admin, name).name, "signed_out": self._sessions.end_all(name)}

    def create_key(
        self,
        admin: Principal,
        user: str,
        *,
        name: str = "",
        role: str | None = None,
        permissions: Iterable[str] | None = None,
        projects: Iterable[str] | None = None,
        agent: str | None = None,
        connector: str | None = None,
        harness: str | None = None,
        expires: str | None = None,
    ) -> dict[str, Any]:
        holder = self._get(admin, user)
        asked = CONNECTOR if connector and permissions is None else permissions
        wanted = None if asked is None else frozenset(asked)
        self._check_gives(admin, ROLES[check_role(role or holder.role)] if wanted is None else wanted)
        only = None if projects is None else frozenset(projects)
        bounds = KeyBounds(wanted, only, agent or None, connector or None, harness or None)
        key, text = self._credentials.create_key(
            holder.name, name=name, role=role, bounds=bounds, expires_in=expires or None
        )
        return {"key": text, **to_json(key)}

    def revoke_key(self, admin: Principal, key_id: str) -> dict[str, Any]:
        if key_id not in {key["id"] for key in self.keys(admin)}:
            raise CredentialNotFound(f"there is no key {key_id[:40]!r}; `helix key list` shows their ids")
        return to_json(self._credentials.revoke_key(key_id))

    def _of(self, admin: Principal) -> list[User]:
        is_owner = admin.sees_everything
        return [user for user in self._credentials.list_users() if is_owner or user.org == admin.org]

    def _get(self, admin: Principal, name: str) -> User:
        user = next((user for user in self._of(admin) if user.name == name), None)
        if user is None:
            raise CredentialNotFound(f"there is no user {name[:80]!r}; `helix user list` shows them")
        return user

    def _check_gives(self, admin: Principal, permissions: Iterable[str]) -> None:
        is_narrow = any(
            bound is not None for bound in (admin.projects, admin.agent, admin.harness, admin.workspaces)
        )
        if not admin.sees_everything and is_narrow:
            raise Forbidden("this key is bound to less than its user, and makes nobody who is not")
        if more := sorted(name for name in permissions if not admin.may(name)):
            raise Forbidden.of(more[0])
