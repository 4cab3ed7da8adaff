"""Whether a text holds a secret: a memory is a file that is synced, committed and shown to every agent.

Found by what providers put in front of their keys, by the shape of headers and addresses, and by a random-looking value
next to a word such as `password`. The answer names the kind and never the value. Every rule looks at a bounded stretch
after a fixed mark, so the time is linear in the length of the text, whatever is in it.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from helix.vault.secret_patterns import MARKS

_LONG_NAME = 16
_MOST = 2_000
"""places of one mark that are looked at; a text with more is made of nothing else"""
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")

# Web pages put these into what is copied from them, and nobody sees that they are there.
_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"

_LONG = re.compile(r"\S{16,}")
"""a marked key is at least that long, and most of a text is not; looking only there is ten times faster"""

_PLACEHOLDER = re.compile(
    r"\.\.\.|…|[<>{}*•]|\$\(|%\w|x{4}|0{8}|1234567|example|your[-_]?|placeholder|change[-_]?me|dummy|redacted|sample"
    r"|fake|insert|replace|secret[-_]?here|token[-_]?here|key[-_]?here|hidden|masked|foobar|abcdefg",
    re.IGNORECASE,
)
# What stands in compose files and tutorials: everybody knows it.
_KNOWN_PASSWORDS = frozenset(
    [
        "postgres",
        "password",
        "passwd",
        "pass",
        "root",
        "admin",
        "guest",
        "user",
        "test",
        "secret",
        "mysql",
        "dev",
        "local",
        "pwd",
        "token",
    ]
)

_PEM = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n){0,4}"
    r"(?:[A-Za-z-]{1,30}: ?[^\n]{0,100}\n\s{0,2}){0,4}[A-Za-z0-9+/=]{40}"
)
_USER_INFO = re.compile(r"://[^\s:/@\"'`<>]{0,100}:([^\s/@\"'`<>]{3,200})@[\w\[]")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]{1,20}$")
_DATABASES = re.compile(
    r"(?:postgres|mysql|mariadb|mongodb|redis|amqp|mssql|sqlserver|clickhouse|cockroach|oracle)"
)

_NAMES = (
    ("a password", ("password", "passwd", "passphrase", "pwd")),
    (
        "an API key",
        (
            "api_key",
            "api-key",
            "apikey",
            "api key",
            "access_key",
            "access-key",
            "accesskey",
            "access key",
            "account_key",
            "accountkey",
        ),
    ),
    (
        "a key",
        ("private_key", "secret_key", "secret-key", "secretkey", "signing_key", "encryption_key", "auth_key"),
    ),
    ("a secret", ("secret",)),
    ("a token", ("token",)),
)
_VALUE = re.compile(
    r"(?P<rest>(?:[_-][\w-]{0,30})?)[\"'`*]{0,3}"
    r"(?P<joint>\s{0,4}(?::=|=>|[:=])|(?:\s(?:of|for|on|to)(?:\s[\w.-]{1,30}){1,2})?\s(?i:is|was)\s)[\s>|]{0,4}[\"'`]{0,2}"
    r"(?P<value>[^\s\"'`,;<>()\[\]]{8,200})(?P<after>.?)"
)
# `token_url`, `secret_name`, `password_hash`: about a secret, not the secret.
_ABOUT = re.compile(
    r"(?:id|ids|name|url|uri|path|file|type|count|counts|limit|length|len|ttl|expir\w*|hash|digest|arn|ref|field|env|var|header"
    r"|policy|hashing|algorithm|min|max|size|budget|prefix|version|s)$",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"[$@/~.]|\w+://|[A-Za-z_]\w{0,19}(?:\.[A-Za-z_]\w{0,19})+$|(?:[A-Za-z]+|\d{1,4})(?:[-_.](?:[A-Za-z]+|\d{1,4}))*$|[A-Z][A-Z0-9_]*$|(?:process|os|env|config)\b"
    r"|(?i:sha-?\d+|argon2|bcrypt|scrypt|pbkdf2|base64|oauth2|erc\d+)|vault:|op:|arn:|mem_\d|\d[\d.:/-]*$"
)
_BEARER = re.compile(r"bearer\s{1,4}([A-Za-z0-9._~+/-]{20,2000}={0,2})", re.IGNORECASE)
_BASIC = re.compile(r"basic\s{1,4}([A-Za-z0-9+/]{8,400}={0,2})", re.IGNORECASE)


# No rule reaches across it: what stands in two fields is never read as one.
_BETWEEN = "\n\0\n"


@dataclass(frozen=True)
class Leak:
    kind: str
    """in plain words"""
    where: str
    """the field, and in a long one the line; never the value"""


def find_leak(record: Mapping[str, object]) -> Leak | None:
    """The first secret in what is about to be written: in names and values, however deep they stand.

    It takes the record as a whole, so that a field that is added to it later is looked at too.
    """
    fields = list(_strings(record, ""))
    # One look at everything costs less than a look at each, and nearly always finds nothing.
    if find_secret(_BETWEEN.join(f"{name}: {text}" for name, text in fields)) is None:
        return None
    for name, text in fields:
        if (kind := find_secret(f"{name}: {text}")) is not None:
            return Leak(kind, f"{name}, line {line}" if (line := line_of_secret(text)) > 1 else name)
    return None


def line_of_secret(text: str) -> int:
    """The number of the line in which the first secret ends; 0 when there is none."""
    lines = text.splitlines(keepends=True)
    if find_secret(text) is None:
        return 0
    low, high = 1, len(lines)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if find_secret("".join(lines[:middle])) is not None else (middle + 1, high)
    return low


def _strings(value: object, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            # A long name may be the secret itself: it is looked at as a value of the field around it.
            is_long = len(str(key)) >= _LONG_NAME
            if is_long:
                yield name or "a name", str(key)
            yield from _strings(inner, name or "a name" if is_long else str(key))
    elif isinstance(value, Sequence | Set) and not isinstance(value, bytes):
        for inner in value:
            yield from _strings(inner, name)


def find_secret(text: str) -> str | None:
    """The kind of the first secret found, in plain words; None if there is none."""
    for sign in _UNSEEN if not text.isascii() else "":
        text = text.replace(sign, "")
    # Of the same length, unlike lower() of İ.
    lowered = text.lower() if text.isascii() else text.translate(_LOWER)
    return (
        _find_marked(" ".join(_LONG.findall(text)))
        or _find_private_key(text)
        or _find_in_address(text)
        or _find_in_header(text, lowered)
        or _find_assigned(text, lowered)
    )


def _find_marked(text: str) -> str | None:
    # Most texts hold none of them, and to ask that first costs less than to look for each.
    for mark in [mark for mark in MARKS if mark.text in text]:
        for place in _places(text, mark.text):
            before = mark.before.search(text[max(0, place - 40) : place])
            found = mark.pattern.match(text, place) if before else None
            if before is None or found is None:
                continue
            value = before[0] + found[0][len(mark.text) :]
            if not _is_placeholder(value) and len(set(value)) > 5 and _looks_random(value):
                return mark.kind
    return None


def _find_private_key(text: str) -> str | None:
    found = any(_PEM.match(text, place) for place in _places(text, "-----BEGIN "))
    return "a private key" if found else None


def _find_in_address(text: str) -> str | None:
    for place in _places(text, "://"):
        found = _USER_INFO.match(text, place)
        if (
            found is None
            or _is_placeholder(found[1])
            or found[1].lower() in _KNOWN_PASSWORDS
            or found[1][0] in "$%"
        ):
            continue
        user = found[0][3:].split(":", 1)[0]
        scheme = _SCHEME.search(text[max(0, place - 21) : place].translate(_LOWER))
        if scheme is None or user == found[1]:
            continue
        return "a database password in a URL" if _DATABASES.match(scheme[0]) else "a password in a URL"
    return None


def _find_in_header(text: str, lowered: str) -> str | None:
    for place in _places(lowered, "bearer"):
        found = _BEARER.match(text, place)
        if found and not _is_placeholder(found[1]) and _looks_random(found[1]):
            return "a bearer token"
    for place in _places(lowered, "basic"):
        found = _BASIC.match(text, place)
        if found and _is_user_and_password(found[1]):
            return "a user name and password in a header"
    return None


def _is_user_and_password(encoded: str) -> bool:
    try:
        decoded = base64.b64decode(encoded, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in decoded and decoded.isprintable() and not _is_placeholder(decoded)


def _find_assigned(text: str, lowered: str) -> str | None:
    for kind, names in _NAMES:
        for name in [name for name in names if name in lowered]:
            for place in _places(lowered, name):
                found = _VALUE.match(text, place + len(name))
                if found and _is_secret_value(found, is_password=kind == "a password"):
                    return kind
    return None


def _is_secret_value(found: re.Match[str], *, is_password: bool) -> bool:
    value = found["value"].rstrip(".!?)")
    if _ABOUT.search(found["rest"]) or found["after"] == "(":
        return False
    if found["joint"].strip()[-1] not in ":=>":
        is_secret = len(value) >= 8 and _classes(value) >= 3  # in prose a word follows `the password is`
    elif is_password:
        is_secret = any(letter.isdigit() for letter in value) and _classes(value) >= 2
    else:
        is_secret = len(value) >= 16 and _classes(value) >= 2 and _looks_random(value)
    return is_secret and not _REFERENCE.match(value) and not _is_placeholder(value)


def _places(text: str, mark: str) -> Iterator[int]:
    place = text.find(mark)
    for _ in range(_MOST):
        if place < 0:
            return
        yield place
        place = text.find(mark, place + len(mark))


def _is_placeholder(value: str) -> bool:
    return bool(_PLACEHOLDER.search(value))


def _classes(value: str) -> int:
    """How many of: small letters, capitals, digits, signs."""
    return sum(
        (
            any(letter.islower() for letter in value),
            any(letter.isupper() for letter in value),
            any(letter.isdigit() for letter in value),
            any(not letter.isalnum() for letter in value),
        )
    )


def _looks_random(value: str) -> bool:
    """Words and slugs are long too, but have no digits among their letters and repeat themselves."""
    if not any(letter.isdigit() for letter in value) and not (
        any(letter.islower() for letter in value) and any(letter.isupper() for letter in value)
    ):
        return False
    counts = Counter(value)
    entropy = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return entropy >= 2.8
