"""Mending what is safe: nothing a person wrote is lost by it, and what is set aside can be put back."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from helix.compose import open_vault
from helix.doctor import daemon, derived, folders, links, settings, sync
from helix.doctor.examined import Examined
from helix.doctor.finding import Finding
from helix.errors import HelixError, VaultError
from helix.follow.daemon_address import Whereabouts
from helix.memory.followed_vault import FollowedVault
from helix.memory.search_engine import open_recall
from helix.vault.files import Files, Write
from helix.vault.folding import merge_copies
from helix.vault.hashes import content_hash
from helix.vault.paths import Root


@dataclass(frozen=True)
class Deed:
    what: str
    is_done: bool = True
    """otherwise `what` says why not"""


Mend = Callable[[Examined, Sequence[Finding]], list[str]]
"""mends all findings of one kind; says what was done, each in a sentence"""

# How long the new index may take to search by meaning; the rest is made by whoever searches next.
_EMBED_PATIENCE = 20.0


def can_mend(finding: Finding) -> bool:
    return finding.code in MENDS


def mend(examined: Examined, findings: Sequence[Finding]) -> list[Deed]:
    """Mend what can be. What cannot be done after all is said too, and hinders nothing else."""
    deeds: list[Deed] = []
    for code, deed in MENDS.items():
        found = [finding for finding in findings if finding.code == code]
        if found:
            try:
                deeds += map(Deed, deed(examined, found))
            except (HelixError, OSError) as error:
                deeds.append(Deed(f"{code} could not be mended: {error}", is_done=False))
    return deeds


def _close_to_others(mode: int) -> Mend:
    def deed(examined: Examined, findings: Sequence[Finding]) -> list[str]:
        for finding in findings:
            os.chmod(finding.where, mode)
        return [f"set the mode of {finding.where} to {mode:o}" for finding in findings]

    return deed


def _forget_daemon(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    Whereabouts.forget(examined.state)
    return [f"removed {finding.where}" for finding in findings]


def _set_databases_aside(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    """A daemon that has one open sees at its next scan that the file is gone, and makes another."""
    for finding in findings:
        path = Path(finding.where)
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        path.replace(path.with_name(f"{path.name}.damaged"))
    return [f"set {finding.where} aside" for finding in findings]


def _remake_catalog(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    done = _set_databases_aside(examined, findings)
    with open_vault(examined.config) as helix:
        if helix.follows:
            helix.catch_up()
            return [*done, f"made the catalog anew from {helix.catalog.count_seen()} notes"]
    return [*done, "the daemon makes the catalog anew with its next scan"]


def _remake_index(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    done = []
    for finding in findings:
        folder = Path(finding.where)
        aside = folder.with_name(f"{folder.name}.broken")
        shutil.rmtree(aside, ignore_errors=True)
        folder.rename(aside)
        done.append(f"set {folder} aside")
    with open_vault(examined.config) as helix:
        if not helix.follows:
            return [*done, "run `helix reindex`: the daemon has the index open"]
        helix.catch_up()
        with open_recall(helix) as recall:
            recall.index.wait_until_embedded(_EMBED_PATIENCE)
            return [*done, f"made the index anew for {recall.index.health().memories} memories"]


def _take_in(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    with open_vault(examined.config) as helix:
        if not helix.follows:
            return ["the daemon takes in what changed with its next scan"]
        helix.catch_up()
    return ["took in the notes that had changed"]


def _remove_set_aside(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    for finding in findings:
        path = Path(finding.where)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return [f"removed {finding.where}" for finding in findings]


def _merge_copies(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    with open_vault(examined.config) as helix:
        helix.catch_up()
        return [
            _merge(helix, memory_id, [row.path for row in rows])
            for memory_id, rows in helix.catalog.duplicates().items()
        ]


def _merge(helix: FollowedVault, memory_id: str, paths: list[str]) -> str:
    outcome = merge_copies(helix.vault, memory_id, paths)
    helix.take_in([*paths, outcome.survivor.path])
    return f"merged {', '.join(paths)} into {outcome.survivor.path}"


def _sweep(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    with open_vault(examined.config) as helix:
        if not helix.follows:
            return ["the daemon clears temp files in a moment"]
        helix.catch_up()
        helix.mender.sweep({finding.where.rpartition("/")[0] for finding in findings})
    return [f"cleared {finding.where}" for finding in findings]


def _ignore_temp_files(examined: Examined, findings: Sequence[Finding]) -> list[str]:
    """Every byte that is there stays, and a line is added in the manner of the others."""
    path = sync.find_stignore(examined)
    if path.parent != Path(os.path.realpath(examined.there)):
        raise VaultError(f"{path} is not in the vault; add the line {sync.STIGNORE_LINE} to it yourself")
    root = Root(path.parent)
    try:
        before = root.read_settings(path.name, sync.MAX_STIGNORE_BYTES)
        data = before or b""
        newline = b"\r\n" if b"\r\n" in data else b"\n"
        opening = b"" if not data or data.endswith(b"\n") else newline
        after = data + opening + sync.STIGNORE_LINE.encode() + newline
        Files(root).write(Write(path.name, after, None if before is None else content_hash(before)))
    finally:
        root.close()
    return [f"added {sync.STIGNORE_LINE} to {path}"]


MENDS: dict[str, Mend] = {
    # What was made for nobody to read first; then what everything else is opened with.
    folders.OPEN_TOKEN.code: _close_to_others(0o600),
    settings.OPEN_CONFIG.code: _close_to_others(0o600),
    folders.OPEN_STATE.code: _close_to_others(0o700),
    daemon.STALE.code: _forget_daemon,
    derived.DATABASE.code: _set_databases_aside,
    derived.CATALOG.code: _remake_catalog,
    derived.INDEX.code: _remake_index,
    derived.ASIDE.code: _remove_set_aside,
    sync.IGNORE_LINE.code: _ignore_temp_files,
    sync.TEMP.code: _sweep,
    sync.LATE_SAVE.code: _sweep,
    links.COPY.code: _merge_copies,
    links.DUPLICATE.code: _merge_copies,
    derived.LAG.code: _take_in,
}
