"""HTTPS that Helix serves itself: the certificate is read again when it is renewed, and browsers are told to stay."""

from __future__ import annotations

import shutil
import ssl
from pathlib import Path

import httpx

from helix.token_file import TOKEN_FILE
from tests.access.certificate import make_certificate
from tests.access.team import make_people
from tests.flows.daemon import Daemon, starting_daemon
from tests.surfaces.conftest import surroundings
from tests.waiting import wait_for


def shown_by(daemon: Daemon) -> str:
    host, _, port = daemon.url.removeprefix("http://").partition(":")
    try:
        return ssl.get_server_certificate((host, int(port)), timeout=5)
    except OSError:
        assert daemon.process.poll() is None, daemon.last_words()
        return ""


def test_a_renewed_certificate_is_served_without_a_restart_and_a_broken_one_is_not(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    (tmp_path / "newer").mkdir()
    newer = make_certificate(tmp_path / "newer")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text(
        f'tls_certificate = "{certificate}"\ntls_key = "{key}"\n'
    )
    make_people(tmp_path)
    (tmp_path / "vault").mkdir()
    first = certificate.read_text()
    with starting_daemon({**surroundings(tmp_path), "HELIX_MODE": "team"}) as daemon:
        wait_for(lambda: shown_by(daemon).strip() == first.strip(), seconds=60)
        url = daemon.url.replace("http:", "https:")
        trusting = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(verify=trusting, timeout=10) as http:
            assert http.get(f"{url}/healthz").headers["Strict-Transport-Security"] == "max-age=31536000"
            found = http.get(f"{url}/.well-known/oauth-protected-resource").json()
            assert found["resource"] == url
            # The certificate of one and the key of another: nobody could be served with them.
            shutil.copy(newer[0], certificate)
            wait_for(lambda: b"the old one goes on" in log_of(daemon), seconds=20)
            assert shown_by(daemon).strip() == first.strip()
            shutil.copy(newer[1], key)
            wait_for(lambda: shown_by(daemon).strip() == newer[0].read_text().strip(), seconds=20)
            assert http.get(f"{url}/healthz").status_code == 200  # on the connection that was open before
    assert (tmp_path / "config" / TOKEN_FILE).exists()


def log_of(daemon: Daemon) -> bytes:
    daemon.log.seek(0)
    return daemon.log.read()
