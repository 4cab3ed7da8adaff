"""A file of a source as text: no link followed, nothing waited for, lines with a credential left out."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from helix.sources.limits import LARGEST_FILE
from helix.vault.secrets import find_secret
from helix.vault.walk import Signature

_SNIFFED = 8192
_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?:\n[A-Za-z0-9+/=:, -]*+)++")
REMOVED = "[a credential was left out]"


class NoText(Exception):
    """Why a file is not searched; a sentence, or nothing for what plainly is no text."""


@dataclass(frozen=True)
class FileText:
    text: str
    signature: Signature
    blob: str
    """how git calls this content"""

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")


def read_text(top: Path, path: str) -> FileText:
    """Raises NoText, and FileNotFoundError. No folder on the way may be a link by now."""
    data, info = _read(top, path)
    if b"\0" in data[:_SNIFFED]:
        raise NoText("")
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return FileText(without_secrets(text), Signature.of(info), blob)


def without_secrets(text: str) -> str:
    """The same lines; those that make a text look as if it held a credential are taken out, each by itself."""
    text = _KEY_BLOCK.sub(_blanked, text)
    if find_secret(text) is None:
        return text
    lines = text.split("\n")
    step = 40
    for at in range(0, len(lines), step // 2):
        while find_secret("\n".join(lines[at : at + step])) is not None:
            narrow = next(
                (line for line in range(at, min(at + step, len(lines))) if find_secret(lines[line])), None
            )
            # A key of several lines is none by any of them.
            span = range(at, min(at + step, len(lines))) if narrow is None else (narrow,)
            for line in span:
                lines[line] = REMOVED
    return "\n".join(lines)


def _blanked(block: re.Match[str]) -> str:
    return "\n".join(REMOVED for _ in block[0].split("\n"))


def _read(top: Path, path: str) -> tuple[bytes, os.stat_result]:
    real = os.path.realpath(top / path)
    if real != str(top / path):
        raise NoText("is a symbolic link, or lies behind one, which is not followed")
    try:
        number = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise NoText(f"cannot be read: {error.strerror}") from error
    with os.fdopen(number, "rb") as file:
        info = os.fstat(number)
        if not stat.S_ISREG(info.st_mode):
            raise NoText("is no file but a pipe, a socket or a device")
        try:
            data = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise NoText(f"cannot be read: {error.strerror}") from error
    if len(data) > LARGEST_FILE:
        raise NoText(f"has more than {LARGEST_FILE >> 20} MiB, which is as much as is searched")
    return data, info
