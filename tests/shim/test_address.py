from __future__ import annotations

import pytest
from helix_mcp.address import Address, BadAddress, is_loopback


@pytest.mark.parametrize("name", ["127.0.0.1", "127.0.0.2", "127.8.9.10", "::1", "localhost", "LOCALHOST"])
def test_every_address_of_this_machine_is_loopback(name: str) -> None:
    assert is_loopback(name)
    assert Address(f"http://[{name}]:7878" if ":" in name else f"http://{name}:7878").is_loopback


@pytest.mark.parametrize(
    "name",
    ["0.0.0.0", "::", "10.0.0.1", "localhost.evil", "example.org", "127.evil.org", "127.0.0.1.evil", "127.1",
     "127.0.0.256", "127.0.0.1234", ""],
)  # fmt: skip
def test_what_only_looks_like_loopback_is_not(name: str) -> None:
    assert not is_loopback(name)


@pytest.mark.parametrize("url", ["http://日本:7878", "http://127.0.0.1:7878/日", "http://127.0.0.1 :7878"])
def test_a_url_that_cannot_stand_in_a_header_is_refused(url: str) -> None:
    with pytest.raises(BadAddress, match="is not a URL of a daemon"):
        Address(url)


@pytest.mark.parametrize(
    "host",
    [
        "127.1",
        "0.0.0.0",
        "0",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "127.0.0.01",
        "[::]",
        "[::ffff:7f00:1]",
        "[::ffff:127.0.0.1]",
    ],
)
def test_a_number_that_leads_elsewhere_than_it_seems_to_is_refused(host: str) -> None:
    """Only the usual spelling is known as this machine's, and so asked who is there."""
    with pytest.raises(BadAddress, match=r"write it like http://127\.0\.0\.1:7878"):
        Address(f"http://{host}:7878")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.2", "[::1]", "10.0.0.1", "localhost", "face.example", "[fd00::1]"]
)
def test_an_ordinary_address_is_taken(host: str) -> None:
    assert Address(f"http://{host}:7878").port == 7878
