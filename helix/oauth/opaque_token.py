"""The texts that are handed out: 256 random bits that say nothing. What is kept of one is a hash.

A plain hash is enough, other than for what a person thinks up: nobody finds 256 bits by trying.
"""

from __future__ import annotations

import hashlib
import re
import secrets

ACCESS, REFRESH, CODE, DEVICE = "hx_at_", "hx_rt_", "hx_ac_", "hx_dc_"
_TEXT = re.compile(r"hx_(?:at|rt|ac|dc)_[A-Za-z0-9_-]{43}")
# Consonants, so that no word comes out, and none that are mistaken for each other.
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
_HALF = 4


def make_token(prefix: str) -> str:
    return prefix + secrets.token_urlsafe(32)


def is_token_text(text: str, prefix: str) -> bool:
    return text.startswith(prefix) and _TEXT.fullmatch(text) is not None


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def make_user_code() -> str:
    """What a person types: `WDJB-MJHT`, one of 25 thousand million."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(2 * _HALF))
    return f"{letters[:_HALF]}-{letters[_HALF:]}"


def parse_user_code(text: str) -> str | None:
    """As people type it: small letters, without the dash, with blanks. None for what cannot be one."""
    letters = "".join(letter for letter in text.upper() if letter not in " -\u2010\u2011\u2013")
    if len(letters) != 2 * _HALF or any(letter not in _LETTERS for letter in letters):
        return None
    return f"{letters[:_HALF]}-{letters[_HALF:]}"
