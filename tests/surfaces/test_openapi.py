"""The OpenAPI document: true of the daemon, and enough to make a client from."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.commands import BIN
from tests.scale import scaled
from tests.surfaces.conftest import Served, serving

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.long
def test_the_daemon_does_what_the_document_says(tmp_path: Path) -> None:
    # Words only, and a daemon of its own: it is asked for everything, to erase and to switch off things too.
    with serving(tmp_path) as asked:
        done = subprocess.run(
            [
                str(BIN / "schemathesis"), "run", f"{asked.url}/openapi.json", "--url", asked.url, "--no-color",
                "--exclude-path", "/events",  # it never ends
                "--exclude-path", "/freeze",  # everything after it would be refused
                "--checks", "all", "--exclude-checks", "positive_data_acceptance",
                "--phases", "examples,coverage,fuzzing", "--max-examples", str(scaled(6)),
                "--max-time", str(scaled(40)), "--seed", "7", "--generation-database", "none",
            ],
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.surfaces.schemathesis_checks", "PYTHONPATH":
                 os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
            capture_output=True,
            text=True,
            timeout=scaled(120),
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_every_operation_has_a_name_a_tag_an_answer_and_the_one_shape_of_errors(served: Served) -> None:
    said = served.http.get("/openapi.json").json()
    operations = [one for methods in said["paths"].values() for one in methods.values()]
    assert Counter(one["operationId"] for one in operations).most_common(1)[0][1] == 1
    known = {tag["name"] for tag in said["tags"]}
    for one in operations:
        assert len(one["tags"]) == 1
        assert set(one["tags"]) <= known
        assert one["description"]
        for status, response in one["responses"].items():
            [content] = response["content"].values()
            assert content["schema"]
            if int(status) >= 400 and (one["operationId"], status) != ("healthz", "503"):
                assert content["schema"] == {"$ref": "#/components/schemas/Problem"}
        if "requestBody" in one:
            [body] = one["requestBody"]["content"].values()
            assert "example" in said["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
