"""Settings: defaults < config.toml < HELIX_* < flags.

The loader is pure: it reads no home folder and no environment of its own. The commands and the daemon
hand it theirs, through `from_process`, and everything below them gets a frozen `Config`.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import platformdirs

from helix.errors import ConfigError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

CONFIG_FILE = "config.toml"
SECRETS = frozenset({"token", "index", "limits.redis"})
"""settings that are a credential, or may hold one: no command prints that"""

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
    """more than this share of the notes gone at once, and at least `brake_least`: stop and drop nothing"""
    brake_least: int = 10
    """fewer than this many gone at once are never too many"""
    brake_window: float = 300.0
    """what vanished within this long counts as gone at once: sync clients delete file by file"""


@dataclass(frozen=True)
class GitConfig:
    """Committing what changed in the vault. Seconds."""

    autocommit: bool = False
    """commit quiet batches of changes; `helix init --autocommit` sets this"""
    quiet: float = 30.0
    """commit when nothing changed for this long"""
    max_wait: float = 300.0
    """but at the latest after this long"""


@dataclass(frozen=True)
class ConsolidateConfig:
    """The worker that looks for exact doubles while nobody writes."""

    enabled: bool = True
    """look for them at all, and let the older one stand"""
    interval_minutes: float = 60.0
    """how often it looks"""
    quiet: float = 30.0
    """nothing may have changed for this many seconds before it begins"""


@dataclass(frozen=True)
class SearchConfig:
    """What has a say in the order of hits."""

    feedback: bool = True
    """whether memories that helped before stand a little higher, and such as did not a little lower"""
    second_look: bool = False
    """whether a finer model reads the best few again where the order is close: 0.1 s for a third of the questions"""


@dataclass(frozen=True)
class SessionsConfig:
    """The logs of what agents did."""

    keep: str = "vault"
    """where they are: `vault`, `state` (in the state folder, so that no sync tool carries them), or `off`"""
    archive_after_days: float = 0.0
    """a session in which nothing happened for so long is moved to `archived-sessions`; 0 for never"""
    archive_over_mb: float = 0.0
    """when all logs together are larger, those in which nothing happened for longest are moved there; 0 for never"""


@dataclass(frozen=True)
class DistillConfig:
    """A program that proposes memories of sessions that have ended. Without one only rules do."""

    command: tuple[str, ...] = ()
    """the program and its arguments, such as `["claude", "-p"]`: a prompt on standard input, JSON on standard output"""
    quiet_minutes: float = 30.0
    """a session has ended when nothing happened in it for this long"""
    timeout: float = 120.0
    """seconds after which the program is ended"""
    per_day: int = 10
    """how often it is asked within 24 hours, failures too"""
    max_prompt_chars: int = 60_000
    """a longer session is told by its beginning and its end"""


@dataclass(frozen=True)
class SecretsConfig:
    """What may be run with secrets in its environment. Nothing, until you name it."""

    programs: tuple[str, ...] = ()
    """the programs, named as they are asked for, such as `["gh"]`; a shell among them runs anything"""
    run_timeout: float = 300.0
    """seconds after which a program is ended, where the request says nothing else"""
    longest_run: float = 1800.0
    """seconds that a request may ask for at most"""
    most_output: int = 1_000_000
    """characters that are kept of what a program prints, of each of its two outputs"""


@dataclass(frozen=True)
class AssetsConfig:
    """Files that a team shares."""

    most_bytes: int = 1_000_000
    """a larger file is refused; what is sent is a third longer, and `max_body_bytes` counts too"""


@dataclass(frozen=True)
class DialectsConfig:
    """Which dialects are served besides `helix`."""

    enabled: tuple[str, ...] = ("all",)
    """names such as `zaxy`, or `all`; an empty list leaves `helix` alone"""


@dataclass(frozen=True)
class LimitsConfig:
    """How often in a minute one user of a team may ask, by what is asked; 0 for any number. Off in mode `local`."""

    recall: int = 120
    """reading and searching"""
    write: int = 60
    """remembering"""
    change: int = 20
    """changing, forgetting, bringing back"""
    batch: int = 10
    """what does many things at once: filing, tidying, taking in events"""
    admin: int = 30
    """what admins alone may"""
    other: int = 300
    """everything else"""
    address: int = 600
    """requests from one address, whoever makes them"""
    failures: int = 20
    """keys, passwords, tokens and codes from one address that are not valid"""
    sign_in: int = 10
    """passwords for one user that are not theirs, from wherever"""
    logins: int = 20
    """programs from one address that begin to log in, or register"""
    redis: str = ""
    """daemons that share a Redis count together in it: redis://host:6379/0"""


