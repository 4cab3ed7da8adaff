"""A vault with everything around it, in a place of its own, that tests make ill."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from helix_mcp.proof import PATH, proof_of

from helix.compose import open_vault
from helix.config import Config, load
from helix.doctor.examine import Diagnosis, examine
from helix.doctor.examined import Examined, Surroundings
from helix.doctor.fix import Deed, mend
from helix.follow.daemon_address import Whereabouts
from helix.token_file import TokenFile
from helix.vault.starter import find_template, start_vault
from helix.vault.vault_id import state_folder
from tests.flows.daemon import free_port

NOBODY = 65534
RECORD = "---\nid: {id}\ntitle: A note\n{more}---\n{body}\n"


@dataclass
class Patient:
    place: Path
    env: dict[str, str]
    stack: ExitStack
    around: dict[str, Any] = field(default_factory=dict)
    """what a test says of the machine that it cannot make so"""
    is_nobody: bool = False
    """look with the eyes of a user who may do nothing"""

    @property
    def vault(self) -> Path:
        return Path(self.env["HELIX_VAULT"])

    @property
    def home(self) -> Path:
        return self.place / "home"

    @property
    def config(self) -> Config:
        return load(self.env, self.home)

    @property
    def state(self) -> Path:
        return state_folder(self.config.state_dir, self.vault)

    def examine(self) -> Diagnosis:
        if self.is_nobody:
            examine(self._examined())  # loads what is needed: Python itself may be out of nobody's reach
        with self._as_nobody():
            return examine(self._examined())

    def codes(self) -> set[str]:
        return {finding.code for finding in self.examine().findings}

    def fix(self) -> list[Deed]:
        return mend(self._examined(), self.examine().findings)

    def _examined(self) -> Examined:
        return Examined(Surroundings(self.env, self.home, self.place / "project", **self.around))

    @contextmanager
    def _as_nobody(self) -> Iterator[None]:
        """Root may do everything, so permissions show only to somebody else."""
        if not self.is_nobody or os.geteuid() != 0:
            yield
            return
        os.seteuid(NOBODY)
        try:
            yield
        finally:
            os.seteuid(0)

    # Making it ill

    def write(self, path: str, content: str | bytes) -> Path:
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def note(
        self, memory_id: str, more: str = "", body: str = "Something worth keeping.", path: str = ""
    ) -> Path:
        return self.write(path or f"{memory_id}.md", RECORD.format(id=memory_id, more=more, body=body))

    def configure(self, text: str) -> Path:
        folder = Path(self.env["HELIX_CONFIG_DIR"])
        folder.mkdir(exist_ok=True)
        (folder / "config.toml").write_text(text)
        (folder / "config.toml").chmod(0o600)
        return folder / "config.toml"

    def use(self) -> None:
        """As any command does: the catalog says afterwards what the disk says."""
        with open_vault(self.config) as helix:
            helix.catch_up()

    def program(self, folder: str, *names: str) -> None:
        """Programs on the PATH, one installation to a folder."""
        for name in names:
            file = self.place / folder / name
            file.parent.mkdir(exist_ok=True)
            file.write_text("#!/bin/sh\n")
            file.chmod(0o755)
        self.env["PATH"] = f"{self.place / folder}{os.pathsep}{self.env['PATH']}"

    def lock(self, words: str) -> None:
        """The lock of the vault, held by this process in the name of another."""
        self.state.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = self.stack.enter_context((self.state / "follow.lock").open("w"))
        file.write(words)
        file.flush()
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)

    def daemon_says(self, said: object, status: int = 200, *, elsewhere: bool = False) -> None:
        """A daemon that holds the lock and says this of itself."""
        port = free_port() if elsewhere else self.config.port
        self.lock(f"process {os.getpid()}, a daemon\n")
        Whereabouts(f"http://127.0.0.1:{port}", os.getpid(), "0").record(self.state)
        self.serve(port, said, status)

    def serve(self, port: int, said: object, status: int = 200) -> None:
        """Of this user: it knows the token, as the user's own daemon does."""
        token = TokenFile(self.config)

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                body = json.dumps(said).encode()
                if self.path.startswith(PATH):
                    body = proof_of(token.get(), self.path.rpartition("=")[2], "127.0.0.1", port).encode()
                self.send_response(200 if self.path.startswith(("/healthz", PATH)) else status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self.stack.callback(thread.join)
        self.stack.callback(server.server_close)
        self.stack.callback(server.shutdown)


@contextmanager
def admitted(
    fill: Callable[[Path], object] = lambda vault: start_vault(vault, find_template()),
) -> Iterator[Patient]:
    """A healthy one. Its folders can be reached by every user, unlike pytest's own."""
    place = Path(tempfile.mkdtemp(prefix="helix-doctor-"))
    place.chmod(0o755)
    for name in ("home", "project"):
        (place / name).mkdir()
    env = {
        "PATH": os.defpath,
        "HELIX_VAULT": str(place / "vault"),
        "HELIX_STATE_DIR": str(place / "state"),
        "HELIX_CONFIG_DIR": str(place / "config"),
        "HELIX_PORT": str(free_port()),
    }
    try:
        with ExitStack() as stack:
            fill(place / "vault")
            yield Patient(place, env, stack)
    finally:
        shutil.rmtree(place, ignore_errors=True)
