"""Ids: `mem_<date>_<slug>_<suffix>` for memories, `file_<slug>_<hash>` for files that have none yet."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import PurePosixPath

from helix.vault.normalize import normalize
from helix.vault.paths import slug

# Lower-case base32: nothing that a case-folding file system (macOS, Windows) could confuse.
_ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"
_SUFFIX_LENGTH = 6
PREFIX = "mem_"
_USABLE = re.compile(r"[^\s\x00-\x1f\x7f/\\\[\]|#^]{1,200}")


def new_id(title: str, moment: datetime, taken: Callable[[str], bool]) -> str:
    """An id that `taken` does not know; `taken` is asked with the case-folded id."""
    stem = f"{PREFIX}{moment.astimezone(UTC):%Y-%m-%d}_{slug(title)}"
    length = _SUFFIX_LENGTH
    while True:
        candidate = f"{stem}_{''.join(secrets.choice(_ALPHABET) for _ in range(length))}"
        if not taken(candidate.casefold()):
            return candidate
        length += 1


def derived_id(path: str) -> str:
    """The id of a file that has none: from its path, the same on every machine.

    NFC, because macOS hands out decomposed names for files that Linux wrote composed.
    """
    normal = normalize("NFC", path)
    digest = hashlib.sha256(normal.encode("utf-8", "surrogateescape")).hexdigest()[:10]
    return f"file_{slug(PurePosixPath(normal).stem)}_{digest}"


def stub_id(absorbed_id: str, path: str) -> str:
    """The id of the stub that an absorbed conflict copy becomes: from the inputs alone, so that two
    machines that merge apart write the same stub."""
    digest = hashlib.sha256(f"{absorbed_id}\n{normalize('NFC', path)}".encode()).hexdigest()[:10]
    return f"mem_merged-copy_{digest}"


def is_usable(value: object) -> bool:
    """Whether a person's `id:` can be one: it must fit in a wikilink and in a file name."""
    return isinstance(value, str) and _USABLE.fullmatch(value) is not None
