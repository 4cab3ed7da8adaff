"""helix skill: what agents learned to do, from the logs of sessions, and what of it is published."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from helix.cli.output import Json, err, out, print_facts, print_json, reports_errors, shortened
from helix.cli.published_skill import add_publishing
from helix.cli.verbs import Verbs, gather, open_verbs
from helix.errors import BadValue

app = typer.Typer(
    help="List and read what agents learned to do, publish and pull it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

SkillId = Annotated[str, typer.Argument(metavar="ID", help="The id of the skill.")]
_LINE = 160
_WHOLE = 100_000
# As hosts that read SKILL.md have it.
_LONGEST_NAME, _LONGEST_DESCRIPTION = 64, 1024


@app.command("list")
@reports_errors
def list_skills(
    context: typer.Context,
    status: Annotated[
        str | None,
        typer.Option(help="Only such as are proposed, validated, revised, deprecated or contradicted."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 50,
    as_json: Json = False,
) -> None:
    """List the skills, the one that something happened to last first."""
    with open_verbs(context) as verbs:
        answer = gather(partial(verbs.ask, "session_skills", status=status), "skills", limit)
    if as_json:
        print_json(answer)
        return
    for skill in answer["skills"]:
        out.parts((skill["skill_id"], "bold"), (f"  v{skill['version']}  {skill['status']}", "dim"))
        out.print(shortened(skill["summary"] or skill["name"], _LINE), indent=2)
    if not answer["skills"]:
        err.print("the logs know no skill; an agent proposes one by an event `skill.proposed`")
    analytics = answer.get("analytics") or {}
    for name, key in (("promote", "promotion_candidates"), ("roll back", "rollback_candidates")):
        for candidate in analytics.get(key, ()):
            why = f": {candidate['reason']}" if candidate.get("reason") else ""
            err.print(f"{name}? {candidate['skill_id']} v{candidate['version']}{why}", style="dim")


@app.command()
@reports_errors
def show(context: typer.Context, skill_id: SkillId, as_json: Json = False) -> None:
    """Print a skill: its steps, its versions and how they did."""
    with open_verbs(context) as verbs:
        skill = _ask(verbs, skill_id)
    if as_json:
        print_json(skill)
        return
    print_facts(
        [
            ("skill", skill["skill_id"]),
            ("name", skill["name"]),
            ("status", f"{skill['status']}, version {skill['version']}"),
            ("why", skill["reason"] or ""),
            ("summary", skill["summary"] or ""),
            ("applies", "; ".join(skill["applicability"])),
            ("memory", skill["memory_id"] or ""),
        ]
    )
    for number, step in enumerate(skill["procedure"], 1):
        out.print(f"{number}. {step}", indent=2)
    for version in skill["versions"]:
        out.parts(
            (f"v{version['version']}", "bold"),
            (
                f"  {version['status']}  applied {version['applied_count']}, {version['success_count']} good, "
                f"{version['failure_count']} bad  {version['latest_citation']}",
                "dim",
            ),
        )


@app.command()
@reports_errors
def export(
    context: typer.Context,
    skill_id: SkillId,
    to: Annotated[Path, typer.Option("--to", help="The folder of skills, such as .claude/skills.")],
    force: Annotated[
        bool, typer.Option("--force", help="Also over a SKILL.md that says something else.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a skill as NAME/SKILL.md into a folder, as hosts read it."""
    with open_verbs(context) as verbs:
        skill = _ask(verbs, skill_id)
    name = re.sub(r"[^a-z0-9]+", "-", skill["skill_id"].casefold()).strip("-")[:_LONGEST_NAME].strip("-")
    if not name:
        raise BadValue(f"no folder can be named after {skill_id!r}: it has no letter of a to z and no digit")
    if not skill["procedure"]:
        raise BadValue(f"the skill {skill_id!r} has no steps yet; there is nothing to export")
    file, text = to / name / "SKILL.md", to_skill_file(name, skill)
    if file.exists() and file.read_text("utf-8") != text and not force:
        raise BadValue(f"{file} is there and says something else; say --force to write over it")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    if as_json:
        print_json({"skill_id": skill["skill_id"], "version": skill["version"], "path": str(file)})
        return
    out.print(str(file))
    if skill["status"] not in ("validated", "revised"):
        err.print(f"it is {skill['status']}; nobody stands by it", style="yellow")


def to_skill_file(name: str, skill: dict[str, Any]) -> str:
    """Frontmatter with name and description, and the steps below it."""
    described = " ".join((skill["summary"] or skill["name"]).split())
    if skill["applicability"]:
        described += f" Use it when: {'; '.join(' '.join(one.split()) for one in skill['applicability'])}"
    # A JSON string is a YAML string, whatever stands in it.
    description = json.dumps(described[:_LONGEST_DESCRIPTION], ensure_ascii=False)
    lines = ["---", f"name: {name}", f"description: {description}", "---", "", f"# {skill['name']}", ""]
    lines += [f"{number}. {step}" for number, step in enumerate(skill["procedure"], 1)]
    if skill["failure_modes"]:
        lines += ["", "## How it fails", "", *(f"- {mode}" for mode in skill["failure_modes"])]
    if skill["rollback"]:
        lines += ["", "## How to undo it", "", skill["rollback"]]
    return "\n".join(lines) + "\n"


def _ask(verbs: Verbs, skill_id: str) -> dict[str, Any]:
    answer = verbs.ask("session_skills", skill_id=skill_id, limit=1, max_tokens=_WHOLE)
    skill: dict[str, Any] = answer["skills"][0]
    return skill


add_publishing(app)
