"""What others say about our MCP: the official conformance suites and the official inspector."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from helix.config import ENVIRONMENT
from helix.surfaces.local_access import LocalAccess
from helix.surfaces.mcp.surface import McpSurface
from tests.cli.commands import helix
from tests.conformance.fixture import fixture_surface
from tests.conformance.suites import Suites, find_suites
from tests.flows.daemon import Daemon, free_port, running_daemon
from tests.surfaces.mcp.serving import served, vaulted

RUNS = {
    "0.1.16 active": ("current", ()),
    "2025-11-25": ("next", ("--requirements", "2025-11-25")),
    "2026-07-28": ("next", ("--requirements", "2026-07-28")),
}
pytestmark = pytest.mark.filterwarnings("ignore:.*deprecated as of 2026-07-28")
WIRE = "wire-schema-valid"

# An extension that Helix does not offer; none of its scenarios is scored.
TASKS = "tasks-"
# What the suite cannot find on the real daemon, and why it is not there.
NOT_OFFERED = {
    "the suite's own tools: a memory server has memory tools": (
        "tools-call-simple-text",
        "tools-call-image",
        "tools-call-audio",
        "tools-call-embedded-resource",
        "tools-call-mixed-content",
        "tools-call-error",
        "tools-call-with-progress",
        "json-schema-2020-12",
        "http-custom-header-server-validation",
        "server-stateless",  # four of its checks call such tools; the test below says which
    ),
    "the suite's own resources: ours are helix://graph and helix://strand/manifest": (
        "resources-read-text",
        "resources-read-binary",
        "resources-templates-read",
        "resources-subscribe",
        "resources-unsubscribe",
    ),
    "prompts and completion: Helix has none, and does not say that it had": (
        "prompts-list",
        "prompts-get-simple",
        "prompts-get-with-args",
        "prompts-get-embedded-resource",
        "prompts-get-with-image",
        "completion-complete",
        "caching",  # of prompts/list; the other four lists and reads carry their hints
    ),
    "log messages to the client: the daemon keeps its own log, and the feature is deprecated": (
        "logging-set-level",
        "tools-call-with-logging",
    ),
    "questions back to the client: a memory tool asks nobody anything": (
        "tools-call-sampling",
        "tools-call-elicitation",
        "elicitation-sep1034-defaults",
        "elicitation-sep1330-enums",
        "input-required-result-basic-elicitation",
        "input-required-result-basic-sampling",
        "input-required-result-basic-list-roots",
        "input-required-result-request-state",
        "input-required-result-multiple-input-requests",
        "input-required-result-multi-round",
        "input-required-result-non-tool-request",
        "input-required-result-result-type",
        "input-required-result-tampered-state",
        "input-required-result-capability-check",
    ),
}
EXPECTED = {scenario for scenarios in NOT_OFFERED.values() for scenario in scenarios}


@pytest.fixture(scope="module")
def suites() -> Suites:
    return find_suites()


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """Words only: how well things are found is no matter here, and the model takes its time."""
    place = tmp_path_factory.mktemp("daemon")
    with pytest.MonkeyPatch.context() as patch:
        for name in ENVIRONMENT:
            patch.delenv(name, raising=False)
        for name, folder in (("VAULT", "vault"), ("STATE_DIR", "state"), ("CONFIG_DIR", "config")):
            patch.setenv(f"HELIX_{name}", str(place / folder))
        patch.setenv("HELIX_PORT", str(free_port()))
        patch.setenv("HELIX_MODEL", "none")
        helix("init")
        with running_daemon() as running:
            yield running


@pytest.mark.parametrize("run", RUNS)
def test_our_surface_passes_every_scenario(suites: Suites, run: str, tmp_path: Path) -> None:
    release, options = RUNS[run]
    with served(
        fixture_surface(),
        lambda port: LocalAccess("127.0.0.1", port, lambda: "", require_token=False),
    ) as at:
        ran = suites.conformance(release, f"{at.url}/mcp", tmp_path / "results", *options)
    assert {scenario for scenario in ran.failed if not scenario.startswith(TASKS)} == set(), ran.said


def test_the_daemon_fails_only_where_it_does_not_offer_what_is_asked_for(
    suites: Suites, daemon: Daemon, tmp_path: Path
) -> None:
    seen: set[str] = set()
    for revision in ("2025-11-25", "2026-07-28"):
        release, options = RUNS[revision]
        ran = suites.conformance(release, f"{daemon.url}/mcp", tmp_path / revision, *options)
        failed = {name: checks for name, checks in ran.failed.items() if not name.startswith(TASKS)}
        assert failed.keys() <= EXPECTED, ran.said
        assert not [name for name, checks in failed.items() if WIRE in checks], ran.said
        seen |= failed.keys()
        if "server-stateless" in failed:
            assert failed["server-stateless"] == {
                "sep-2575-server-rejects-undeclared-capability",
                "sep-2575-missing-capability-http-400",
                "sep-2575-http-server-no-independent-requests-on-stream",
                "sep-2575-server-no-log-without-loglevel",
            }
    assert seen == EXPECTED  # what passes by now is taken off the list


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_finds_nothing_wrong_with_our_schemas(suites: Suites, daemon: Daemon, era: str) -> None:
    common = (f"{daemon.url}/mcp", "--protocol-era", era)
    listed = suites.inspector(*common, "--method", "tools/list", "--strict")
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)["tools"]) == 6
    words = ("--tool-name", "memory_write", "--tool-arg", "text=The staging cluster is called heron")
    written = suites.inspector(*common, "--method", "tools/call", *words)
    assert json.loads(written.stdout)["structuredContent"]["status"] in ("created", "merged"), written.stderr


def test_the_inspector_finds_nothing_wrong_with_the_vault_dialect(suites: Suites, tmp_path: Path) -> None:
    with vaulted(tmp_path) as opened, served(McpSurface(opened.workspace, "0")) as at:
        where = (f"{at.url}/mcp/vault", "--transport", "http", "--header", "Authorization: Bearer me")
        listed = suites.inspector(*where, "--method", "tools/list", "--strict")
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)["tools"]) == 4
