"""Which vault this is: its name, and what Helix knew of it before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from helix.doctor.examined import Examined, NothingToExamine
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.errors import VaultError
from helix.index.catalog import CATALOG_FILE
from helix.vault.vault_id import IDENTITY_FILE

UNNAMED = Kind(
    "vault-unnamed",
    Severity.NOTE,
    "nobody ran `helix init` here",
    "It works. But without a name of its own the vault is a new one when it is moved, and on another machine.",
    "`helix init` gives it one and changes nothing else.",
)
BAD_IDENTITY = Kind(
    "bad-identity",
    Severity.ERROR,
    "the file that names the vault cannot be read",
    "Helix does not know which vault this is and opens none.",
    "Restore .helix/vault.toml from another machine or from git; or delete it and run `helix init`.",
)
FORMAT = Kind(
    "unknown-format",
    Severity.ERROR,
    "the vault is of a format that this Helix does not know",
    "A newer Helix has written it. This one does not touch it, so that nothing is misread.",
    "Update Helix on this machine.",
)
MOVED = Kind(
    "vault-moved",
    Severity.NOTE,
    "Helix knew this vault at another place",
    "It was moved or copied. The index is made anew at the new place; the old one takes up space.",
    "If the vault is not at the old place any more, delete that folder of derived data.",
)
REPLACED = Kind(
    "vault-replaced",
    Severity.WARNING,
    "another vault was at this place before",
    "A backup of another vault, or a new one, may have taken the place of yours.",
    "Look whether these are your memories. If all is well, delete the folder of the old derived data.",
)


def check_identity(examined: Examined) -> Iterator[Finding]:
    identity = examined.identity
    if identity is None:
        yield UNNAMED.at(str(examined.vault), "it has no .helix/vault.toml")
    elif isinstance(identity, VaultError):
        kind = FORMAT if identity.code == FORMAT.code else BAD_IDENTITY
        yield kind.at(IDENTITY_FILE, identity.message)


def check_past(examined: Examined) -> Iterator[Finding]:
    identity, vaults = examined.identity, examined.config.state_dir / "vaults"
    if not isinstance(identity, str):
        raise NothingToExamine
    here = examined.state.name.rpartition("-")[2]
    for folder in sorted(_known(vaults)):
        name, _, location = folder.name.rpartition("-")
        if name == identity and location != here and not examined.state.exists():
            yield MOVED.at(str(folder), "it was made for this vault at another path")
        elif name not in (identity, "unnamed") and location == here:
            yield REPLACED.at(str(folder), f"it was made for the vault {name}; here is {identity}")


def _known(vaults: Path) -> list[Path]:
    try:
        return [folder for folder in vaults.iterdir() if (folder / CATALOG_FILE).exists()]
    except OSError:
        return []


AREA = Area("Which vault", (UNNAMED, BAD_IDENTITY, FORMAT, MOVED, REPLACED), (check_identity, check_past))
