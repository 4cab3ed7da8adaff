"""The files of the page, read once, under a name that changes with what they say.

A page names its modules by a fingerprint of them all (`/ui/3f0c…/app.js`). So a browser may keep them for ever, a
daemon that was upgraded is never shown with half of its old modules, and the page itself is asked for anew each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_PAGE = "index.html"
_MARK, _MODE = b"FINGERPRINT", b"MODE"


@dataclass(frozen=True)
class Served:
    data: bytes
    kind: str
    tag: str
    """its ETag: the hash of its bytes"""


@dataclass(frozen=True)
class PageFiles:
    fingerprint: str
    page: Served
    parts: Mapping[str, Served]
    """by their path below the fingerprint, such as `views/graph.js`"""


def read_files(mode: str = "local") -> PageFiles:
    """`mode` is whom the daemon serves: for one person the page asks nobody who they are."""
    found = dict(_walk(files(__package__) / "static"))
    whole = hashlib.sha256()
    for path, data in sorted(found.items()):
        whole.update(f"{path}\0{len(data)}\0".encode() + data)
    fingerprint = whole.hexdigest()[:16]
    page = found.pop(_PAGE).replace(_MARK, fingerprint.encode()).replace(_MODE, mode.encode())
    return PageFiles(
        fingerprint, _serve(_PAGE, page), {path: _serve(path, data) for path, data in found.items()}
    )


def _walk(folder: Traversable, above: str = "") -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{above}{entry.name}/")
        elif entry.name.rpartition(".")[2] in _KINDS:  # and not what an editor leaves behind
            found.append((above + entry.name, entry.read_bytes()))
    return found


def _serve(path: str, data: bytes) -> Served:
    return Served(data, _KINDS[path.rpartition(".")[2]], f'"{hashlib.sha256(data).hexdigest()[:32]}"')
