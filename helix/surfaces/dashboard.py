"""One page that shows the vault: what is in it, how it is, and what needs a person. No script, no assets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from helix.index.catalog import Row
from helix.vault.problem import Problem

_SHOWN = 200
_REFRESH_SECONDS = 10

_STYLE = """
:root { color-scheme: light dark; --line: #8883; --dim: #888; --bad: #c0392b; --good: #2e8b57; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p { margin: .25rem 0; } code { font-size: .85em; color: var(--dim); overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--dim); } .bad { color: var(--bad); } .good { color: var(--good); }
.deleted, .erased, .superseded { opacity: .55; } pre { white-space: pre-wrap; margin: .25rem 0; color: var(--dim); }
"""


def render(health: Mapping[str, Any], memories: Sequence[Row], problems: Sequence[Problem]) -> str:
    latest = sorted(memories, key=_changed, reverse=True)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Helix</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="{_REFRESH_SECONDS}"><style>{_STYLE}</style></head>
<body><h1>Helix</h1>{_health(health)}{_problems(problems)}{_memories(latest)}</body></html>
"""


def _health(health: Mapping[str, Any]) -> str:
    counts = ", ".join(f"{count} {escape(name)}" for name, count in sorted(health["memories"].items()))
    tone = "bad" if health["state"] == "degraded" else "good"
    reasons = "".join(f'<p class="bad">{escape(reason["message"])}</p>' for reason in health["reasons"])
    return (
        f'<p><b class="{tone}">{escape(health["state"])}</b> · {counts or "no memories yet"}</p>'
        f"<p><code>{escape(health['vault'])}</code></p>{reasons}"
    )


def _problems(problems: Sequence[Problem]) -> str:
    if not problems:
        return ""
    rows = "".join(
        f"<tr><td><code>{escape(one.path)}{f':{one.line}' if one.line else ''}</code></td>"
        f"<td>{escape(one.reason)}<br>{escape(one.remedy)}"
        f"{f'<pre>{escape(one.detail)}</pre>' if one.detail else ''}</td></tr>"
        for one in problems
    )
    return (
        f"<h2>Needs you</h2><table><tr><th>file</th><th>what is wrong, and what to do</th></tr>{rows}</table>"
    )


def _memories(rows: Sequence[Row]) -> str:
    cells = "".join(
        f'<tr class="{escape(row.status)}"><td>{escape(row.meta["title"])}<br><code>{escape(row.id)}</code></td>'
        f"<td>{escape(row.meta['kind'])}</td><td>{escape(row.meta.get('project') or '')}</td>"
        f"<td>{escape(', '.join(row.meta.get('tags', ())))}</td><td>{escape(row.status)}</td>"
        f"<td>{escape(_changed(row))}</td></tr>"
        for row in rows[:_SHOWN]
    )
    more = f"<p>and {len(rows) - _SHOWN} more</p>" if len(rows) > _SHOWN else ""
    head = "".join(f"<th>{name}</th>" for name in ("memory", "kind", "project", "tags", "status", "changed"))
    return f"<h2>Memories</h2><table><tr>{head}</tr>{cells}</table>{more}"


def _changed(row: Row) -> str:
    return str(row.meta.get("updated_at") or row.meta.get("created_at") or "")