@dataclass(frozen=True)
class OAuthConfig:
    """How the programs of a team log in without a key. Nothing of it is on in mode `local`."""

    enabled: bool = True
    """whether people may let programs in by logging in; without it everybody shows a key"""
    access_minutes: float = 15.0
    """an access token is good for so long"""
    refresh_days: float = 30.0
    """a program that has not asked for so long has to log in again"""
    client_documents: bool = True
    """whether a program may name itself by the address of a document about it (https), which is then fetched"""
    registration: bool = False
    """whether any program that reaches the daemon may register itself (RFC 7591)"""
    issuer: str = ""
    """an OpenID provider whose tokens count in place of our own, as it names itself: `https://login.example.com`"""
    audience: str = ""
    """whom its tokens have to be for; without it the address of this daemon, or of a part of it"""
    required_scope: str = ""
    """a scope that its tokens have to have"""
    user_claim: str = "sub"
    """the claim with the name of the user, who is one of ours unless a claim says the role"""
    role_claim: str = ""
    """the claim with the role, or a list with one among them; without it the role is that of `helix user add`"""
    workspace_claim: str = ""
    """the claim with the workspaces that may be asked for; without it all of the user"""


@dataclass(frozen=True)
class WorkspacesConfig:
    """How much a daemon with several workspaces has open besides its own one."""

    most_open: int = 32
    """more than this many are not open at once: the one that was idle for longest is closed for the next"""
    idle_minutes: float = 15.0
    """one that nobody asked for so long is closed, and opened again when somebody does"""
    max_memory_mb: int = 0
    """above this much memory of the whole process idle ones are closed, and no further one is opened; 0 for no bound"""


@dataclass(frozen=True)
class Config:
    """Where things are, who may come in, and how much at once."""

    vault: Path
    """the vault folder"""
    state_dir: Path
    """derived data, the local history of merges, the daemon's log"""
    config_dir: Path
    """where `config.toml` and the token are; for that reason not a setting of `config.toml`"""
    host: str = "127.0.0.1"
    """where `helixd` listens; beyond loopback only for a team, with TLS or behind a named proxy"""
    port: int = 7878
    """the port that it listens on; 0 takes any that is free"""
    url: str = ""
    """where clients find the daemon; without it they look for the one that follows the vault"""
    workspace: str = ""
    """which workspace of the daemon clients ask; without it the first that their key opens. `helix workspace switch`"""
    token: str = field(default="", repr=False)
    """what clients show and the daemon asks for; `helix token` prints it"""
    require_token: bool = False
    """ask even programs on this machine for the token"""
    mode: str = "local"
    """who is served: `local` one person's programs on this machine, `team` whoever shows a key, `hybrid` both"""
    public_url: str = ""
    """where a team reaches the daemon, such as `https://memory.example.com`; needed beyond this machine"""
    tls_certificate: str = ""
    """the file of the certificate chain (PEM) with which `helixd` serves HTTPS itself"""
    tls_key: str = ""
    """the file of its private key"""
    trusted_proxies: str = ""
    """addresses of proxies that serve HTTPS in front of `helixd`, with commas between them"""
    log_level: str = "warning"
    """debug, info (every request), warning or error"""
    max_body_bytes: int = 4 * 1024 * 1024
    """a longer request body is refused"""
    max_in_flight: int = 64
    """more requests than this at once are asked to come again"""
    max_note_bytes: int = 4 * 1024 * 1024
    """a larger file is not read"""
    model: str = "bundled"
    """what embeds: `bundled`, the name of a downloaded model, the folder of one, or `none`"""
    embed_threads: int = 0
    """how many cores embedding may use while nobody asks; 0 for all. When somebody asks it keeps to one"""
    index: str = "local"
    """where what is derived is kept and searched: `local`, in the state folder, or a `postgresql://` address"""
    keeper_address: str = ""
    """how other daemons over the same database reach this one; without it, the address on this machine"""
    token_scale: float = 1.0
    """what a token of o200k_base counts for, for models whose tokenizer is finer: with 1.3 an answer holds 23 % less"""
    follow: FollowConfig = FollowConfig()
    git: GitConfig = GitConfig()
    consolidate: ConsolidateConfig = ConsolidateConfig()
    search: SearchConfig = SearchConfig()
    sessions: SessionsConfig = SessionsConfig()
    distill: DistillConfig = DistillConfig()
    secrets: SecretsConfig = SecretsConfig()
    assets: AssetsConfig = AssetsConfig()
    dialects: DialectsConfig = DialectsConfig()
    limits: LimitsConfig = LimitsConfig()
    oauth: OAuthConfig = OAuthConfig()
    workspaces: WorkspacesConfig = WorkspacesConfig()

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
    "HELIX_WORKSPACE": "workspace",
    "HELIX_TOKEN": "token",
    "HELIX_MODE": "mode",
    "HELIX_LOG_LEVEL": "log_level",
    "HELIX_MODEL": "model",
    "HELIX_INDEX": "index",
    "HELIX_KEEPER_ADDRESS": "keeper_address",
}


