"""What callers of the REST routes say: query parameters and bodies. What is not known is refused by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from helix.errors import BadValue
from helix.memory.activity.event import WHATS, WHOS
from helix.memory.activity.timeline import MOST_EVENTS
from helix.memory.budget import LEAST_TOKENS, MOST_TOKENS
from helix.memory.reader import MOST_AT_ONCE, When
from helix.memory.reading.map_points import MOST_POINTS
from helix.memory.reading.markdown_html import LONGEST_TEXT
from helix.memory.writing.amend import MOST_FILED

Format = Literal["concise", "detailed"]
Scope = Literal["project", "global", "session", "all"]
Status = Literal["active", "superseded", "deleted", "erased"]
Rel = Literal["supersedes", "depends_on", "contradicts", "refines", "relates_to"]


def _whole(value: object) -> object:
    """In JSON 100.0 is an integer too."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Whole = Annotated[int, BeforeValidator(_whole)]
IdempotencyKey = Annotated[str, Field(min_length=1, max_length=200)]

_AS_OF = "The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`."
_REF = "The vault as it was at this commit, branch or tag (needs git)."


class Asked(BaseModel):
    """Query parameters."""

    model_config = ConfigDict(extra="forbid")


class Body(BaseModel):
    """A JSON body: a number in quotes is no number."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, value: object) -> object:
        """JSON lets half of a surrogate pair through, which no file, database or answer can hold."""
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("the body holds half of a surrogate pair, which is no character") from error
        return value


class Budgeted(Asked):
    max_tokens: int = Field(
        2000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="The whole answer fits in so many tokens."
    )
    cursor: str | None = Field(None, description="The `next_cursor` of the answer before.")


class InThePast(Asked):
    as_of: str | None = Field(None, description=_AS_OF)
    ref: str | None = Field(None, description=_REF)

    @property
    def when(self) -> When:
        return When(self.as_of, self.ref)


class InAFormat(Asked):
    format: Format | None = Field(
        None, description="`concise` is the least to act on, `detailed` all there is to know."
    )
    response_format: Format | None = Field(None, description="Another name for `format`.")

    def format_or(self, default: Format) -> Format:
        return one_format(self.format, self.response_format) or default


def one_format(format: Format | None, response_format: Format | None) -> Format | None:  # noqa: A002 (its public name)
    if format and response_format and format != response_format:
        raise BadValue("format and response_format are two names for one thing; give one of them")
    return format or response_format


class Filtered(Asked):
    scope: Scope = Field(
        "project", description="What is seen: `project` sees project and global, `all` everything."
    )
    project: str | None = Field(None, description="Only memories of this project.")
    unfiled: bool | None = Field(
        None, description="Only memories of which nobody has said of which project they are, or none of them."
    )
    kind: str | None = Field(None, description="Only memories of this kind, such as `decision`.")
    tag: str | None = Field(None, description="Only memories with this tag.")
    after: str | None = Field(None, description="Only memories created after this time.")
    before: str | None = Field(None, description="Only memories created before this time.")
    status: Status | None = Field(
        None, description="Only memories with this status, hidden ones too; without it active ones."
    )

    @property
    def filters(self) -> Mapping[str, str]:
        names = ("project", "kind", "tag", "after", "before", "status")
        said = {name: value for name in names if (value := getattr(self, name))}
        return said if self.unfiled is None else {**said, "unfiled": str(self.unfiled).lower()}


class RecallAsked(Filtered, InAFormat, InThePast, Budgeted):
    q: str = Field(
        max_length=4_000,  # twelve times as many bytes in a URL, which must stay below 64 KiB
        description='Words, a question, filters: `tag:auth "exact phrase" -word`.',
        examples=["retry policy for the auth client"],
    )  # fmt: skip
    limit: int = Field(8, ge=1, le=MOST_AT_ONCE)
    max_tokens: int = Field(
        1500, ge=LEAST_TOKENS, le=MOST_TOKENS, description="The whole answer fits in so many tokens."
    )
    include_deleted: bool = Field(False, description="Also deleted and superseded memories.")
    rerank: bool = Field(False, description="Read the best ones again with the finer model; slower.")


class MemoryAsked(InAFormat, InThePast, Budgeted):
    max_tokens: int = Field(
        8000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="A longer text is read on with `next_cursor`."
    )
    include_deleted: bool = Field(False, description="Also when it was forgotten or superseded.")


class RecentAsked(Filtered, InAFormat, InThePast, Budgeted):
    limit: int = Field(20, ge=1, le=MOST_AT_ONCE)
    since: str | None = Field(None, description="Only what changed since this time.")
    include_deleted: bool = Field(False, description="Also deleted and superseded memories.")


class TodayAsked(Filtered, InAFormat, InThePast, Budgeted):
    limit: int = Field(20, ge=1, le=MOST_AT_ONCE)


class GraphAsked(InThePast, Budgeted):
    scope: Scope = "project"
    project: str | None = Field(None, description="Only memories of this project.")
    limit: int = Field(500, ge=1, le=500, description="How many nodes and edges together.")
    max_tokens: int = Field(4000, ge=LEAST_TOKENS, le=MOST_TOKENS)
    include_deleted: bool = Field(False, description="Also deleted and superseded memories.")


class MapAsked(Budgeted):
    scope: Scope = "all"
    project: str | None = Field(None, description="Only memories of this project.")
    limit: int = Field(500, ge=1, le=MOST_POINTS)
    max_tokens: int = Field(4000, ge=LEAST_TOKENS, le=MOST_TOKENS)


class NeighborsAsked(InThePast, Budgeted):
    depth: int = Field(1, ge=1, le=3, description="How many edges away.")
    limit: int = Field(25, ge=1, le=MOST_AT_ONCE)
    include_deleted: bool = Field(False, description="Also deleted and superseded memories.")


class HistoryAsked(Budgeted):
    limit: int = Field(20, ge=1, le=MOST_AT_ONCE)


class DiffAsked(Budgeted):
    old: str = Field(
        alias="from", min_length=1, max_length=200,
        description="A commit, branch or tag, such as one of the history.", examples=["HEAD"],
    )  # fmt: skip
    new: str | None = Field(
        None,
        alias="to",
        min_length=1,
        max_length=200,
        description="Another one; without it the file as it is.",
    )
    max_tokens: int = Field(
        8000, ge=LEAST_TOKENS, le=MOST_TOKENS, description="A longer diff is read on with `next_cursor`."
    )


class TimelineAsked(Budgeted):
    limit: int = Field(50, ge=1, le=MOST_EVENTS)
    since: str | None = Field(None, description="Only what happened at this time or after it.")
    until: str | None = Field(None, description="Only what happened before this time.")
    project: str | None = Field(None, description="Only memories of this project.")
    what: str | None = Field(
        None, description=f"Only these, with commas between them: {', '.join(f'`{one}`' for one in WHATS)}."
    )
    who: str | None = Field(
        None, description=f"Only by these, with commas between them: {', '.join(f'`{one}`' for one in WHOS)}."
    )
    max_tokens: int = Field(4000, ge=LEAST_TOKENS, le=MOST_TOKENS)


class StatsAsked(InThePast, Budgeted):
    scope: Scope = "all"


class ListAsked(Budgeted):
    limit: int = Field(20, ge=1, le=MOST_AT_ONCE)
    max_tokens: int = Field(4000, ge=LEAST_TOKENS, le=MOST_TOKENS)


class Source(Body):
    """Where a memory comes from."""

    agent: str | None = None
    session: str | None = None
    uri: str | None = None


class RememberBody(Body):
    text: str = Field(description="What to remember, in markdown.")
    title: str | None = Field(None, description="Made from the text when it is not given.")
    kind: str = Field(
        "fact", description="`fact`, `preference`, `decision`, `snippet`, `task` or another word."
    )
    scope: Literal["project", "global", "session"] = "project"
    project: str | None = Field(
        None,
        description="Default: the header `Helix-Project`. Without either it is unfiled, and seen from every project.",
    )
    tags: list[str] = Field(default_factory=list)
    edges: dict[Rel, list[str]] = Field(
        default_factory=dict, description="Ids of other memories, by relation."
    )
    source: Source | None = None
    importance: float | None = Field(None, ge=0, le=1)
    valid_from: str | None = None
    valid_until: str | None = None
    idempotency_key: IdempotencyKey | None = Field(
        None, description="A retry with the same key is answered, not repeated."
    )
    supersede_hint: str | None = Field(None, description="The id of the memory that this one replaces.")
    force: bool = Field(False, description="Keep it even if it seems to say nothing, or is there already.")
    allow_secrets: bool = Field(False, description="Keep it even if it looks like a credential.")

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "text": "Auth client retries 3x with jitter",
                "kind": "decision",
                "scope": "project",
                "tags": ["auth"],
            }
        }
    )


class UpdateBody(Body):
    """What to change; what is left out stays as it is."""

    text: str | None = None
    title: str | None = None
    kind: str | None = None
    tags: list[str] | None = None
    importance: float | None = Field(None, ge=0, le=1)
    valid_from: str | None = Field(None, description="An empty text takes it away.")
    valid_until: str | None = Field(None, description="An empty text takes it away.")
    idempotency_key: IdempotencyKey | None = None
    allow_secrets: bool = False
    merge: bool = Field(
        True, description="False refuses the change when the file has changed at all since it was read."
    )

    model_config = ConfigDict(json_schema_extra={"example": {"text": "Auth client retries 5x with jitter"}})


class FileBody(Body):
    ids: list[str] = Field(min_length=1, max_length=MOST_FILED)
    project: str = Field(min_length=1, description="The project that they are of.")
    idempotency_key: IdempotencyKey | None = None

    model_config = ConfigDict(
        json_schema_extra={"example": {"ids": ["mem_2026-06-18_auth-retry_a1b2"], "project": "billing-api"}}
    )


class ForgetBody(Body):
    id: str
    mode: Literal["tombstone", "hard"] = Field("tombstone", description="`hard` erases the text for good.")
    idempotency_key: IdempotencyKey | None = None

    model_config = ConfigDict(json_schema_extra={"example": {"id": "mem_2026-06-18_auth-retry_a1b2"}})


class RestoreBody(Body):
    id: str
    at: str | None = Field(None, description="Also turn the text back to this git revision.")
    idempotency_key: IdempotencyKey | None = None

    model_config = ConfigDict(json_schema_extra={"example": {"id": "mem_2026-06-18_auth-retry_a1b2"}})


class RelateBody(Body):
    source: str = Field(alias="from", description="The id of the memory that the edge leaves.")
    to: str = Field(description="The id of the memory that it leads to.")
    rel: Rel
    idempotency_key: IdempotencyKey | None = None

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "from": "mem_2026-06-18_auth-retry_a1b2",
                "to": "mem_2026-05-02_http-client_77af",
                "rel": "depends_on",
            }
        }
    )


class ContextBody(Body):
    task: str = Field(max_length=20_000, description="What the agent is about to do.")
    scope: Scope = "project"
    filters: dict[str, str] = Field(
        default_factory=dict, description="As in a search: `project`, `kind`, `tag`, …"
    )
    max_tokens: Whole = Field(4000, ge=LEAST_TOKENS, le=MOST_TOKENS)
    format: Format | None = None
    response_format: Format | None = None
    rerank: bool = False
    explain: bool = Field(
        False, description="Say also what each memory costs, and what was left out and why."
    )
    explain_tokens: Whole = Field(
        4000,
        ge=LEAST_TOKENS,
        le=MOST_TOKENS,
        description="The explanation fits in so many tokens of its own.",
    )
    as_of: str | None = Field(None, description=_AS_OF)
    ref: str | None = Field(None, description=_REF)

    model_config = ConfigDict(json_schema_extra={"example": {"task": "debug the auth retry storm"}})


class RenderBody(Body):
    text: str = Field(max_length=LONGEST_TEXT, description="Markdown, such as the text of a memory.")

    model_config = ConfigDict(json_schema_extra={"example": {"text": "Retries **3x**, see [[http-client]]"}})


class PhasesBody(Body):
    phases: list[str] = Field(min_length=1, max_length=20, examples=[["plan", "work"]])
    budget_tokens: Whole = Field(4096, ge=LEAST_TOKENS, le=MOST_TOKENS)
    scope: Scope = "project"
    idempotency_key: IdempotencyKey | None = Field(
        None, description="The same key in the same session gets the same bundle."
    )

    model_config = ConfigDict(json_schema_extra={"example": {"phases": ["plan"], "budget_tokens": 2000}})


class ConsolidateBody(Body):
    ids: list[str] = Field(
        default_factory=list, description="Proposals to apply; none means all certain ones."
    )

    model_config = ConfigDict(json_schema_extra={"example": {"ids": []}})


class DismissBody(Body):
    key: str = Field(min_length=1, max_length=100, description="Of an item of the inbox.")

    model_config = ConfigDict(json_schema_extra={"example": {"key": "duplicate-1f0c2a7be991"}})


class SettleBody(Body):
    id: str = Field(description="The id of a memory.")

    model_config = ConfigDict(json_schema_extra={"example": {"id": "mem_2026-06-18_auth-retry_a1b2"}})


def given(body: Body, *without: str) -> dict[str, Any]:
    """The fields of a body, as keywords."""
    return {name: getattr(body, name) for name in type(body).model_fields if name not in without}
