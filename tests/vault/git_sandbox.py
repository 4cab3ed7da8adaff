"""A real git repository in a temporary folder, cut off from the settings of whoever runs the tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

FIRST_COMMIT = 1_750_000_000
"""Commits are an hour apart from here on, so that orders and times in the tests are exact."""


class Sandbox:
    def __init__(self, top: Path, vault: Path | None = None) -> None:
        self.top = top
        self.vault = vault or top
        self._commits = 0

    @classmethod
    def create(cls, top: Path, vault: str = "") -> Sandbox:
        sandbox = cls(top, top / vault)
        sandbox.vault.mkdir(parents=True)
        sandbox.git("init", "-q", "-b", "main", str(top))
        sandbox.git("config", "user.name", "Ada")
        sandbox.git("config", "user.email", "ada@example.com")
        return sandbox

    def git(self, *arguments: str, fails: bool = False) -> str:
        moment = f"{FIRST_COMMIT + 3600 * self._commits} +0200"
        environment = {**os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "LC_ALL": "C"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.vault, env=environment, capture_output=True, check=not fails
        )
        return os.fsdecode(done.stdout).strip("\n")

    def write(self, path: str, text: str) -> None:
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def save(self, subject: str = "save") -> str:
        """Commit everything, an hour after the commit before."""
        self.git("add", "-A", str(self.top))
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        self._commits += 1
        return self.git("rev-parse", "HEAD")

    def merge(self, branch: str) -> str:
        self.git("merge", "-q", "--no-ff", "-m", f"merge {branch}", branch)
        self._commits += 1
        return self.git("rev-parse", "HEAD")

    def hook(self, name: str, script: str) -> None:
        file = self.top / ".git" / "hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)


def note(memory_id: str, body: str = "text\n") -> str:
    return f"---\nid: {memory_id}\ntitle: A note\n---\n{body}"
