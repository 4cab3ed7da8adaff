"""Settings: defaults < config.toml < HELIX_* < flags.

The loader is pure: it reads no home folder and no environment of its own. The commands and the daemon
hand it theirs, through `from_process`, and everything below them gets a frozen `Config`.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import platformdirs

from helix.errors import ConfigError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

CONFIG_FILE = "config.toml"

Section = TypeVar("Section", bound="DataclassInstance")


@dataclass(frozen=True)
class FollowConfig:
    """How the follower watches. Seconds, unless the name says otherwise."""

    settle_ms: int = 30
    """two reads this far apart must agree before a file counts as written"""
    vanish_grace: float = 2.0
    """a file must stay away this long before its memory leaves the answers"""
    scan_interval: float = 60.0
    """the stat scan behind the watcher, for everything the watcher misses"""
    linger: float = 2.0
    """how long a swapped-out file is kept, for an editor that still writes into it"""
    brake_share: float = 0.3
    brake_least: int = 10
    """more than this share of the notes, and at least this many, gone at once: stop and drop nothing"""


@dataclass(frozen=True)
class GitConfig:
    autocommit: bool = False
    quiet: float = 30.0
    """commit when nothing changed for this long"""
    max_wait: float = 300.0
    """and at the latest after this long"""


@dataclass(frozen=True)
class ConsolidateConfig:
    """The worker that looks for exact doubles while nobody writes."""

    enabled: bool = True
    interval_minutes: float = 60.0
    quiet: float = 30.0
    """nothing may have changed for this many seconds before it begins"""


@dataclass(frozen=True)
class Config:
    vault: Path
    state_dir: Path
    config_dir: Path
    host: str = "127.0.0.1"
    port: int = 7878
    url: str = ""
    token: str = field(default="", repr=False)
    require_token: bool = False
    """ask even programs on this machine for the token"""
    log_level: str = "warning"
    """debug, info (every request), warning or error"""
    max_body_bytes: int = 4 * 1024 * 1024
    """a longer request body is refused"""
    max_in_flight: int = 64
    """more requests than this at once are asked to come again"""
    max_note_bytes: int = 4 * 1024 * 1024
    model: str = "bundled"
    """what embeds: `bundled`, the name of a downloaded model, the folder of one, or `none`"""
    embed_threads: int = 0
    """how many cores the model may use; 0 leaves one free for searching"""
    token_scale: float = 1.0
    """what a token of o200k_base counts for, for models whose tokenizer is finer: 1.3 leaves a third more room"""
    follow: FollowConfig = FollowConfig()
    git: GitConfig = GitConfig()
    consolidate: ConsolidateConfig = ConsolidateConfig()

    @property
    def base_url(self) -> str:
        """Where clients find the daemon."""
        return self.url or f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


ENVIRONMENT = {
    "HELIX_VAULT": "vault",
    "HELIX_STATE_DIR": "state_dir",
    "HELIX_CONFIG_DIR": "config_dir",
    "HELIX_HOST": "host",
    "HELIX_PORT": "port",
    "HELIX_URL": "url",
    "HELIX_TOKEN": "token",
    "HELIX_LOG_LEVEL": "log_level",
    "HELIX_MODEL": "model",
}


def load(env: Mapping[str, str], home: Path, flags: Mapping[str, object] | None = None) -> Config:
    """The settings in force. `flags` are those a person typed; None values count as not typed."""
    typed = {key: value for key, value in (flags or {}).items() if value is not None}
    from_env: dict[str, object] = {
        key: env[name] for name, key in ENVIRONMENT.items() if env.get(name, "").strip()
    }
    config_dir = find_config_dir(env, home, flags)
    config = Config(
        vault=home / "helix-vault",
        state_dir=Path(platformdirs.user_state_dir("helix", appauthor=False)),
        config_dir=config_dir,
    )
    file = config_dir / CONFIG_FILE
    in_file = _read_toml(file)
    if "config_dir" in in_file:
        raise ConfigError(f"{file}: config_dir says where this file is, so it cannot be set in it")
    for origin, layer in (
        (str(file), in_file),
        ("the environment", from_env),
        ("the command line", typed),
    ):
        config = _apply(config, layer, origin, home)
    return replace(config, config_dir=config_dir)


def find_config_dir(env: Mapping[str, str], home: Path, flags: Mapping[str, object] | None = None) -> Path:
    """Where config.toml is, or would be, whether or not it can be read."""
    said = (flags or {}).get("config_dir") or env.get("HELIX_CONFIG_DIR", "").strip()
    return _path(said or platformdirs.user_config_dir("helix", appauthor=False), home)


def from_process(**flags: object) -> Config:
    """The settings of this process: its environment and its user's home."""
    return load(os.environ, Path.home(), flags)


def set_in_file(path: Path, key: str, value: str) -> None:
    """Change one setting of the user's file and leave every other line as it is."""
    text = path.read_text("utf-8") if path.exists() else ""
    _read_toml(path)  # a file that cannot be read is not made worse
    line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    # Settings without a table stand before the first [table]; below it the same key would mean another thing.
    table = re.search(r"^[ \t]*\[", text, re.MULTILINE)
    head, tail = (text[: table.start()], text[table.start() :]) if table else (text, "")
    written = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=.*$", re.MULTILINE)
    if written.search(head):
        head = written.sub(lambda _: line, head, count=1)
    else:
        head = f"{head.rstrip()}\n{line}\n".lstrip() + ("\n" if tail else "")
    if tomllib.loads(head + tail).get(key) != value:
        raise ConfigError(f"{path}: {key} cannot be changed safely; write {line} yourself")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head + tail, "utf-8")


def _read_toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}; mend the file or move it away") from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def _apply(target: Section, layer: Mapping[str, object], origin: str, home: Path) -> Section:
    """`target` with the values of one layer, each checked against the type of its default."""
    known = {item.name: getattr(target, item.name) for item in fields(target)}
    changes: dict[str, Any] = {}
    for key, value in layer.items():
        if key not in known:
            nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise ConfigError(f"{origin}: unknown setting {key!r}; did you mean {nearest!r}?")
        changes[key] = _convert(key, value, known[key], origin, home)
    return replace(target, **changes)


def _convert(key: str, value: object, default: object, origin: str, home: Path) -> object:
    if is_dataclass(default) and not isinstance(default, type):
        if not isinstance(value, dict):
            raise ConfigError(f"{origin}: {key!r} is a table; write [{key}] and its settings below it")
        return _apply(default, value, f"{origin} [{key}]", home)
    if isinstance(default, Path):
        if isinstance(value, str | Path):
            return _path(value, home)
        raise ConfigError(f"{origin}: {key} = {value!r} is not a path; put it in quotes")
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(default, int | float):
        number = _number(value, type(default))
        if number is not None and number >= 0 and (key != "port" or number <= 65535):
            return number
    elif isinstance(value, str):
        return value.strip()
    raise ConfigError(f"{origin}: {key} = {value!r} does not fit; it takes something like {default!r}")


def _number(value: object, kind: type[int] | type[float]) -> int | float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = kind(value)
    except (ValueError, OverflowError):
        return None
    return None if isinstance(value, float) and number != value else number


def _path(value: object, home: Path) -> Path:
    text = str(value)
    if text == "~" or text.startswith("~/"):
        return home / text[2:]
    return Path(text).absolute()
