"""Which programs of a repository its owner has agreed to, before Helix commits there by itself.

Committing runs what the repository names: hooks, filters, signing programs. Auto-commit is a setting of the machine,
and a vault that somebody else made may be opened on it. So a repository that names no program is committed to; one
that does waits until the owner has said yes for that very folder and those very programs. The answer stands in the
config folder, where no vault can write it.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from pathlib import Path

from helix.errors import ConfigError
from helix.vault.commit_programs import program_texts, programs_of
from helix.vault.git_folder import GitFolder
from helix.vault.repository import Repository

CONSENT_FILE = "commit-programs.json"


class CommitConsent:
    def __init__(self, config_folder: Path) -> None:
        self._file = config_folder / CONSENT_FILE

    def why_not(self, repository: Repository) -> str | None:
        """Why Helix does not commit there by itself; None when it may."""
        if GitFolder.look_for(repository.root) != repository.folder:
            return "the vault lies in another repository than when Helix started; restart helixd"
        named = programs_of(repository)
        if any(one.lower().startswith("include") for one in named):
            return (
                "the repository's settings include those of another file, which may change unseen; write them into "
                ".git/config itself, or into your own ~/.gitconfig"
            )
        if not named or self._read().get(_place(repository)) == _fingerprint(repository):
            return None
        return (
            f"the repository names programs that git would run ({', '.join(named[:3])}{', …' if named[3:] else ''}); "
            "look at them, and if they are yours say so with `helix init --autocommit`"
        )

    def agree(self, repository: Repository) -> None:
        """The owner named this vault: what its repository runs from now on is theirs, until it changes."""
        agreed = {**self._read(), _place(repository): _fingerprint(repository)}
        draft = self._file.with_name(f".{CONSENT_FILE}-{secrets.token_hex(4)}")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            opened = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8") as file:
                json.dump(agreed, file, indent=2, ensure_ascii=False)
            draft.replace(self._file)
        except OSError as error:
            raise ConfigError(
                f"{self._file} cannot be written ({error.strerror}); set HELIX_CONFIG_DIR"
            ) from error

    def _read(self) -> dict[str, str]:
        try:
            consents = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return consents if isinstance(consents, dict) else {}


def _place(repository: Repository) -> str:
    return os.path.realpath(repository.folder.shared)


def _fingerprint(repository: Repository) -> str:
    """Of what would run, not of where its name stands: a hook that is rewritten is another hook."""
    return hashlib.sha256(json.dumps(program_texts(repository)).encode()).hexdigest()
