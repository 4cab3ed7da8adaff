"""Office files are zip files: what one would unpack to is known before anything of it is unpacked."""

from __future__ import annotations

import io
import zipfile

from helix.knowledge.documents.converted import Unreadable
from helix.knowledge.documents.limits import MOST_UNPACKED

_MOST_PARTS = 20_000
_ENCRYPTED = 0x1


def checked(data: bytes, must_have: str) -> io.BytesIO:
    """Raises Unreadable for one that is damaged, protected, of another kind, or larger than it looks."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as error:
        raise Unreadable("it is damaged: its parts cannot be found") from error
    if any(part.flag_bits & _ENCRYPTED for part in parts):
        raise Unreadable("it is protected by a password; save it anew without")
    if len(parts) > _MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise Unreadable(f"it would unpack to more than {MOST_UNPACKED // 2**20} MiB")
    if must_have not in {part.filename for part in parts}:
        raise Unreadable(f"it is a zip file of another kind: there is no {must_have} in it")
    return io.BytesIO(data)
