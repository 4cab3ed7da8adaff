"""The text of an API key, `hx_sk_<id>.<secret>`, and what is kept of it: the id, and a hash of the secret.

Clients of some dialects take a key only when it begins as they know it. It is the same key then, in another spelling:
whichever it is shown in, the same id and the same secret are looked at.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from typing import NamedTuple

PREFIX = "hx_sk_"
DEFAULT_SPELLING = "helix"
SPELLINGS = {DEFAULT_SPELLING: PREFIX, "novamem": "nm_"}
"""how a key begins for the clients of a dialect"""
_KEY = re.compile(
    rf"(?:{'|'.join(SPELLINGS.values())})(?P<id>[0-9a-f]{{16}})\.(?P<secret>[A-Za-z0-9_-]{{43}})"
)
_KIND = "scrypt"
_COST, _BLOCK, _LANES = 16384, 8, 1
# A file that somebody damaged must not make a request cost a minute or a gigabyte.
_MOST_COST, _MOST_BLOCK, _MOST_LANES = 1 << 18, 16, 4
_LENGTH = 32


class ApiKey(NamedTuple):
    id: str
    secret: str

    @property
    def text(self) -> str:
        return f"{PREFIX}{self.id}.{self.secret}"


def make_key() -> ApiKey:
    return ApiKey(secrets.token_hex(8), secrets.token_urlsafe(32))


def spelled_for(dialect: str, text: str) -> str:
    """The same key as the clients of a dialect know it."""
    key = parse_key(text)
    return text if key is None else f"{SPELLINGS[dialect]}{key.id}.{key.secret}"


def parse_key(text: str) -> ApiKey | None:
    """None for a text that is no key."""
    found = _KEY.fullmatch(text)
    return None if found is None else ApiKey(found["id"], found["secret"])


def hash_secret(secret: str) -> str:
    """With a salt of its own, and with what it cost, so that the cost can be raised and old keys still open."""
    salt = secrets.token_bytes(16)
    digest = _scrypt(secret, salt, _COST, _BLOCK, _LANES)
    return f"{_KIND}${_COST}${_BLOCK}${_LANES}${_encoded(salt)}${_encoded(digest)}"


def is_secret(secret: str, kept: str) -> bool:
    """Whether this is the secret of which the hash is kept. Takes some 50 ms, on purpose."""
    try:
        kind, cost, block, lanes, salt, digest = kept.split("$")
        figures = int(cost), int(block), int(lanes)
        bounds = (_MOST_COST, _MOST_BLOCK, _MOST_LANES)
        if kind != _KIND or any(figure > most for figure, most in zip(figures, bounds, strict=True)):
            return False
        return hmac.compare_digest(_scrypt(secret, _decoded(salt), *figures), _decoded(digest))
    except (ValueError, binascii.Error):
        return False


def _scrypt(secret: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    room = 128 * block * (cost + lanes + 2)
    return hashlib.scrypt(
        secret.encode(), salt=salt, n=cost, r=block, p=lanes, maxmem=room + 1024 * 1024, dklen=_LENGTH
    )


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
