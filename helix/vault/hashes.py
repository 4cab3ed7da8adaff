"""The two names of a text: of a file's bytes, and of the state of a record, however its YAML is spelled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from helix.vault.yaml_load import Value


def content_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def state_hash(meta: Mapping[str, Value], body: str) -> str:
    """Names a full state of a record: what it says, without `rev` and however it is spelled in YAML."""
    fields = {key: value for key, value in meta.items() if key != "rev"}
    canonical = json.dumps(fields, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(f"{canonical}\n{body}".encode()).hexdigest()[:12]
