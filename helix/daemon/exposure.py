"""What a daemon may be started with: nothing that would show a vault to whoever finds the port."""

from __future__ import annotations

import ipaddress
import os

from helix_mcp.address import Address, BadAddress, is_loopback

from helix.access.api_key import PREFIX
from helix.config import Config
from helix.errors import ConfigError

_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 (compared with, not listened on)
_OF_A_TEAM = ("public_url", "tls_certificate", "tls_key", "trusted_proxies")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def check_exposure(config: Config) -> None:
    """Raises ConfigError, with what to do."""
    if config.mode == "local":
        _check_local(config)
        return
    if config.token.startswith(PREFIX):
        raise ConfigError(
            "HELIX_TOKEN holds the key of a user; the token of the daemon is another thing. Start helixd without it"
        )
    _check_certificate(config)
    proxies = parse_proxies(config.trusted_proxies)
    if not is_loopback(config.host) and not (config.tls_certificate or proxies):
        raise ConfigError(
            f"on {config.host} keys and memories would go over the network unencrypted; set tls_certificate and "
            "tls_key, or name the proxy that serves HTTPS in trusted_proxies, or listen on 127.0.0.1"
        )
    if (not is_loopback(config.host) or proxies) and not config.public_url:
        raise ConfigError(
            "say in public_url how your team reaches this daemon, such as https://memory.example.com"
        )
    if config.public_url:
        _check_public_url(config.public_url)


def _check_local(config: Config) -> None:
    if not is_loopback(config.host):
        raise ConfigError(
            f"{config.host} is not a loopback address, and without keys everybody who reaches it could read the vault; "
            'listen on 127.0.0.1, or set mode = "team"'
        )
    if given := [name for name in _OF_A_TEAM if getattr(config, name)]:
        raise ConfigError(f'{given[0]} is for a team; set mode = "team" or "hybrid", or take it out')


def _check_certificate(config: Config) -> None:
    files = {"tls_certificate": config.tls_certificate, "tls_key": config.tls_key}
    if any(files.values()) and not all(files.values()):
        missing = next(name for name, path in files.items() if not path)
        raise ConfigError(f"HTTPS needs a certificate and its key; set {missing} too")
    for name, path in files.items():
        if path and not os.access(path, os.R_OK):
            raise ConfigError(f"{name} names {path}, which cannot be read")


def _check_public_url(url: str) -> None:
    try:
        address = Address(url)
    except BadAddress as error:
        raise ConfigError(f"public_url: {error}") from error
    if address.path:
        raise ConfigError(
            f"public_url is {url!r}; Helix answers at the root of a host, so leave the path out"
        )
    if not address.is_secure and not address.is_loopback:
        raise ConfigError(f"public_url is {url!r}; beyond this machine it begins with https://")


def parse_proxies(text: str) -> tuple[Network, ...]:
    """Addresses, or networks such as `10.0.0.0/24`."""
    try:
        return tuple(ipaddress.ip_network(one.strip()) for one in text.split(",") if one.strip())
    except ValueError as error:
        raise ConfigError(f"trusted_proxies: {error}; give addresses, with commas between them") from error


def base_of(config: Config, port: int) -> str:
    """The one address by which a team knows the daemon: it issues tokens under it, and they are good for it."""
    if config.public_url:
        return config.public_url.lower().rstrip("/")
    scheme = "https" if config.tls_certificate else "http"
    return f"{scheme}://{'127.0.0.1' if config.host in _WILDCARDS else _in_url(config.host)}:{port}"


def local_url(config: Config, port: int) -> str:
    """Where commands on this machine find the daemon."""
    if config.tls_certificate:
        return (
            config.public_url or f"https://{_in_url(config.host)}:{port}"
        )  # what its certificate is made for
    return f"http://{'127.0.0.1' if config.host in _WILDCARDS else _in_url(config.host)}:{port}"


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
