from __future__ import annotations

import json
import shutil
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from helix.cli.app import app
from helix.index.models import Model, bundled_embedder, record_download


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HELIX_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HELIX_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.delenv("HELIX_MODEL", raising=False)
    return tmp_path


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["model", *arguments])


def _config(home: Path) -> str:
    return (home / "config" / "config.toml").read_text("utf-8")


def test_the_list_marks_the_bundled_model_and_says_licence_and_size(home: Path) -> None:
    rows = json.loads(_run("list", "--json").stdout)
    assert [row["where"] for row in rows if row["in_use"]] == ["bundled"]
    assert all(row["licence"] and row["size"] > 0 for row in rows)
    assert any(row["name"] == "BAAI/bge-base-en-v1.5" and row["where"] == "can be pulled" for row in rows)
    assert "34 MB" in _run("list").stdout


def test_use_changes_one_line_and_leaves_the_others(home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text("# mine\nport = 7000 # low\n\n[git]\nquiet = 5\n", "utf-8")
    assert _run("use", "none").exit_code == 0
    assert _config(home) == '# mine\nport = 7000 # low\nmodel = "none"\n\n[git]\nquiet = 5\n'
    assert "by words only" in _run("list").output
    assert _run("use", "bundled").exit_code == 0
    assert _config(home) == '# mine\nport = 7000 # low\nmodel = "bundled"\n\n[git]\nquiet = 5\n'


def test_use_of_a_model_that_is_not_here_says_how_to_get_it(home: Path) -> None:
    result = _run("use", "BAAI/bge-base-en-v1.5", "--json")
    assert result.exit_code == 1
    said = json.loads(result.stdout)
    assert said["code"] == "model-unavailable"
    assert "helix model pull" in said["error"]
    assert not (home / "config").exists()


def test_a_folder_can_be_used_and_path_prints_it(home: Path) -> None:
    shutil.copytree(bundled_embedder().folder, home / "my model")
    assert _run("use", str(home / "my model")).exit_code == 0
    assert _run("path").stdout.strip() == str(home / "my model")
    rows = json.loads(_run("list", "--json").stdout)
    assert [row["where"] for row in rows if row["in_use"]] == ["folder"]


def test_a_downloaded_model_is_listed_and_can_be_used(home: Path) -> None:
    models = home / "state" / "models"
    folder = models / "models--org--name" / "snapshots" / "1"
    shutil.copytree(bundled_embedder().folder, folder)
    record_download(models, Model("BAAI/bge-base-en-v1.5", folder, "model.onnx", 768, "mit", 0, ""))
    assert _run("use", "baai/BGE-base-en-v1.5").exit_code == 0
    assert 'model = "BAAI/bge-base-en-v1.5"' in _config(home)
    rows = json.loads(_run("list", "--json").stdout)
    assert [(row["name"], row["where"]) for row in rows if row["in_use"]] == [
        ("BAAI/bge-base-en-v1.5", "downloaded")
    ]


def test_pull_without_a_network_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError("Name or service not known")

    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    result = _run("pull", "BAAI/bge-base-en-v1.5", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["code"] == "model-unavailable"
    assert json.loads(_run("pull", "no/such-model", "--json").stdout)["code"] == "bad-value"
