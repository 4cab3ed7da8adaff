"""Every dialect there is, by its name."""

from __future__ import annotations

from helix.dialects.dialect import Dialect
from helix.dialects.helix.dialect import HELIX
from helix.dialects.vault.dialect import VAULT

DEFAULT = HELIX.name
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (HELIX, VAULT)}
