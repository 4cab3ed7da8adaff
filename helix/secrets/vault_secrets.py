"""The secrets of one vault and the programs that run with them, opened when somebody asks."""

from __future__ import annotations

import threading
from pathlib import Path

from helix.config import Config
from helix.secrets.runs import SecretRuns
from helix.secrets.store import SecretStore
from helix.vault.vault_id import read_identity


class VaultSecrets:
    def __init__(self, config: Config, state: Path, runs_file: Path) -> None:
        self._config, self._runs_file = config.secrets, runs_file
        # Two clones of a vault have one id, and so the same secrets.
        self.store = SecretStore(config.config_dir, read_identity(config.vault) or state.name)
        self._lock = threading.Lock()
        self._runs: SecretRuns | None = None

    def runs(self) -> SecretRuns:
        with self._lock:
            if self._runs is None:
                self._runs = SecretRuns(self._runs_file, self.store, self._config)
            return self._runs

    def close(self) -> None:
        with self._lock:
            if self._runs is not None:
                self._runs.stop()
                self._runs.close()
                self._runs = None
