"""How commands tell of a job."""

from __future__ import annotations

from typing import Any

from helix.cli.output import err, out

_SHOWN = 20
"""that are printed for people; --json has more"""
_COUNTED = ("created", "superseded", "completed", "moved", "unchanged", "same", "forgotten")


def print_report(job: dict[str, Any]) -> None:
    counts = job["counts"]
    done = ", ".join(f"{counts[name]} {name}" for name in _COUNTED if counts.get(name)) or "nothing"
    out.print(f"{job['state']}: {job['subject']}: {done}; {counts.get('notes', 0)} notes made")
    if job["state"] in ("queued", "running"):
        err.print(
            f"{job['done']} of {job['total'] or '?'} files; `helix jobs show {job['job_id']}`", style="dim"
        )
    if job["error"]:
        err.print(job["error"], style="red")
    if job["ignored"]:
        err.print(
            f"no documents: {', '.join(f'{count} {end}' for end, count in job['ignored'].items())}",
            style="dim",
        )
    for problem in job["problems"][:_SHOWN]:
        err.print(f"{problem['name']}: {problem['reason']}", style="yellow")
    if (more := counts.get("problems", 0) - _SHOWN) > 0:
        err.print(f"… and {more} more; --json lists them", style="yellow")
    for gone in job["vanished"][:_SHOWN]:
        err.print(
            f"{gone['name']}: is gone; its notes stay until `helix documents forget {gone['id']}`",
            style="yellow",
        )
