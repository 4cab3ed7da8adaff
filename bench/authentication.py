"""What a key adds to a request after its first use, on a real daemon that takes requests with a key and without.

Both are asked in turn on connections that stay open, with 200 users and a key for each. The first request with a key,
which proves it, is told by itself.
"""

from __future__ import annotations

import argparse
import http.client
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from bench.figures import judge, report, timed
from helix.access.credentials import Credentials
from tests.access.team import serving_team

_GOAL = 0.3
_PATH = "/workspaces"


def main(argv: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="bench.authentication", description=__doc__)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--requests", type=int, default=2_000)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder, serving_team(Path(folder), "hybrid") as team:
        keys = _keys(Path(folder), options.users)
        address = team.url.removeprefix("http://")
        shown, silent = http.client.HTTPConnection(address), http.client.HTTPConnection(address)
        first = [timed(_ask, shown, _headers(key)) for key in keys[:20]]
        kept = _headers(keys[0])
        for _ in range(100):
            _ask(shown, kept)
            _ask(silent, {})
        with_key, without = [], []
        for _ in range(options.requests):
            with_key.append(timed(_ask, shown, kept))
            without.append(timed(_ask, silent, {}))
        report("the first request with a key", first)
        report("a request with a key", with_key)
        report("the same by the owner, with none", without)
        more = statistics.median(with_key) - statistics.median(without)
        judge("a key adds to a request", more * 1000, _GOAL, "ms")


def _keys(place: Path, users: int) -> list[str]:
    credentials = Credentials(place / "config")
    try:
        for number in range(users):
            credentials.add_user(f"u{number:03}", "agent")
        # Making one takes as long as proving it.
        return [credentials.create_key(f"u{number:03}")[1] for number in range(min(users, 200))]
    finally:
        credentials.close()


def _headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _ask(connection: http.client.HTTPConnection, headers: Mapping[str, str]) -> None:
    connection.request("GET", _PATH, headers=dict(headers))
    answer = connection.getresponse()
    said = answer.read()
    assert answer.status == 200, said


if __name__ == "__main__":
    main(sys.argv[1:])
