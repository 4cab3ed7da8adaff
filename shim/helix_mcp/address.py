"""Where the daemon is: a URL, taken apart without `urllib`, which is slow to import."""

from __future__ import annotations

_PORTS = {"http": 80, "https": 443}
_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class BadAddress(ValueError):
    """A URL that makes no sense, and what would."""


class Address:
    def __init__(self, url: str) -> None:
        scheme, separator, rest = url.strip().partition("://")
        self.scheme = scheme.lower()
        authority, slash, path = rest.partition("/")
        host, port = _split(authority)
        if not separator or self.scheme not in _PORTS or not host or not _is_plain(url.strip()):
            raise BadAddress(f"{url!r} is not a URL of a daemon; write it like http://127.0.0.1:7878")
        if "@" in authority or "?" in rest or "#" in rest:
            raise BadAddress(
                f"{url!r} has more than a daemon's URL needs; write it like http://127.0.0.1:7878"
            )
        if _is_odd_number(host):
            raise BadAddress(f"{host} in {url!r} is an unusual spelling; write it like http://127.0.0.1:7878")
        self.host = host
        self.port = _port(port, url) if port else _PORTS[self.scheme]
        self.path = (slash + path).rstrip("/")
        self.url = f"{self.scheme}://{authority}{self.path}"
        self.host_header = authority

    @property
    def is_secure(self) -> bool:
        return self.scheme == "https"

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def is_numeric(self) -> bool:
        """Whether it can be connected to without asking for a name, which would import a codec."""
        return ":" in self.host or self.host.replace(".", "").isdigit()


def is_loopback(host: str) -> bool:
    """Whether this name or address is this machine's own, for the daemon, every client and the doctor alike.

    All of 127.0.0.0/8 is. Written out, because `ipaddress` is slow to import.
    """
    if host.lower() in ("localhost", "::1"):
        return True
    parts = host.split(".")
    return parts[0] == "127" and len(parts) == 4 and all(_is_byte(part) for part in parts)


def _is_odd_number(host: str) -> bool:
    """A number that leads somewhere else than it seems to: `127.1`, `0.0.0.0`, `2130706433`, `::ffff:7f00:1`."""
    if ":" in host:
        return "." in host or host.lower().startswith("::ffff:") or not host.strip("0:")
    is_number = all(part.isdigit() or part[:2].lower() == "0x" for part in host.split("."))
    parts = [part for part in host.split(".") if _is_byte(part) and part == str(int(part))]
    return is_number and (len(parts) != 4 or host.count(".") != 3 or not host.strip("0."))


def _is_byte(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 3 and int(text) <= 255


def _is_plain(url: str) -> bool:
    """It becomes part of headers; names in other scripts have a form in ASCII."""
    return url.isascii() and url.isprintable() and " " not in url


def _split(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, _, rest = authority[1:].partition("]")
        return host, rest.removeprefix(":")
    host, _, port = authority.partition(":")
    return host, port


def _port(text: str, url: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        raise BadAddress(f"{text!r} in {url!r} is not a port")
    return int(text)


def percent_encoded(text: str) -> str:
    """UTF-8 with everything but letters, digits and `-._~` as %XX: safe in a header and in a path."""
    return "".join(
        chr(byte) if byte in _UNRESERVED else f"%{byte:02X}" for byte in text.encode("utf-8", "replace")
    )
