"""helix reindex --to: the index in another place. It is made beside the one that serves, from the files."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from helix.cli.daemon import restart
from helix.cli.output import progress_bar
from helix.config import CONFIG_FILE, Config, is_database, set_in_file, without_password
from helix.daemon_client import find_daemon
from helix.errors import BadValue, ConfigError

_VARIABLE = "HELIX_INDEX"
_LOOK_EVERY = 0.25


def move_index(config: Config, index: str) -> dict[str, Any]:
    """The daemon that runs serves with the index that it has until the other one is complete, and is then started
    again with that, which takes a moment. What changed meanwhile it finds by comparing hashes."""
    if index != "local" and not is_database(index):
        raise BadValue("--to takes `local`, or an address that begins with postgresql://")
    if index == config.index:
        raise BadValue(f"the index is at {without_password(index)} already; `helix reindex` makes it anew")
    if os.environ.get(_VARIABLE, "").strip():
        raise ConfigError(
            f"{_VARIABLE} says where the index is, and goes before the settings: take it out of the environment first"
        )
    daemon = find_daemon(config)
    memories = _make(replace(config, index=index))
    set_in_file(config.config_dir / CONFIG_FILE, "index", index)
    if daemon is not None and daemon.pid is not None:
        restart(replace(config, index=index))
    return {"index": without_password(index), "memories": memories, "restarted": daemon is not None}


def _make(config: Config) -> dict[str, int]:
    from helix.compose import open_vault
    from helix.memory.search_engine import open_recall

    with open_vault(config) as helix:
        with progress_bar("reading the vault") as progress:
            helix.catch_up(progress)
        with ExitStack() as stack:
            with progress_bar("putting words") as progress:
                recall = stack.enter_context(open_recall(helix, progress, is_beside=True))
            with progress_bar("putting vectors") as progress:
                index = recall.index
                while (health := index.health()).index_lag and health.indexing is not None:
                    progress(health.memories - health.index_lag, health.memories)
                    index.wait_until_embedded(_LOOK_EVERY)
            index.tend(tidy=True)
        return dict(sorted(helix.catalog.count_by_status().items()))
