"""What notes say in their properties: status, scope, dates, and what should not be in them."""

from __future__ import annotations

from collections.abc import Iterator

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.doctor.lines import line_of
from helix.vault.frontmatter import emit
from helix.vault.note import SCOPES, STATUSES, Note
from helix.vault.secrets import find_secret, line_of_secret
from helix.vault.times import parse_time

_TIMES = ("created_at", "updated_at", "deleted_at", "restored_at", "valid_from", "valid_until")
_LISTS = ("tags", "supersedes", "depends_on", "contradicts", "refines", "relates_to")

STATUS = Kind(
    "unknown-status",
    Severity.WARNING,
    "the status is none that Helix knows",
    "The memory counts as active, whatever was meant.",
    "Use active, superseded, deleted or erased.",
)
SCOPE = Kind(
    "unknown-scope",
    Severity.WARNING,
    "the scope is none that Helix knows",
    "The memory counts for its project, or everywhere when it has none.",
    "Use global, project or session.",
)
NO_PROJECT = Kind(
    "scope-without-project",
    Severity.NOTE,
    "a memory is of a project, and nobody has said of which",
    "It is unfiled: every project sees it until somebody files it.",
    "`helix file ID --project NAME`, or set its scope to global.",
)
WRONG_TYPE = Kind(
    "wrong-type",
    Severity.WARNING,
    "a property has a value of the wrong kind",
    "It counts as if it were not there.",
    "Correct the value; docs/record-format.md says what it may be.",
)
DATE = Kind(
    "bad-date",
    Severity.WARNING,
    "a date cannot be one",
    "It counts as if it were not there: sorting, validity and merging go without it.",
    "Write it like 2026-06-18 or 2026-06-18T09:12:44Z.",
)
ORDER = Kind(
    "dates-out-of-order",
    Severity.WARNING,
    "the dates contradict each other",
    "A memory that ends before it begins holds at no time; one changed before it was made sorts wrongly.",
    "Correct one of the two.",
)
ERASED = Kind(
    "erased-with-text",
    Severity.WARNING,
    "the status is erased, and the text is still there",
    "Typing the status hides a memory; it erases nothing.",
    "`helix forget ID --hard` erases it; set the status to deleted if hiding is enough.",
)
SECRET = Kind(
    "secret-in-note",
    Severity.ERROR,
    "the note holds a credential",
    "Every agent that may read the memory, and every machine it is synced to, has it.",
    "Revoke it where it is used, then `helix forget ID --hard`; git and your sync tool keep older versions.",
)


def check_properties(examined: Examined) -> Iterator[Finding]:
    for note in examined.memories:
        yield from _status_and_scope(note)
        yield from _types(note)


def _status_and_scope(note: Note) -> Iterator[Finding]:
    status, scope = note.meta.get("status"), note.meta.get("scope")
    if status is not None and str(status).strip().lower() not in STATUSES:
        yield STATUS.at(
            note.path, f"it is {str(status)[:40]!r}", line=line_of(note, "status"), severity=_weight(note)
        )
    if scope is not None and str(scope).strip().lower() not in SCOPES:
        yield SCOPE.at(
            note.path, f"it is {str(scope)[:40]!r}", line=line_of(note, "scope"), severity=_weight(note)
        )
    elif note.memory.scope == "project" and not note.memory.project:
        yield NO_PROJECT.at(note.path, f"its scope is {note.memory.scope}", line=line_of(note, "scope"))


def _types(note: Note) -> Iterator[Finding]:
    importance = note.meta.get("importance")
    is_share = (
        isinstance(importance, int | float) and not isinstance(importance, bool) and 0 <= importance <= 1
    )
    if importance is not None and not is_share:
        what = f"importance is {str(importance)[:40]!r}; it is a number from 0 to 1"
        yield WRONG_TYPE.at(note.path, what, line=line_of(note, "importance"), severity=_weight(note))
    for key in _LISTS:
        if isinstance(note.meta.get(key), dict):
            yield WRONG_TYPE.at(
                note.path,
                f"{key} is a mapping; it is a list",
                line=line_of(note, key),
                severity=_weight(note),
            )
    for key in ("title", "kind", "project"):
        if isinstance(note.meta.get(key), list | dict):
            yield WRONG_TYPE.at(
                note.path, f"{key} is not text", line=line_of(note, key), severity=_weight(note)
            )
    source = note.meta.get("source")
    if source is not None and not isinstance(source, dict):
        yield WRONG_TYPE.at(
            note.path, "source is not a mapping", line=line_of(note, "source"), severity=_weight(note)
        )


def _weight(note: Note) -> Severity:
    """In a note that a person wrote for themselves `status: draft` means what that person wants it to mean."""
    return Severity.WARNING if note.has_id else Severity.NOTE


def check_dates(examined: Examined) -> Iterator[Finding]:
    for note in examined.memories:
        times = {key: parse_time(note.meta.get(key)) for key in _TIMES}
        for key, moment in times.items():
            if moment is None and note.meta.get(key) is not None:
                what = f"{key} is {str(note.meta[key])[:40]!r}"
                yield DATE.at(note.path, what, line=line_of(note, key), severity=_weight(note))
        for earlier, later in (("valid_from", "valid_until"), ("created_at", "updated_at")):
            first, second = times[earlier], times[later]
            if first is not None and second is not None and second < first:
                yield ORDER.at(
                    note.path,
                    f"{later} is before {earlier}",
                    line=line_of(note, later),
                    severity=_weight(note),
                )


def check_erased(examined: Examined) -> Iterator[Finding]:
    for note in examined.memories:
        if note.memory.status == "erased" and not note.is_erased:
            remedy = ERASED.remedy.replace("ID", note.id)
            yield ERASED.at(
                note.path, "there is still text below", line=line_of(note, "status"), remedy=remedy
            )


def check_secrets(examined: Examined) -> Iterator[Finding]:
    for note in examined.memories:
        text = emit(note.document).decode("utf-8", "replace")
        if (kind := find_secret(text)) is not None:
            remedy = SECRET.remedy.replace("ID", note.id)
            yield SECRET.at(note.path, f"it looks like {kind}", line=line_of_secret(text), remedy=remedy)


AREA = Area(
    "What notes say",
    (STATUS, SCOPE, NO_PROJECT, WRONG_TYPE, DATE, ORDER, ERASED, SECRET),
    (check_properties, check_dates, check_erased, check_secrets),
)
