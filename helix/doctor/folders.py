"""The three folders: vault, state and configuration. Are they there, whose are they, and which lies in which?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.state.database import why_disk_refuses
from helix.token_file import TOKEN_FILE

MISSING = Kind(
    "vault-missing",
    Severity.ERROR,
    "there is no vault where the settings say",
    "Nothing can be remembered or found.",
    "`helix init` makes one. If it was moved, set HELIX_VAULT to where it is; if a drive is missing, mount it.",
)
NOT_A_FOLDER = Kind(
    "vault-not-a-folder",
    Severity.ERROR,
    "the vault is a file",
    "A vault is a folder of markdown files.",
    "Set HELIX_VAULT to the folder.",
)
UNREADABLE = Kind(
    "vault-not-readable",
    Severity.ERROR,
    "the vault cannot be listed",
    "Helix sees no memory in it.",
    "Give yourself the permission: `chmod u+rwx` the folder, or `chown` it.",
)
READ_ONLY = Kind(
    "vault-not-writable",
    Severity.ERROR,
    "a folder of the vault cannot be written to",
    "Nothing can be remembered there, and conflict copies cannot be merged.",
    "Give yourself the permission: `chmod u+w` the folder. A read-only mount has to be mounted again.",
)
STATE = Kind(
    "state-unusable",
    Severity.ERROR,
    "the state folder cannot be made or written to",
    "Catalog and index have no place, so no command can open the vault.",
    "Check its permissions, or set HELIX_STATE_DIR to a folder that is yours.",
)
STATE_UNWRITABLE = Kind(
    "state-unwritable",
    Severity.ERROR,
    "the disk of the state folder is full or read-only",
    "What a running daemon writes is safe in the vault, but not found yet, and not kept for merges and retries. What "
    "was erased may still stand in the state folder. No daemon can start.",
    "Make room on its disk, mount it writable again, or set HELIX_STATE_DIR to a folder on another disk. "
    "A running daemon catches up by itself.",
)
CONFIG = Kind(
    "config-unusable",
    Severity.WARNING,
    "the config folder cannot be made or written to",
    "No token can be kept, and no setting changed.",
    "Check its permissions, or set HELIX_CONFIG_DIR to a folder that is yours.",
)
OPEN_TOKEN = Kind(
    "token-readable-by-others",
    Severity.ERROR,
    "other users of this machine can read the token",
    "It opens every memory.",
    "`chmod 600` the file, and `helix token --rotate` if somebody may have read it.",
)
OPEN_STATE = Kind(
    "state-readable-by-others",
    Severity.WARNING,
    "other users of this machine can read the state folder",
    "It holds the words of memories and earlier versions of them.",
    "`chmod 700` the folder.",
)
STATE_INSIDE = Kind(
    "state-inside-vault",
    Severity.ERROR,
    "the state folder lies inside the vault",
    "A sync client carries the databases to other machines while they are being written, and damages them there.",
    "Set HELIX_STATE_DIR to a folder outside, then delete the one inside.",
)
VAULT_INSIDE = Kind(
    "vault-inside-state",
    Severity.ERROR,
    "the vault lies inside the state folder",
    "The state folder is derived data that people delete when something is odd; the memories would go with it.",
    "Move the vault out and set HELIX_VAULT.",
)
CONFIG_INSIDE = Kind(
    "config-inside-vault",
    Severity.ERROR,
    "the config folder lies inside the vault",
    "The token would be synced to other machines, and committed by git.",
    "Set HELIX_CONFIG_DIR to a folder outside, move the files there, and run `helix token --rotate`.",
)


def check_vault(examined: Examined) -> Iterator[Finding]:
    vault = examined.vault
    named = "HELIX_VAULT" if examined.around.env.get("HELIX_VAULT") else "the settings"
    if not os.path.lexists(vault):
        yield MISSING.at(
            str(vault), f"{named} point{'s' if named == 'HELIX_VAULT' else ''} at it and it is not there"
        )
    elif not vault.exists():
        yield MISSING.at(str(vault), f"it is a link to {os.readlink(vault)}, which is not there")
    elif not vault.is_dir():
        yield NOT_A_FOLDER.at(str(vault), "it is not a folder")
    elif not os.access(vault, os.R_OK | os.X_OK, effective_ids=_effective()):
        yield UNREADABLE.at(str(vault), "it cannot be listed")


def check_writing(examined: Examined) -> Iterator[Finding]:
    vault = examined.there
    for folder in ("", *examined.entries.folders):
        if not os.access(vault / folder, os.W_OK, effective_ids=_effective()):
            yield READ_ONLY.at(folder or str(vault), "you may not write into this folder")


def check_state(examined: Examined) -> Iterator[Finding]:
    state = examined.config.state_dir
    folder = next((above for above in (state, *state.parents) if above.exists()), state)
    if (reason := why_disk_refuses(folder)) is not None:
        yield STATE_UNWRITABLE.at(str(state), reason)
    elif (reason := _why_unusable(state)) is not None:
        yield STATE.at(str(state), reason)
    if (reason := _why_unusable(examined.config.config_dir)) is not None:
        yield CONFIG.at(str(examined.config.config_dir), reason)


def check_modes(examined: Examined) -> Iterator[Finding]:
    token = examined.config.config_dir / TOKEN_FILE
    if is_open_to_others(token):
        yield OPEN_TOKEN.at(str(token), f"its mode is {token.stat().st_mode & 0o777:o}")


def check_state_mode(examined: Examined) -> Iterator[Finding]:
    if is_open_to_others(examined.state):
        yield OPEN_STATE.at(str(examined.state), f"its mode is {examined.state.stat().st_mode & 0o777:o}")


def check_nesting(examined: Examined) -> Iterator[Finding]:
    vault, state, config = map(_real, (examined.vault, examined.config.state_dir, examined.config.config_dir))
    if state.is_relative_to(vault):
        yield STATE_INSIDE.at(str(examined.config.state_dir), f"it is below {examined.vault}")
    if config.is_relative_to(vault):
        yield CONFIG_INSIDE.at(str(examined.config.config_dir), f"it is below {examined.vault}")
    if vault != state and vault.is_relative_to(state):
        yield VAULT_INSIDE.at(str(examined.vault), f"it is below {examined.config.state_dir}")


def is_open_to_others(path: Path) -> bool:
    """Whether somebody else on this machine may read it. Windows keeps no such modes."""
    try:
        return os.name != "nt" and bool(path.stat().st_mode & 0o077)
    except OSError:
        return False


def _why_unusable(folder: Path) -> str | None:
    for above in (folder, *folder.parents):
        if not above.exists():
            continue
        if not above.is_dir():
            return f"{above} is a file" if above != folder else "it is a file"
        if not os.access(above, os.W_OK | os.X_OK, effective_ids=_effective()):
            return f"you may not write into {above}"
        return None
    return None


def _effective() -> bool:
    return os.access in os.supports_effective_ids


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


AREA = Area(
    "Folders",
    (MISSING, NOT_A_FOLDER, UNREADABLE, READ_ONLY, STATE, STATE_UNWRITABLE, CONFIG, OPEN_TOKEN, OPEN_STATE,
     STATE_INSIDE, VAULT_INSIDE, CONFIG_INSIDE),
    (check_vault, check_writing, check_state, check_modes, check_state_mode, check_nesting),
)  # fmt: skip
