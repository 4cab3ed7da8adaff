"""Properties in TOML (`+++`) or JSON (`{`), as Hugo and other publishing tools write them above a note.

The one place that knows python-frontmatter, which tells them from the text. YAML is read by the vault's own loader.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from frontmatter import parse as parse_properties
from frontmatter.default_handlers import BaseHandler, JSONHandler

from helix.errors import EditRefused
from helix.vault.frontmatter import Document, new_document
from helix.vault.yaml_load import Value


class _TomlHandler(BaseHandler):
    """The package has one of its own only where another TOML library is installed."""

    FM_BOUNDARY = re.compile(r"^\+{3,}\s*$", re.MULTILINE)

    def load(self, fm: str) -> dict[str, Any]:
        return tomllib.loads(fm)


_HANDLERS = {"+++": _TomlHandler(), "{": JSONHandler()}


def find_document(text: str) -> Document | None:
    """The note with its properties; None where the text begins with none that can be read: then all of it is text."""
    first, _, rest = text.removeprefix("\ufeff").partition("\n")
    handler = _HANDLERS.get(first.strip())
    if handler is None or not rest:
        return None
    try:
        properties, body = parse_properties(f"{first.strip()}\n{rest}", handler=handler)
        return new_document(_plain_mapping(properties), f"{body}\n") if properties else None
    except (ValueError, RecursionError, EditRefused):
        return None


def _plain_mapping(properties: Mapping[str, Any]) -> dict[str, Value]:
    return {str(name): _plain(value) for name, value in properties.items()}


def _plain(value: Any) -> Value:
    """As YAML has it: TOML has dates and times of its own."""
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
