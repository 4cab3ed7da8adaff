"""Whether transcripts are taken in, and of which folders: a file in the state folder of the vault, absent while off.

It names the hosts' own folders too, as they were for who turned it on: a daemon does not have that shell's variables.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from helix.memory.distill import FOLDER
from helix.state.permissions import FILE

SETTINGS_FILE = "capture.json"


@dataclass(frozen=True)
class CaptureSettings:
    folders: tuple[str, ...]
    everything: bool
    hosts: Mapping[str, str]
    """the folder of each host, by its name"""

    @property
    def shown(self) -> str:
        return "every folder" if self.everything else ", ".join(self.folders)

    def names(self, folder: str | None) -> bool:
        """Whether a transcript about this folder is wanted: it, or one that it lies in, is named."""
        if self.everything or folder is None:
            return self.everything
        if folder.startswith("sha256:"):
            return folder in {f"sha256:{_sha256(one)}" for one in self.folders}
        real = Path(os.path.realpath(folder))
        return any(real.is_relative_to(one) for one in self.folders)


def names_below(root: Path, folder: str | None) -> bool:
    """Whether the folder of a transcript, or the digest of its name, is one that the daemon works in."""
    if folder is None or not folder.startswith("sha256:"):
        return folder is not None and Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root))
    return folder in {
        f"sha256:{_sha256(str(root / FOLDER))}",
        f"sha256:{_sha256(os.path.realpath(root / FOLDER))}",
    }


def summary_of(settings: CaptureSettings | None) -> dict[str, Any]:
    """As commands answer it."""
    if settings is None:
        return {"on": False, "folders": [], "all": False, "hosts": []}
    return {
        "on": True,
        "folders": list(settings.folders),
        "all": settings.everything,
        "hosts": list(settings.hosts),
    }


def is_on(state: Path) -> bool:
    return (state / SETTINGS_FILE).is_file()


def widened(
    now: CaptureSettings | None,
    folders: Sequence[str],
    everything: bool,
    hosts: Mapping[str, str],
    *,
    keep_roots: bool = False,
) -> CaptureSettings:
    """With more folders and hosts. `keep_roots` where the hosts' own folders are known better than these say."""
    if now is None:
        return CaptureSettings(tuple(folders), everything, hosts)
    roots = now.hosts if keep_roots else {**now.hosts, **hosts}
    return CaptureSettings(
        tuple(dict.fromkeys([*now.folders, *folders])), now.everything or everything, roots
    )


def find_settings(state: Path) -> CaptureSettings | None:
    """None when it is off, and when the file cannot be read: then nothing is wanted."""
    try:
        kept = json.loads((state / SETTINGS_FILE).read_text("utf-8"))
        hosts = {str(name): str(root) for name, root in kept["hosts"].items()}
        return CaptureSettings(tuple(map(str, kept["folders"])), kept["everything"] is True, hosts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write_settings(state: Path, settings: CaptureSettings) -> None:
    file = state / SETTINGS_FILE
    draft = file.with_name(f"{SETTINGS_FILE}.{os.getpid()}")
    draft.touch(FILE)
    draft.write_text(json.dumps(asdict(settings), indent=2) + "\n", "utf-8")
    draft.replace(file)


def remove_settings(state: Path) -> bool:
    """Whether it was on."""
    was_on = is_on(state)
    (state / SETTINGS_FILE).unlink(missing_ok=True)
    return was_on


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