MODES = ("local", "team", "hybrid")
_REDIS = ("redis://", "rediss://", "redis+unix://")
_CHOICES = {"keep": ("vault", "state", "off"), "mode": MODES}
"""settings that take one of a few words"""


@dataclass(frozen=True)
class Setting:
    """One setting, and who said so."""

    name: str
    """with its table before it, as in `follow.settle_ms`"""
    value: object
    origin: str


def load(env: Mapping[str, str], home: Path, flags: Mapping[str, object] | None = None) -> Config:
    """The settings in force. `flags` are those a person typed; None values count as not typed."""
    config = defaults(home)
    layers = _layers(env, home, flags or {})
    for origin, layer in layers:
        config = _apply(config, layer, origin, home)
    return config


def settings(env: Mapping[str, str], home: Path, flags: Mapping[str, object] | None = None) -> list[Setting]:
    """Every setting in force and where it comes from: `default`, a file, a variable, the command line."""
    origins: dict[str, str] = {}
    for origin, layer in _layers(env, home, flags or {}):
        for name in _names(layer):
            variable = next((one for one, key in ENVIRONMENT.items() if key == name), origin)
            origins[name] = variable if origin == _ENVIRONMENT else origin
    return [
        Setting(name, value, origins.get(name, "default"))
        for name, value in _names(load(env, home, flags)).items()
    ]


def defaults(home: Path) -> Config:
    return Config(
        vault=home / "helix-vault",
        state_dir=Path(platformdirs.user_state_dir("helix", appauthor=False)),
        config_dir=Path(platformdirs.user_config_dir("helix", appauthor=False)),
    )


def find_config_dir(env: Mapping[str, str], home: Path, flags: Mapping[str, object] | None = None) -> Path:
    """Where config.toml is, or would be, whether or not it can be read."""
    folder = (flags or {}).get("config_dir") or env.get("HELIX_CONFIG_DIR", "").strip()
    return _path(folder or defaults(home).config_dir, home)


def from_process(**flags: object) -> Config:
    """The settings of this process: its environment and its user's home."""
    return load(os.environ, Path.home(), flags)


def set_in_file(path: Path, name: str, value: object) -> None:
    """Change one setting of the user's file and leave every other line as it is."""
    import tomlkit

    known = _names(defaults(Path()))
    if name not in known or name == "config_dir":
        nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]
        raise ConfigError(f"there is no setting {name!r} for {path.name}; did you mean {nearest!r}?")
    document = tomlkit.parse(_read_text(path))
    *tables, key = name.split(".")
    holder: Any = document
    for table in tables:
        if table not in holder:
            holder[table] = tomlkit.table()
        holder = holder[table]
    holder[key] = (
        str(value) if isinstance(value, Path) else list(value) if isinstance(value, tuple) else value
    )
    _apply(defaults(Path()), document.unwrap(), str(path), Path())  # a value that does not fit is not written
    _write_text(path, tomlkit.dumps(document), private=name in SECRETS)


def unset_in_file(path: Path, name: str) -> bool:
    """Take one setting out of the user's file; False when it was not in it."""
    import tomlkit

    document = tomlkit.parse(_read_text(path))
    *tables, key = name.split(".")
    holder: Any = document
    for table in tables:
        holder = holder.get(table, {})
    if key not in holder:
        return False
    del holder[key]
    _write_text(path, tomlkit.dumps(document))
    return True


_ENVIRONMENT = "the environment"


