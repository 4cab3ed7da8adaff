"""The daemon: does it run, where, in which version, and how is it?"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version

from helix.doctor.examined import Examined
from helix.doctor.finding import Area, Finding, Kind, Severity
from helix.doctor.presence import HealthAnswer, Presence

_START = 120.0

DOWN = Kind(
    "daemon-not-running",
    Severity.NOTE,
    "no daemon follows the vault",
    "Commands work without one. Agents start it when they first ask; until then nobody merges conflict copies.",
    "`helix up` starts it.",
)
NOT_AT_URL = Kind(
    "url-unreachable",
    Severity.WARNING,
    "HELIX_URL, or `url` in config.toml, names a daemon that does not answer",
    "Commands and programs ask there and nowhere else.",
    "Start that daemon, or remove the setting: then the daemon of the vault is found by itself.",
)
STALE = Kind(
    "stale-daemon-file",
    Severity.WARNING,
    "a daemon that no longer runs left word of where it is",
    "It was killed. Clients look for it there first.",
    "`helix doctor --fix` removes the file; so does the next daemon.",
)
TAKEN = Kind(
    "port-taken",
    Severity.ERROR,
    "another program has the port of the daemon",
    "helixd cannot start. Helix's own clients keep away from what does not prove to be your daemon.",
    "Stop that program, or give Helix another port: `port = 7879` in config.toml, or HELIX_PORT.",
)
OTHER_VAULT = Kind(
    "port-of-another-vault",
    Severity.WARNING,
    "the daemon at this address follows another vault",
    "Agents that connect there read and write the memories of that one.",
    "Stop it with `helix down` in its settings, or give this vault a port of its own: HELIX_PORT.",
)
DEAD_LOCK = Kind(
    "lock-of-a-dead-process",
    Severity.ERROR,
    "the vault is locked, and the process that locked it is gone",
    "A child of it, or another machine that shares the state folder over the network, keeps the lock.",
    "End the process that still has the file open (`lsof` names it). Keep HELIX_STATE_DIR on a disk of this machine.",
)
BUSY = Kind(
    "vault-busy",
    Severity.NOTE,
    "another command is at work in the vault",
    "What it is doing is not seen yet.",
    "Run the doctor again when it is done.",
)
STARTING = Kind(
    "daemon-starting",
    Severity.NOTE,
    "a daemon has the vault and does not answer yet",
    "It reads the vault first.",
    "Run the doctor again in a moment.",
)
UNREACHABLE = Kind(
    "daemon-unreachable",
    Severity.ERROR,
    "a daemon follows the vault and does not answer",
    "Agents and commands get no answer from it.",
    "`helix down` and `helix up`, or end the process by its number.",
)
REFUSED = Kind(
    "token-refused",
    Severity.ERROR,
    "the daemon does not take the token of these settings",
    "Commands and agents with these settings are turned away.",
    "`helix down` and `helix up`, so that both read the same token; look at HELIX_TOKEN too.",
)
ELSEWHERE = Kind(
    "daemon-elsewhere",
    Severity.WARNING,
    "the daemon listens at another address than the settings say",
    "Clients that only know the settings do not find it.",
    "Start it again with the same settings, or set HELIX_PORT or HELIX_URL to where it is.",
)
OTHER_VERSION = Kind(
    "daemon-other-version",
    Severity.WARNING,
    "the daemon is of another version than this command",
    "Helix was updated while it ran.",
    "`helix down` and `helix up`.",
)
DEGRADED = Kind(
    "daemon-degraded",
    Severity.WARNING,
    "the daemon runs, and not with all it has",
    "It says itself what is missing.",
    "`helix status` shows how it goes on.",
)
GONE = Kind(
    "many-notes-gone",
    Severity.ERROR,
    "many notes disappeared at once, and Helix stopped",
    "An unmounted drive or a logged-out sync client looks like this. Nothing was dropped.",
    "Bring the folder back; if they are gone on purpose, run `helix reindex --accept-missing`.",
)
BEHIND = Kind(
    "index-behind",
    Severity.NOTE,
    "memories wait for the model",
    "They are found by their words already, by their meaning when it has seen them.",
    "Wait; `helix status` shows how many are left.",
)


# Fewer are the last writes, a moment ago.
_MANY_WAIT = 20


def check_daemon(examined: Examined) -> Iterator[Finding]:
    presence = examined.presence
    if presence.owner is None:
        yield from _without_daemon(examined, presence)
    elif presence.is_gone:
        yield DEAD_LOCK.at(str(examined.state / "follow.lock"), f"{presence.owner.name} does not run")
    elif not presence.is_daemon:
        yield BUSY.at(str(examined.vault), f"{presence.owner.name} has it open")
    else:
        yield from _with_daemon(examined, presence)


def _without_daemon(examined: Examined, presence: Presence) -> Iterator[Finding]:
    if presence.whereabouts is not None:
        what = f"it names process {presence.whereabouts.pid} at {presence.whereabouts.url}"
        yield STALE.at(str(examined.state / "daemon.json"), what)
    url, answer = examined.config.base_url, presence.at_settings_address
    if answer is None:
        yield (NOT_AT_URL if examined.config.url else DOWN).at(url, "nothing answers there")
    elif answer.is_helix:
        yield OTHER_VAULT.at(url, f"it follows {answer.vault}")
    else:
        yield TAKEN.at(url, answer.unproven or "something that is not Helix answers there")


def _with_daemon(examined: Examined, presence: Presence) -> Iterator[Finding]:
    url = presence.whereabouts.url if presence.whereabouts is not None else examined.config.base_url
    answer = presence.at_own_address if presence.whereabouts is not None else presence.at_settings_address
    if answer is None:
        is_new = presence.whereabouts is None and _age(examined) < _START
        kind = STARTING if is_new else UNREACHABLE
        yield kind.at(url, f"{presence.owner}, but nothing answers there")
        return
    if answer.unproven:
        yield REFUSED.at(url, answer.unproven)
        return
    if not answer.is_helix:
        yield UNREACHABLE.at(url, f"{presence.owner}; what answers there is not Helix")
        return
    yield from _state(answer, url)
    if presence.refuses_token:
        yield REFUSED.at(url, "`require_token` is set, and it turns the token away")
    there = presence.at_settings_address
    if url != examined.config.base_url and (there is None or there.vault != answer.vault):
        yield ELSEWHERE.at(url, f"the settings say {examined.config.base_url}")


def _age(examined: Examined) -> float:
    """For how long the lock has been held."""
    return examined.around.now.timestamp() - (examined.state / "follow.lock").stat().st_mtime


def _state(answer: HealthAnswer, url: str) -> Iterator[Finding]:
    health = answer.health or {}
    ours = version("helix-memory")
    if health.get("version") != ours:
        yield OTHER_VERSION.at(url, f"it is {health.get('version')}, this is {ours}")
    for reason in health.get("reasons", ()):
        code, message = str(reason.get("code")), str(reason.get("message"))
        if code == "brake-pulled":
            yield GONE.at(str(health.get("vault")), message)
        else:
            severity = Severity.ERROR if code in ("vault-missing", "not-following") else None
            yield DEGRADED.at(url, f"{message} ({code})", severity=severity)
    indexing = (health.get("index") or {}).get("indexing")
    if indexing is not None and indexing["total"] - indexing["done"] >= _MANY_WAIT:
        yield BEHIND.at(url, indexing["message"])


def check_gone(examined: Examined) -> Iterator[Finding]:
    """Without a daemon the next command would stop for this reason."""
    if examined.presence.is_daemon or examined.seen is None:
        return
    gone = [
        path for path in examined.seen if path not in examined.walk.files and not examined.ignore.skips(path)
    ]
    rule = examined.config.follow
    if len(gone) >= rule.brake_least and len(gone) > len(examined.seen) * rule.brake_share:
        yield GONE.at(
            str(examined.vault), f"{len(gone)} of {len(examined.seen)} notes are not there any more"
        )


_ABSENT = (DOWN, NOT_AT_URL, STALE, TAKEN, OTHER_VAULT, DEAD_LOCK, BUSY)
_PRESENT = (STARTING, UNREACHABLE, REFUSED, ELSEWHERE, OTHER_VERSION, DEGRADED, GONE, BEHIND)
AREA = Area("The daemon", (*_ABSENT, *_PRESENT), (check_daemon, check_gone))
