"""The table of the verbs about published skills."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from helix.memory.verbs.fields import Budgeted, TokensOfAll, Visibility
from helix.memory.verbs.verb import About, Asks, Route, Verb

_Many = Annotated[int, About(least=1, most=200)]
_Name = Annotated[
    str, About("The name under which a skill is published.", name="name", longest=64, example="feeding")
]
_Folder = Annotated[
    str | None,
    About("The folder of a project, on the machine of the daemon, from the root; without it the user's own folders are "
          "meant.", longest=4096, example="/home/me/code/billing-api"),
]  # fmt: skip
_Chosen = Annotated[Sequence[str], About("The names of skills; none means all that are published.")]
_Harnesses = Annotated[
    Sequence[str],
    About("The names of harnesses; none means those that have a folder there.", name="harnesses"),
]
_DryRun = Annotated[bool, About("Tell what would change, and change nothing.")]


class PublishedSkillsRequest(Budgeted):
    limit: _Many = 50
    max_tokens: TokensOfAll = 8000


class SkillPublishRequest(Asks):
    skill_id: Annotated[
        str,
        About(
            "The id of a skill that was validated or revised, or of its note.", longest=200, example="feeding"
        ),
    ]
    skill_name: Annotated[
        str | None,
        About("What folders are called after; made from the id, unless you say so.", name="name", longest=64),
    ] = None
    description: Annotated[
        str | None, About("By which hosts decide whether it applies; made from the note.", longest=1024)
    ] = None
    visibility: Annotated[
        Visibility | None, About("For whom it is; a project's for its members, else the team.")
    ] = None
    project: Annotated[str | None, About("Its project; that of its note, unless you say so.")] = None


class SkillWithdrawRequest(Asks):
    skill_name: _Name


class SkillProposeRequest(Asks):
    skill_name: _Name
    text: Annotated[str, About("The whole SKILL.md as it should be.", longest=65536)]
    edited_from: Annotated[str, About("The `hash` of what was changed.", longest=100)]


class SkillPullRequest(Asks):
    folder: _Folder = None
    names: _Chosen = ()
    harness_names: _Harnesses = ()
    link: Annotated[bool, About("Link to one copy in the state folder, and do not write copies.")] = False
    dry_run: _DryRun = False


class SkillUnpullRequest(Asks):
    folder: _Folder = None
    names: _Chosen = ()
    harness_names: _Harnesses = ()
    dry_run: _DryRun = False


_ANSWERS = "helix.workbench.skill_answers:"
_RUN = "workbench.skills"
_EXAMPLE = {"folder": "/home/me/code/billing-api", "dry_run": True}

SKILL_VERBS = (
    Verb(
        "published_skills", PublishedSkillsRequest, f"{_ANSWERS}PublishedSkillList", run=f"{_RUN}:published_skills",
        permission="recall", route=Route("GET", "/published-skills", "list_published_skills", "harnesses"),
        command="skill", sdk="skills.list",
        about="The skills that are published, as far as they are seen, each as its SKILL.md.",
    ),
    Verb(
        "skill_publish", SkillPublishRequest, f"{_ANSWERS}SkillPublished", run=f"{_RUN}:skill_publish",
        permission="connectors", changes=True, uses_caller=True,
        route=Route("POST", "/published-skills", "publish_skill", "harnesses", errors=(404, 422),
                    example={"skill_id": "feeding"}),
        command="skill", sdk="skills.publish",
        about="""Put a skill that was validated or revised before others, as a note of kind `skill`.

        The same again changes nothing; what changed since is the skill from now on.
        """,
    ),
    Verb(
        "skill_withdraw", SkillWithdrawRequest, f"{_ANSWERS}SkillWithdrawn", run=f"{_RUN}:skill_withdraw",
        permission="connectors", changes=True,
        route=Route("POST", "/published-skills/{name}/withdraw", "withdraw_skill", "harnesses", errors=(404,)),
        command="skill", sdk="skills.withdraw",
        about="Take a skill back. Who pulls next has it no more; its note can be restored.",
    ),
    Verb(
        "skill_propose", SkillProposeRequest, f"{_ANSWERS}SkillProposed", run=f"{_RUN}:skill_propose",
        permission="remember", changes=True,
        route=Route("POST", "/published-skills/{name}/proposals", "propose_skill_edit", "harnesses", errors=(404, 422),
                    example={"text": "---\nname: feeding\ndescription: How to feed\n---\n\nFish first.\n",
                             "edited_from": "0b7e3a1c5d2f4a69"}),
        command="skill", sdk="skills.propose",
        about="""Propose another text for a skill; it waits in the inbox for somebody who may publish.

        The same is proposed once, also when it was turned down.
        """,
    ),
    Verb(
        "skill_pull", SkillPullRequest, f"{_ANSWERS}PulledSkills", run=f"{_RUN}:skill_pull", permission="connectors",
        changes=True,
        route=Route("POST", "/published-skills/pull", "pull_skills", "harnesses", errors=(422,), example=_EXAMPLE),
        command="skill", sdk="skills.pull",
        about="""Write the published skills into the folders of harnesses, and take away those that were withdrawn.

        The same again writes nothing. A copy that somebody changed stays, and is proposed.
        """,
    ),
    Verb(
        "skill_unpull", SkillUnpullRequest, f"{_ANSWERS}PulledSkills", run=f"{_RUN}:skill_unpull",
        permission="connectors", changes=True,
        route=Route("POST", "/published-skills/unpull", "unpull_skills", "harnesses", errors=(422,), example=_EXAMPLE),
        command="skill", sdk="skills.unpull",
        about="Take out of the folders of harnesses what was pulled. A copy that somebody changed stays.",
    ),
)  # fmt: skip
