"""Skills in the folders of harnesses: written as a copy or a link, and taken away again as if they had not been there.

What was written is recorded. A file that says something else than what was written is a person's, and so is one that
was there before: neither is ever written over or removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from helix.errors import BadValue, HostFileError
from helix.harnesses.harness import HARNESSES, NAMES, Harness
from helix.harnesses.rules import digest
from helix.hosts import file as host_file

FILE = "SKILL.md"
RECORDS = "skills.json"
_STORE = "skills"

FolderState = Literal["written", "current", "edited", "taken", "removed"]


@dataclass(frozen=True)
class PulledSkill:
    name: str
    text: str
    hash: str


@dataclass(frozen=True)
class SkillOutcome:
    name: str
    harness: str
    path: str
    state: FolderState
    problem: str = ""
    edited_text: str | None = None
    """what a person made of it"""
    based_on: str = ""
    """the hash of what they began with"""


@dataclass(frozen=True)
class PulledRecord:
    vault: str
    base: str
    harness: str
    name: str
    place: str
    """the folder of the skill, or the link to it"""
    hash: str
    linked: bool
    made: list[str]
    """folders that were made for it, outermost first"""


@dataclass(frozen=True)
class SkillFolders:
    base: Path
    """of a project, or the home folder"""
    is_home: bool
    state_dir: Path
    vault: Path

    @classmethod
    def at(cls, folder: str | Path | None, state_dir: Path, vault: Path) -> SkillFolders:
        """Without a folder: the user's own, for all projects."""
        if folder is None:
            return cls(Path.home().resolve(), True, state_dir, vault.resolve())
        if "\0" in str(folder) or not Path(folder).is_absolute():
            raise BadValue(f"folder is {str(folder)[:200]!r}; give one from the root, such as /home/me/code")
        base = Path(folder).resolve()
        if not base.is_dir():
            raise BadValue(f"there is no folder {folder}")
        if base.is_relative_to(vault.resolve()):
            raise BadValue(
                f"{folder} lies in the vault, where files are memories; give the folder of a project"
            )
        return cls(base, False, state_dir, vault.resolve())

    def pull(
        self,
        skills: Sequence[PulledSkill],
        harnesses: Sequence[Harness] = (),
        *,
        names: Sequence[str] = (),
        link: bool = False,
        dry_run: bool = False,
    ) -> list[SkillOutcome]:
        """The same again writes nothing. Without names also what was withdrawn since goes."""
        records = self._records()
        ours = [record for record in records.values() if self._is_here(record)]
        wanted = self._with_skills(harnesses) or self._present({record.harness for record in ours})
        if not wanted:
            raise BadValue(f"no harness has a folder in {self.base}; name some: {', '.join(NAMES)}")
        if unknown := [name for name in names if name not in {skill.name for skill in skills}]:
            raise BadValue(
                f"no skill {unknown[0][:80]!r} is published; `helix skill published` shows those that are"
            )
        chosen = [skill for skill in skills if not names or skill.name in names]
        done = []
        for harness in wanted:
            root = self._root(harness)
            for skill in chosen:
                outcome, kept = self._pull_one(harness, root, skill, records, link, dry_run)
                done.append(outcome)
                if kept is not None and not dry_run:
                    records[kept.place] = kept
                    self._keep(records)
        gone = [] if names else [one for one in ours if one.name not in {skill.name for skill in skills}]
        titles = {harness.name for harness in wanted}
        done += self._take([one for one in gone if one.harness in titles], records, dry_run)
        return done

    def remove(
        self, harnesses: Sequence[Harness] = (), *, names: Sequence[str] = (), dry_run: bool = False
    ) -> list[SkillOutcome]:
        records = self._records()
        titles = {harness.name for harness in harnesses} or set(NAMES)
        chosen = [
            record
            for record in records.values()
            if self._is_here(record) and record.harness in titles and (not names or record.name in names)
        ]
        return self._take(chosen, records, dry_run)

    def _pull_one(
        self,
        harness: Harness,
        root: Path,
        skill: PulledSkill,
        records: Mapping[str, PulledRecord],
        link: bool,
        dry_run: bool,
    ) -> tuple[SkillOutcome, PulledRecord | None]:
        place = root / skill.name
        shown = self._shown(place)
        if link and (changed := self._changed_in_store(skill, records)) is not None:
            why = "somebody changed it; it is left as it is"
            return SkillOutcome(skill.name, harness.name, shown, "edited", why, *changed), None
        record = records.get(str(place))
        present = _look(place / FILE)
        if record is None and (place.exists() or place.is_symlink()):
            why = "something of this name is there that Helix did not write"
            return SkillOutcome(skill.name, harness.name, shown, "taken", why), None
        if record is not None and present is not None:
            found = digest(present)
            if found not in (record.hash, skill.hash):
                outcome = SkillOutcome(
                    skill.name, harness.name, shown, "edited", "somebody changed it; it is left as it is",
                    present or None, record.hash,
                )  # fmt: skip
                return outcome, None
            if found == skill.hash and record.linked == link:
                kept = None if record.hash == skill.hash else _with_hash(record, skill.hash)
                return SkillOutcome(skill.name, harness.name, shown, "current"), kept
        if not dry_run:
            record = self._write(harness, place, skill, record, link)
        return SkillOutcome(skill.name, harness.name, shown, "written"), record

    def _write(
        self, harness: Harness, place: Path, skill: PulledSkill, record: PulledRecord | None, link: bool
    ) -> PulledRecord:
        made = list(record.made) if record else []
        if record is not None and record.linked != link:
            _remove(place, record)
        target = self._stored(skill.name) if link else place
        if target.is_symlink() or (target / FILE).is_symlink():
            raise HostFileError("it is a link to elsewhere").at(str(target / FILE))
        folders = host_file.write(host_file.read(target / FILE), skill.text)
        if link:
            folders = _link(place, target)
        made += map(str, folders)
        return PulledRecord(
            str(self.vault), str(self.base), harness.name, skill.name, str(place), skill.hash, link,
            list(dict.fromkeys(made)),
        )  # fmt: skip

    def _take(
        self, chosen: Sequence[PulledRecord], records: dict[str, PulledRecord], dry_run: bool
    ) -> list[SkillOutcome]:
        done = []
        for record in chosen:
            place = Path(record.place)
            if not self._is_ours(place, record):
                why = "somebody changed it; it is left as it is"
                done.append(SkillOutcome(record.name, record.harness, self._shown(place), "edited", why))
                continue
            if not dry_run:
                _remove(place, record)
                del records[record.place]
                self._keep(records)
                is_used = any(one.linked and one.name == record.name for one in records.values())
                stored = self._stored(record.name)
                if record.linked and not is_used and digest(_look(stored / FILE) or "") == record.hash:
                    (stored / FILE).unlink(missing_ok=True)
                    with contextlib.suppress(OSError):
                        stored.rmdir()
            done.append(SkillOutcome(record.name, record.harness, self._shown(place), "removed"))
        return done

    def _is_ours(self, place: Path, record: PulledRecord) -> bool:
        """Or nothing is there. A link goes, and with it nothing that a person wrote: that stays where it leads."""
        if record.linked:
            return not os.path.lexists(place) or (
                place.is_symlink() and Path(os.readlink(place)) == self._stored(record.name)
            )
        present = _look(place / FILE)
        return not place.is_symlink() and (present is None or digest(present) == record.hash)

    def _changed_in_store(
        self, skill: PulledSkill, records: Mapping[str, PulledRecord]
    ) -> tuple[str | None, str] | None:
        """What a person made, through a link, of the copy that all links lead to."""
        present = _look(self._stored(skill.name) / FILE)
        if present is None:
            return None
        links = [one for one in records.values() if one.linked and one.name == skill.name]
        known = [one.hash for one in links if one.vault == str(self.vault)]
        if digest(present) in (skill.hash, *known):
            return None
        return present or None, known[0] if known else ""

    def _present(self, known: set[str]) -> tuple[Harness, ...]:
        return tuple(one for one in HARNESSES if one.skills and (one.name in known or self._is_used(one)))

    def _is_used(self, harness: Harness) -> bool:
        first = (harness.user_skills if self.is_home else harness.skills).rpartition("/")[0]
        return (self.base / first).is_dir() or (not self.is_home and (self.base / harness.file).exists())

    def _with_skills(self, harnesses: Sequence[Harness]) -> tuple[Harness, ...]:
        for harness in harnesses:
            if not harness.skills:
                raise BadValue(f"{harness.title} has no folder of skills that Helix knows")
        return tuple(harnesses)

    def _root(self, harness: Harness) -> Path:
        root = self.base / (harness.user_skills if self.is_home else harness.skills)
        if not root.resolve().is_relative_to(self.base):
            raise HostFileError("it leads out of the folder").at(str(root))
        return root

    def _stored(self, name: str) -> Path:
        vault = hashlib.sha256(str(self.vault).encode("utf-8", "replace")).hexdigest()[:12]
        return self.state_dir / _STORE / vault / name

    def _is_here(self, record: PulledRecord) -> bool:
        return record.vault == str(self.vault) and record.base == str(self.base)

    def _shown(self, place: Path) -> str:
        return ("~/" if self.is_home else "") + (place / FILE).relative_to(self.base).as_posix()

    def _records(self) -> dict[str, PulledRecord]:
        try:
            found = json.loads((self.state_dir / _STORE / RECORDS).read_text("utf-8"))
            return {place: PulledRecord(**record) for place, record in found.items()}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise HostFileError(f"what was pulled before cannot be read ({error}); move the file away").at(
                str(self.state_dir / _STORE / RECORDS)
            ) from error

    def _keep(self, records: dict[str, PulledRecord]) -> None:
        path = self.state_dir / _STORE / RECORDS
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        draft.write_text(json.dumps({place: asdict(record) for place, record in records.items()}), "utf-8")
        draft.replace(path)


def _link(place: Path, target: Path) -> list[Path]:
    """The folders that were made for it."""
    if place.is_symlink():
        return []
    folders = host_file.make_folders(place.parent)
    try:
        place.symlink_to(target, target_is_directory=True)
    except OSError as error:  # Windows allows it to few
        raise HostFileError(f"no link can be made ({error.strerror or error}); pull copies").at(
            str(place)
        ) from error
    return folders


def _with_hash(record: PulledRecord, new: str) -> PulledRecord:
    return PulledRecord(**{**asdict(record), "hash": new})


def _look(path: Path) -> str | None:
    """What is there; empty for what is no text, and None for nothing."""
    try:
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError):
        return ""


def _remove(place: Path, record: PulledRecord) -> None:
    if place.is_symlink():
        place.unlink()
    else:
        (place / FILE).unlink(missing_ok=True)
    for folder in _innermost_first(record.made):
        try:
            folder.rmdir()
        except OSError:
            return  # something else is in it


def _innermost_first(made: Sequence[str]) -> Iterator[Path]:
    return (Path(folder) for folder in reversed(made))
