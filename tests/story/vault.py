"""A vault as a story left it, with what differs from run to run taken out: `python tests/story/vault.py FOLDER`.

Prints JSON, path → text. Standard library only: the suites of both SDKs compare it with `ending.json`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

_BORN = re.compile(r"mem_\d{4}-\d{2}-\d{2}_([a-z0-9-]+)_[a-z0-9]{4,}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z")
_REVISIONS = re.compile(r"(?m)^rev: .*$")
# A key that the story does not name was made by the SDK.
_MADE_KEY = re.compile(r"(?m)^idempotency_key: (?!story-).*$")


def normalized(text: str) -> str:
    """Ids without date and ending, times, hashes of writes and made keys without their values."""
    text = _BORN.sub(r"mem_\1", text)
    text = _TIME.sub("TIME", text)
    text = _REVISIONS.sub("rev: HASHES", text)
    return _MADE_KEY.sub("idempotency_key: MADE", text)


def read_vault(folder: Path) -> dict[str, str]:
    """Every note; what Helix, git and editors keep for themselves lies in dot folders and dot files."""
    files = (file for file in folder.rglob("*.md") if file.is_file())
    paths = {file.relative_to(folder): file for file in files}
    return {
        normalized(path.as_posix()): normalized(file.read_text("utf-8"))
        for path, file in sorted(paths.items())
        if not any(part.startswith(".") for part in path.parts)
    }


if __name__ == "__main__":
    print(json.dumps(read_vault(Path(sys.argv[1])), ensure_ascii=False, indent=2, sort_keys=True))
