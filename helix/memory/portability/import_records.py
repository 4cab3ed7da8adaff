"""Bringing memories into a vault: from a strand, or from what another tool left behind.

Every road ends at one door, `vault.arrivals.bring`, so that importing twice changes nothing, and what was
deleted, erased or edited here since stays so.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from helix.errors import BadValue, HelixError
from helix.follow.group_commit import TakeIn
from helix.index.catalog import Catalog, Row
from helix.memory.portability.export_archive import Strand
from helix.memory.portability.import_format_names import AUTO, FORMATS, STRAND
from helix.memory.portability.import_ids import ImportOptions, Mint, base_of, key_of, last_digest, suffix_of
from helix.memory.portability.import_source import Source
from helix.memory.portability.imported import Brought, Ignored, Record, Skipped
from helix.memory.portability.importers.detect import READERS, detect
from helix.vault.arrivals import Arrival, bring, tombstone
from helix.vault.secrets import find_secret, line_of_secret
from helix.vault.times import format_time
from helix.vault.vault import Vault

_BATCH = 500
_FILES_OF_A_FOLDER = ("markdown", "basic-memory")

Progress = Callable[[int, int], None]


@dataclass
class Report:
    format: str
    rehearsed: bool = False
    """nothing was written; this is what would have been"""
    allows_secrets: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    kept: list[Skipped] = field(default_factory=list)
    """changed in the source and here, with no known common text: the one here stays as it is"""
    skipped: list[Skipped] = field(default_factory=list)
    ignored: Counter[str] = field(default_factory=Counter)
    degraded: str | None = None

    def skip(self, name: str, reason: str) -> None:
        self.skipped.append(Skipped(name, reason))

    def to_dict(self) -> dict[str, Any]:
        outcomes = ("made", "updated", "merged", "unchanged")
        return {
            "format": self.format,
            "dry_run": self.rehearsed,
            **{outcome: self.counts[outcome] for outcome in outcomes},
            "kept": [vars(one) for one in self.kept],
            "skipped": [vars(one) for one in self.skipped],
            "ignored": dict(self.ignored),
            "degraded": self.degraded,
        }


class Importer:
    def __init__(self, vault: Vault, catalog: Catalog, take_in: TakeIn) -> None:
        self._vault = vault
        self._catalog = catalog
        self._take_in = take_in

    def run(
        self,
        place: Path,
        *,
        form: str = AUTO,
        options: ImportOptions | None = None,
        rehearse: bool = False,
        allow_secrets: bool = False,
        progress: Progress | None = None,
    ) -> Report:
        options = options or ImportOptions()
        options.check()
        if form not in (AUTO, *FORMATS):
            raise BadValue(f"{form!r} is not a format; those are {', '.join(FORMATS)}")
        with Source(place) as source:
            report = Report(detect(source) if form == AUTO else form, rehearse, allow_secrets)
            if report.format == STRAND:
                if options != ImportOptions():
                    raise BadValue(
                        "a strand brings its memories as they are: --project, --scope and --tag do not apply"
                    )
                with place.open("rb") as file:
                    strand = Strand(file)
                    arrivals = (_without_secret(one, one.path, report) for one in strand.arrivals())
                    self._bring(arrivals, len(strand.entries), report, progress)
            else:
                self._refuse_own(source, report.format)
                self._import(source, options, report, progress)
        return report

    def _import(
        self, source: Source, options: ImportOptions, report: Report, progress: Progress | None
    ) -> None:
        items: dict[str, Brought] = {}
        records: list[Record] = []
        for item in READERS[report.format](source):
            if isinstance(item, Skipped):
                report.skip(item.name, item.reason)
            elif isinstance(item, Ignored):
                report.ignored[item.what] += item.count
            elif isinstance(item, Record):
                records.append(item)
            elif item.key in items:
                report.skip(item.key, "the source has this name twice; the first one was taken")
            else:
                items[item.key] = item
        known = _KnownImports(self._catalog, report.format)
        mint = Mint(report.format, options, self._vault.clock())
        rows = {key: known.find(key) for key in items}
        mint.ids = {key: row.id if (row := rows[key]) else mint.id_of(item) for key, item in items.items()}
        mint.superseded = frozenset(
            key for item in items.values() for key in item.edges.get("supersedes", ()) if key in items
        )
        arrivals = itertools.chain(
            (_without_secret(Arrival(one.path, one.data), one.path, report) for one in records),
            (
                _without_secret(self._arrival(mint, item, rows[key], report), key, report, source)
                for key, item in items.items()
            ),
        )
        self._bring(arrivals, len(records) + len(items), report, progress)

    def _arrival(self, mint: Mint, item: Brought, row: Row | None, report: Report) -> Arrival | None:
        try:
            if row is None:
                if not item.deleted:
                    return mint.new(item)
                report.skip(item.key, "is deleted in the source")
                return None
            return self._successor(mint, item, row, report)
        except FileNotFoundError:
            report.skip(item.key, "its file was moved a moment ago; try again")
        except HelixError as error:
            report.skip(item.key, error.message)
        return None

    def _successor(self, mint: Mint, item: Brought, row: Row, report: Report) -> Arrival | None:
        """The next version of a memory that an earlier import made, if the source changed since."""
        if row.status == "erased":
            report.skip(item.key, "was erased in this vault for good")
            return None
        if item.deleted:
            if row.status == "deleted":
                report.counts["unchanged"] += 1
                return None
            stamp = item.updated_at or format_time(mint.now)
            return Arrival(row.path, tombstone({"id": row.id, "status": "deleted", "deleted_at": stamp}))
        here = self._vault.read(row.path)
        if last_digest(here.meta) == mint.digest(item):
            report.counts["unchanged"] += 1
            return None
        base = base_of(here, partial(self._vault.ancestry.find, row.id))
        if base is None:
            report.kept.append(
                Skipped(item.key, f"changed in the source, and {row.path} was edited here too")
            )
            return None
        return mint.version(item, base, row.path)

    def _bring(
        self, arrivals: Iterator[Arrival | None], total: int, report: Report, progress: Progress | None
    ) -> None:
        done = 0
        while batch := list(itertools.islice(arrivals, _BATCH)):
            coming = [arrival for arrival in batch if arrival is not None]
            arrived = bring(self._vault, coming, self._catalog.find_folded, rehearse=report.rehearsed)
            for record in arrived:
                if record.outcome == "refused":
                    report.skip(record.path, record.reason)
                else:
                    report.counts[record.outcome] += 1
            changed = [one.path for one in arrived if one.outcome in ("made", "updated", "merged")]
            if changed and not report.rehearsed:
                report.degraded = self._take_in(changed) or report.degraded
            done += len(batch)
            if progress is not None:
                progress(done, max(done, total))

    def _refuse_own(self, source: Source, form: str) -> None:
        vault, place = Path(self._vault.root.path), source.path.resolve()
        if form in _FILES_OF_A_FOLDER and (place.is_relative_to(vault) or vault.is_relative_to(place)):
            raise BadValue(
                f"{place} and the vault lie in one another; notes in the vault are memories already, and `helix adopt` "
                "gives them ids"
            )


def _without_secret(
    arrival: Arrival | None, name: str, report: Report, source: Source | None = None
) -> Arrival | None:
    """The record as a whole is looked at, as it would stand in the vault; one with a credential stays outside."""
    if arrival is None or report.allows_secrets:
        return arrival
    for data in (arrival.data, *(arrival.copies or {}).values()):
        text = data.decode("utf-8", "replace")
        if (kind := find_secret(text)) is not None:
            place = _place_of(text, name, source)
            report.skip(
                name, f"holds what looks like {kind}{place}; say --allow-secrets to bring it all the same"
            )
            return None
    return arrival


def _place_of(text: str, name: str, source: Source | None) -> str:
    """In which line: of the file that is imported where it is one, else of the record."""
    number = line_of_secret(text)
    if source is None:
        return f" in line {number}"
    file = next((one for one in source.names if f"/{name}".endswith(f"/{one}")), None)
    line = text.splitlines()[number - 1].strip()
    try:
        lines = [] if file is None else source.text(file).splitlines()
    except HelixError:
        lines = []
    return next((f" in line {place} of {file}" for place, one in enumerate(lines, 1) if line in one), "")


class _KnownImports:
    """Which records of the vault an earlier import of this format made."""

    def __init__(self, catalog: Catalog, form: str) -> None:
        self._form = form
        rows = catalog.memories(include_hidden=True)
        self._by_key = {key: row for row in rows if (key := row.idempotency_key)}
        # What was erased has no key any more, only its id.
        self._by_suffix = {row.id.rpartition("_")[2]: row for row in rows}

    def find(self, key: str) -> Row | None:
        full = key_of(self._form, key)
        return self._by_key.get(full) or self._by_suffix.get(suffix_of(full))
