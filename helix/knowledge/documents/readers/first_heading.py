"""The heading that a text begins with: its title, where nothing else says one."""

from __future__ import annotations


def first_heading(text: str) -> str | None:
    first = next((line for line in text.splitlines() if line.strip()), "")
    return first.strip("# \t") or None if first.startswith("# ") else None