def _layers(
    env: Mapping[str, str], home: Path, flags: Mapping[str, object]
) -> list[tuple[str, Mapping[str, object]]]:
    """What each origin says, the strongest last."""
    typed = {key: value for key, value in flags.items() if value is not None}
    from_env: dict[str, object] = {
        key: env[name] for name, key in ENVIRONMENT.items() if env.get(name, "").strip()
    }
    file = find_config_dir(env, home, flags) / CONFIG_FILE
    in_file = _read_toml(file)
    if "config_dir" in in_file:
        raise ConfigError("config_dir says where this file is, so it cannot be set in it", origin=str(file))
    return [(str(file), in_file), (_ENVIRONMENT, from_env), ("the command line", typed)]


def _names(holder: Mapping[str, object] | DataclassInstance) -> dict[str, object]:
    """All settings in it by their full names."""
    values: dict[str, object] = {}
    for name, value in _items(holder):
        if (is_dataclass(value) and not isinstance(value, type)) or isinstance(value, Mapping):
            values |= {f"{name}.{key}": inner for key, inner in _names(value).items()}
        else:
            values[name] = value
    return values


def _items(holder: Mapping[str, object] | DataclassInstance) -> Iterator[tuple[str, object]]:
    if isinstance(holder, Mapping):
        yield from holder.items()
    else:
        yield from ((item.name, getattr(holder, item.name)) for item in fields(holder))


def _read_text(path: Path) -> str:
    _read_toml(path)  # a file that cannot be read is not made worse
    return path.read_text("utf-8") if path.exists() else ""


def _write_text(path: Path, text: str, *, private: bool = False) -> None:
    """In one step: a crash must not leave half of the user's settings."""
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = 0o600 if private else path.stat().st_mode & 0o777 if path.exists() else 0o644
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(
        os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "w", encoding="utf-8"
    ) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path.resolve())  # a link into a folder of dotfiles stays one


def _read_toml(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{error}; mend the file or move it away", origin=str(path)) from error
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error


def _apply(target: Section, layer: Mapping[str, object], origin: str, home: Path) -> Section:
    """`target` with the values of one layer, each checked against the type of its default."""
    known = {item.name: getattr(target, item.name) for item in fields(target)}
    changes: dict[str, Any] = {}
    for key, value in layer.items():
        if key not in known:
            nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.0)[0]
            raise ConfigError(f"unknown setting {key!r}; did you mean {nearest!r}?", origin=origin)
        changes[key] = _convert(key, value, known[key], origin, home)
    return replace(target, **changes)


def _convert(key: str, value: object, default: object, origin: str, home: Path) -> object:
    if is_dataclass(default) and not isinstance(default, type):
        if not isinstance(value, dict):
            raise ConfigError(f"{key!r} is a table; write [{key}] and its settings below it", origin=origin)
        return _apply(default, value, f"{origin} [{key}]", home)
    if isinstance(default, Path):
        if isinstance(value, str | Path):
            return _path(value, home)
        raise ConfigError(f"{key} = {value!r} is not a path; put it in quotes", origin=origin)
    if isinstance(default, tuple):
        if isinstance(value, list | tuple) and all(isinstance(one, str) and one for one in value):
            return tuple(value)
        raise ConfigError(
            f'{key} = {value!r} is no list of texts; write each apart, such as ["claude", "-p"]',
            origin=origin,
        )
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
    elif isinstance(default, int | float):
        number = _number(value, type(default))
        if number is not None and number >= 0 and (key != "port" or number <= 65535):
            return number
    elif isinstance(value, str):
        if key in _CHOICES and value.strip() not in _CHOICES[key]:
            raise ConfigError(f"{key} = {value!r} is none of: {', '.join(_CHOICES[key])}", origin=origin)
        if key == "index" and value.strip() != "local" and not is_database(value.strip()):
            raise ConfigError(
                "index is neither `local` nor an address that begins with postgresql://", origin=origin
            )
        if key == "redis" and value.strip() and not value.strip().startswith(_REDIS):
            raise ConfigError(f"redis is no address that begins with {' or '.join(_REDIS)}", origin=origin)
        return value.strip()
    raise ConfigError(f"{key} = {value!r} does not fit; it takes something like {default!r}", origin=origin)


def is_database(index: str) -> bool:
    return index.startswith(("postgresql://", "postgres://"))


def without_password(index: str) -> str:
    """An address as it may be shown to anybody."""
    shown = re.sub(r"(://[^/@:]*):[^/]*@", r"\1:***@", index)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", shown)


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
