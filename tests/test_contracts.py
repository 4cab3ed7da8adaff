"""The import contracts that keep verbs, dialects and routes behind the view, and LanceDB out of the process that
serves, fail when somebody goes past them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

BREACHES = {
    "helix/memory/reading/browse.py": "from helix.index.catalog import Catalog",
    "helix/memory/writing/amend.py": "from helix.memory.writing.vault_store import VaultStore",
    "helix/memory/reading/a_new_verb.py": "from helix.memory.reading.vault_view import VaultView",
    "helix/dialects/vault/tools.py": "from helix.memory.workspace import Workspace",
    "helix/surfaces/rest/reading.py": "from helix.memory.reading.past import Past",
    "helix/index/vectors.py": "import lancedb",
    "helix/index/meaning.py": "from helix.index.vector_table import VectorTable",
    "helix/index/vector_matrix.py": "import numkong",
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the check says of a copy of the source with one breach in each of these files."""
    copy = tmp_path_factory.mktemp("source")
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copytree(ROOT / "helix", copy / "helix", ignore=shutil.ignore_patterns("__pycache__", "*.js"))
    shutil.copytree(ROOT / "shim" / "helix_mcp", copy / "helix_mcp")
    for path, line in BREACHES.items():
        with (copy / path).open("a") as file:
            file.write(f"\n{line}\n")
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-cache",
    ]
    done = subprocess.run(
        command, cwd=copy, env={"PYTHONPATH": str(copy)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", BREACHES)
def test_a_way_past_a_door_breaks_a_contract(broken: str, path: str) -> None:
    importer = path.removesuffix(".py").replace("/", ".")
    imported = BREACHES[path].split()[1]
    assert f"{importer} -> {imported}" in broken
