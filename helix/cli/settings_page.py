"""The page of the settings, made from their dataclasses. `make docs` writes it, a test compares it."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helix import config
from helix.config import ENVIRONMENT, Config, defaults

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_HEAD = """# Configuration

Made from the code by `make docs`; do not edit. Defaults < `config.toml` in the config folder < environment < flags. An
unknown setting in the file is an error that names the nearest known one.

`helix config show` lists what is in force and where each value comes from, `helix config set NAME VALUE` writes your
`config.toml` and leaves its other lines as they are, `helix config path` says where it is. A running daemon takes
changes up when it starts again.

"""
# What depends on the platform and the user is said in words.
_PLACES = {
    "vault": "`~/helix-vault`",
    "state_dir": "your platform's state folder",
    "config_dir": "your platform's config folder",
    "url": "the daemon of the vault",
    "token": "the file `token` in the config folder",
}
_EXAMPLE = """## Example

```toml
vault = "~/notes/memory"
port = 7900

[git]
autocommit = true
```
"""


def render() -> str:
    known = defaults(Path())
    tables = [one.name for one in fields(known) if is_dataclass(getattr(known, one.name))]
    parts = [_HEAD, _table("Config", known), "\n"]
    for name in tables:
        held = getattr(known, name)
        parts += [f"## [{name}]\n\n", inspect.cleandoc(type(held).__doc__ or ""), "\n\n"]
        parts += [_table(type(held).__name__, held), "\n"]
    return "".join([*parts, _EXAMPLE])


def _table(kind: str, holder: DataclassInstance) -> str:
    meanings, variables = _meanings(kind), {key: name for name, key in ENVIRONMENT.items()}
    has_variables = isinstance(holder, Config)
    lines = (
        ["| `config.toml` | environment | default | meaning |", "|---|---|---|---|"]
        if has_variables
        else ["| setting | default | meaning |", "|---|---|---|"]
    )
    for item in fields(holder):
        value = getattr(holder, item.name)
        if is_dataclass(value):
            continue
        name = "" if item.name == "config_dir" else f"`{item.name}`"
        variable = f"`{variables[item.name]}`" if item.name in variables else ""
        cells = [name, variable] if has_variables else [name]
        default = _PLACES.get(item.name) or f"`{_to_text(value)}`"
        lines.append("| " + " | ".join([*cells, default, meanings[item.name]]) + " |")
    return "\n".join(lines) + "\n"


def _to_text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _meanings(kind: str) -> dict[str, str]:
    """What stands below each field. Python keeps no such text at run time, so the source is read."""
    source = ast.parse(inspect.getsource(config))
    tables = {one.name for one in fields(Config) if is_dataclass(one.default)}
    [holder] = [node for node in source.body if isinstance(node, ast.ClassDef) and node.name == kind]
    meanings: dict[str, str] = {}
    for field, after in zip(holder.body, [*holder.body[1:], ast.Pass()], strict=True):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            if field.target.id in tables:
                continue  # a table says what it is in its own docstring
            if not (isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)):
                raise ValueError(f"{kind}.{field.target.id} says nothing of itself in helix/config.py")
            meanings[field.target.id] = " ".join(str(after.value.value).split()).replace("|", "\\|")
    return meanings


if __name__ == "__main__":
    sys.stdout.write(render())
