"""The local bearer token: one secret in the user's config folder, made when it is first needed.

The daemon compares with it, clients show it, `helix token` prints it. A token in the settings takes its place.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from helix_mcp.address import Address, BadAddress
from helix_mcp.login import Login
from helix_mcp.proof import Owner

from helix.config import Config
from helix.errors import ConfigError

TOKEN_FILE = "token"  # noqa: S105 (a file name)


def owner_of(config: Config, url: str) -> Owner:
    """Who asks the daemon at this address: what listens there proves that it knows the same token."""
    try:
        address = Address(url)
    except BadAddress as error:
        raise ConfigError(str(error)) from error
    return Owner(
        address,
        str(config.config_dir / TOKEN_FILE),
        config.token,
        chosen=url.rstrip("/") == config.url.rstrip("/"),
        login=Login(str(config.config_dir), address),
    )


class TokenFile:
    def __init__(self, config: Config) -> None:
        self._set = config.token
        self._path = config.config_dir / TOKEN_FILE
        self._seen: tuple[int, int, int] | None = None
        self._read = ""

    def get(self) -> str:
        """The token in force; one is made when there is none."""
        return self.find() or self._make()

    def find(self) -> str | None:
        """The token in force, also when another process has just changed it; None when there is none."""
        if self._set:
            return self._set
        try:
            info = self._path.stat()
            seen = (info.st_mtime_ns, info.st_ino, info.st_size)
            if seen != self._seen:
                self._read, self._seen = self._path.read_text("ascii").strip(), seen
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"the token in {self._path} cannot be read ({error}); `helix token --rotate` makes a new one"
            ) from error
        return self._read or None

    def rotate(self) -> str:
        """A new token; the old one opens nothing any more."""
        if self._set:
            raise ConfigError("the token is set by HELIX_TOKEN or in config.toml; change it there")
        draft, token = self._draft()
        draft.replace(self._path)
        return token

    def _make(self) -> str:
        draft, token = self._draft()
        try:
            # A link appears with its content, and not at all where another process was faster.
            os.link(draft, self._path)
        except FileExistsError:
            return self.find() or self.rotate()  # an empty file is no token
        finally:
            with suppress(OSError):
                draft.unlink()
        return token

    def _draft(self) -> tuple[Path, str]:
        token = secrets.token_urlsafe(32)
        draft = self._path.with_name(f".{TOKEN_FILE}-{secrets.token_hex(4)}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise ConfigError(
                f"no token can be kept in {self._path.parent} ({error.strerror}); set HELIX_CONFIG_DIR"
            ) from error
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{token}\n")
        return draft, token
