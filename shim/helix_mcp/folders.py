"""The folders that `helix` and `helixd` use by default, found without platformdirs."""

from __future__ import annotations

import os
import sys

# mypy and type checkers know this name; `typing` is slow to import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def state_folder(env: Mapping[str, str]) -> str:
    return _folder(env, "HELIX_STATE_DIR", "XDG_STATE_HOME", "~/.local/state")


def config_folder(env: Mapping[str, str]) -> str:
    return _folder(env, "HELIX_CONFIG_DIR", "XDG_CONFIG_HOME", "~/.config")


def private(path: str, flags: int) -> int:
    """To open a file that is made for its owner alone, whatever the umask says."""
    return os.open(path, flags, 0o600)


def expanded(path: str) -> str:
    """As `helix` reads a path: `~` is the home folder, everything else counts from here."""
    return os.path.abspath(os.path.expanduser(path) if path == "~" or path.startswith("~/") else path)


def _folder(env: Mapping[str, str], own: str, xdg: str, default: str) -> str:
    if chosen := env.get(own, "").strip():
        return expanded(chosen)
    if sys.platform == "win32":
        local = env.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Local")
        return os.path.join(os.path.normpath(local), "helix")
    base = env.get(xdg, "")
    if not base.startswith("/"):  # the XDG rule: a relative path is not valid and is ignored
        base = os.path.expanduser("~/Library/Application Support" if sys.platform == "darwin" else default)
    return os.path.join(base, "helix")
