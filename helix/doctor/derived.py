"""What Helix made from the notes: catalog, local history, index, and the model that searches by meaning."""

from __future__ import annotations

import importlib.util
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.errors import IndexBroken, ModelBroken, ModelError
from helix.index.catalog import CATALOG_FILE
from helix.index.models import NONE, get_model
from helix.state.database import open_to_read

_DATABASES = ("ancestry.db", "pages.db", "requests.db")
_CACHE = "embeddings.db"
# The scan behind the watcher comes every minute by default.
_SCANS = 2

CATALOG = Kind(
    "catalog-damaged",
    Severity.ERROR,
    "the catalog is damaged",
    "Memories may be missing from answers. Nothing is lost: it is made from the notes.",
    "`helix doctor --fix` sets it aside and makes it anew.",
)
DATABASE = Kind(
    "state-file-damaged",
    Severity.WARNING,
    "a database of the state folder is damaged",
    "A power cut does this. Memories are not in it; merges may keep more lines without it, listings begin anew.",
    "`helix doctor --fix` sets it aside; a new one is made when it is needed.",
)
INDEX = Kind(
    "index-broken",
    Severity.ERROR,
    "the search index cannot be read",
    "Nothing is found until it is made anew from the notes.",
    "`helix doctor --fix` makes it anew, and so does `helix reindex`.",
)
LAG = Kind(
    "catalog-behind",
    Severity.NOTE,
    "notes changed since Helix last looked",
    "The next command or the daemon takes them in.",
    "`helix doctor --fix` takes them in now.",
)
ASIDE = Kind(
    "set-aside-data",
    Severity.NOTE,
    "damaged data that was set aside lies around",
    "It takes up space; something damaged it.",
    "`helix doctor --fix` removes it. If it comes back, check the disk.",
)
MODEL_MISSING = Kind(
    "model-missing",
    Severity.WARNING,
    "the model of the settings is not here",
    "Search is by words only.",
    "`helix model pull NAME` downloads it, `helix model use bundled` takes the one that comes with Helix.",
)
MODEL_BROKEN = Kind(
    "model-broken",
    Severity.ERROR,
    "the files of the model are not what they should be",
    "Search is by words only: vectors of a changed model would not fit the others.",
    "Install Helix again, or pull the model again.",
)
WORDS_ONLY = Kind(
    "words-only",
    Severity.NOTE,
    "search is by words only, as the settings say",
    "What is said in other words is not found.",
    "`helix model use bundled` searches by meaning too.",
)


def check_databases(examined: Examined) -> Iterator[Finding]:
    state = examined.state
    if (reason := _damage(state / CATALOG_FILE)) is not None:
        yield CATALOG.at(str(state / CATALOG_FILE), reason)
    for path in (*(state / name for name in _DATABASES), examined.config.state_dir / _CACHE):
        if (reason := _damage(path)) is not None:
            yield DATABASE.at(str(path), reason)


def _damage(path: Path) -> str | None:
    if not path.is_file():
        return None
    try:
        database = open_to_read(path)
        try:
            verdict = str(database.execute("PRAGMA quick_check(1)").fetchone()[0])
        finally:
            database.close()
    except sqlite3.OperationalError:
        return None  # locked or not permitted: nothing is wrong with the file
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if verdict == "ok" else verdict.splitlines()[-1]


def check_index(examined: Examined) -> Iterator[Finding]:
    """A daemon tells how its index is; without one it is opened here."""
    folder = examined.state / "keywords"
    if examined.presence.owner is not None or not folder.is_dir():
        return
    from helix.index.keywords import WhooshKeywords  # costs numpy and Whoosh

    try:
        WhooshKeywords(folder).close()
    except IndexBroken as error:
        yield INDEX.at(str(folder), error.message)


def check_lag(examined: Examined) -> Iterator[Finding]:
    seen, disk = examined.seen, examined.walk.files
    if seen is None:
        return
    patience = _SCANS * examined.config.follow.scan_interval if examined.presence.is_daemon else 0.0
    long_ago = examined.around.now.timestamp() - patience
    behind = [
        path
        for path, signature in disk.items()
        if seen.get(path) != signature and signature.ctime_ns / 1e9 < long_ago
    ]
    if behind:
        severity = Severity.WARNING if examined.presence.is_daemon else Severity.NOTE
        yield LAG.at(behind[0], f"{len(behind)} of {len(disk)} notes", severity=severity)


def check_aside(examined: Examined) -> Iterator[Finding]:
    for path in set_aside(examined):
        yield ASIDE.at(str(path), "it is not used any more")


def set_aside(examined: Examined) -> list[Path]:
    state = examined.state
    found = [*state.glob("*.db.damaged"), *state.glob("*.broken")] if state.is_dir() else []
    return sorted([*found, *examined.config.state_dir.glob("*.db.damaged")])


def check_model(examined: Examined) -> Iterator[Finding]:
    choice = examined.config.model
    if choice == NONE:
        yield WORDS_ONLY.at("model", "it is set to none")
        return
    if importlib.util.find_spec("fastembed") is None:
        yield MODEL_MISSING.at(choice, "the package fastembed, which runs it, is not installed",
                               remedy="Install Helix again.")  # fmt: skip
    try:
        get_model(choice, examined.config.state_dir / "models").check()
    except ModelBroken as error:
        yield MODEL_BROKEN.at(choice, error.message)
    except ModelError as error:
        yield MODEL_MISSING.at(choice, error.message)
    except OSError as error:
        yield MODEL_BROKEN.at(choice, f"its files cannot be read: {error}")


AREA = Area(
    "Derived data",
    (CATALOG, DATABASE, INDEX, LAG, ASIDE, MODEL_MISSING, MODEL_BROKEN, WORDS_ONLY),
    (check_databases, check_index, check_lag, check_aside, check_model),
)
