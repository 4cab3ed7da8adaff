"""The TypeScript SDK against a real daemon, with the machine's Node."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from tests.cli.commands import helix
from tests.flows.daemon import running_daemon
from tests.sdk.package import SDK, Package
from tests.story.telling import ENDING, STORY, read_story
from tests.story.vault import read_vault
from tests.surfaces.conftest import surroundings


def test_the_generated_parts_are_what_the_daemon_says() -> None:
    generate = runpy.run_path(str(SDK / "generate.py"))
    for name, text in generate["render"]().items():
        assert (SDK / "src" / "generated" / name).read_text("utf-8") == text, "run `make docs`"


def test_the_story_ends_in_the_same_vault_as_with_every_other_sdk(package: Package, tmp_path: Path) -> None:
    env = surroundings(tmp_path)
    vault = tmp_path / "vault"
    for name, text in read_story()["files"].items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(text, "utf-8")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("[consolidate]\nenabled = false\n")
    helix("init", "--git", env=env)
    with running_daemon(env) as daemon:
        told = {"HELIX_URL": daemon.url, "HELIX_STORY": str(STORY), "HELIX_STORY_VAULT": str(vault)}
        package.test("story", told)
    assert read_vault(vault) == json.loads(ENDING.read_text("utf-8"))


@pytest.mark.parametrize(
    ("file", "runtime"),
    [
        ("faults", "node"),
        ("faults", "bun"),
        ("sessions", "node"),
        ("sessions", "bun"),
        ("documents", "node"),
        ("documents", "bun"),
        ("harnesses", "node"),
        ("harnesses", "bun"),
        ("skills", "node"),
        ("skills", "bun"),
        ("assets", "node"),
        ("assets", "bun"),
        ("secrets", "node"),
        ("secrets", "bun"),
        ("tools", "node"),
        ("react", "node"),
    ],
)
def test_against_a_real_daemon(package: Package, asked: dict[str, str], file: str, runtime: str) -> None:
    package.test(file, {**asked, "HELIX_ERRORS": str(STORY.with_name("errors.json"))}, runtime)


@pytest.mark.parametrize("runtime", ["node", "bun"])
def test_the_surface_with_and_without_a_token(
    package: Package, asked: dict[str, str], strict: dict[str, str], runtime: str
) -> None:
    package.test("helix", {**asked, **strict}, runtime)
