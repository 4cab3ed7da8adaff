"""The verbs about assets, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio
import base64
import os
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from helix import AsyncHelix, BadRequest, Helix, NotFound, SecretRefused
from tests.cli.commands import helix
from tests.client.conftest import Running, daemon_at
from tests.waiting import wait_for

ODD = bytes(range(256)) + b"\r\n\x00"
SCRIPT = b"#!/bin/sh\ntouch /tmp/never\n"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with daemon_at(tmp_path_factory.mktemp("shared"), settings="[assets]\nmost_bytes = 2000\n") as running:
        yield running


def spelled(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_a_file_is_published_pulled_once_and_taken_back(shared: Running) -> None:
    with Helix(shared.url) as mem:
        first = mem.assets.publish("odd.bin", base64=spelled(ODD), description="Every byte there is.")
        assert (first.status, first.version, first.hash) == ("created", 1, sha256(ODD).hexdigest())
        assert mem.assets.publish("odd.bin", base64=spelled(ODD)).status == "noop"
        pulled = mem.assets.pull(first.id)
        assert (pulled.data, pulled.size, pulled.type) == (ODD, len(ODD), "file")
        assert mem.assets.pull(first.id, have=pulled.hash).base64 is None
        second = mem.assets.publish("odd.bin", base64=spelled(ODD[::-1]), asset_type="snippet")
        assert (second.id, second.status, second.version) == (first.id, "updated", 2)
        again = mem.assets.pull(first.id, have=pulled.hash)
        assert (again.data, again.type, again.description) == (ODD[::-1], "snippet", "Every byte there is.")

        mem.assets.tombstone(first.id)
        assert first.id not in [one.id for one in mem.assets.list_all()]
        gone = [one for one in mem.assets.list_all(include_deleted=True) if one.id == first.id]
        assert [one.status for one in gone] == ["deleted"]
        assert mem.assets.pull(first.id).base64 is None
        mem.restore(first.id)
        assert mem.assets.pull(first.id).data == ODD[::-1]


def test_what_is_erased_leaves_no_file_behind(shared: Running) -> None:
    with Helix(shared.url) as mem:
        made = mem.assets.publish("erased.md", text="Nobody should read this again.")
        folder = shared.vault / "assets" / made.id
        assert list(folder.iterdir()) != []
        mem.forget(made.id, mode="hard")
        wait_for(lambda: not folder.exists())
        with pytest.raises(NotFound):
            mem.assets.pull(made.id)


def test_a_file_that_is_not_as_it_was_is_not_handed_out_and_mended_by_publishing_it(shared: Running) -> None:
    with Helix(shared.url) as mem:
        made = mem.assets.publish("torn.md", text="Whole.")
        [file] = (shared.vault / "assets" / made.id).iterdir()
        file.write_bytes(b"Who")
        with pytest.raises(NotFound, match="publish it"):
            mem.assets.pull(made.id)
        assert mem.assets.publish("torn.md", text="Whole.").status == "noop"
        assert mem.assets.pull(made.id).data == b"Whole."


def test_what_cannot_be_shared_is_refused(shared: Running) -> None:
    with Helix(shared.url) as mem:
        with pytest.raises(BadRequest, match="at most 2,000"):
            mem.assets.publish("large.bin", base64=spelled(b"x" * 2001))
        for name in ("../up.md", "a/b.md", ".bashrc", "C:x", "", "x\ny", "dots."):
            with pytest.raises(BadRequest):
                mem.assets.publish(name, text="x")
        with pytest.raises(BadRequest, match="one of text and base64"):
            mem.assets.publish("none.md")
        with pytest.raises(BadRequest, match="base64 is none"):
            mem.assets.publish("none.md", base64="?")
        key = "ghp_" + "9fQ2mXr7LkV4sT0bNcYwZ1aHeJpDgUo3RiB6"
        with pytest.raises(SecretRefused):
            mem.assets.publish("key.md", text=f"token {key}")
        assert mem.assets.publish("key.md", text=f"token {key}", allow_secrets=True).version == 1
        note = mem.write("No asset at all, just a note.")
        with pytest.raises(NotFound, match="is no asset"):
            mem.assets.pull(note.id)


def asset(running: Running, *arguments: str) -> str:
    return helix("asset", *arguments, env=dict(running.env)).stdout


def test_the_command_writes_files_once_and_leaves_those_of_persons(shared: Running, tmp_path: Path) -> None:
    script, folder = tmp_path / "run.sh", tmp_path / "to"
    script.write_bytes(SCRIPT)
    script.chmod(0o755)
    assert "version 1" in asset(shared, "publish", str(script), "--type", "template")
    assert "written" in asset(shared, "pull", "run.sh", "--to", str(folder))
    file = folder / "run.sh"
    assert file.read_bytes() == SCRIPT
    if sys.platform != "win32":
        assert not os.stat(file).st_mode & 0o111
    moment = file.stat().st_mtime_ns
    assert "current" in asset(shared, "pull", "run.sh", "--to", str(folder))
    assert file.stat().st_mtime_ns == moment
    script.write_bytes(SCRIPT + b"# 2\n")
    asset(shared, "publish", str(script), "--type", "template")
    assert "written" in asset(shared, "pull", "run.sh", "--to", str(folder), "--dry-run")
    assert file.read_bytes() == SCRIPT
    assert "written" in asset(shared, "pull", "run.sh", "--to", str(folder))
    file.write_bytes(b"mine")
    assert "edited" in asset(shared, "pull", "run.sh", "--to", str(folder))
    assert file.read_bytes() == b"mine"
    assert "written" in asset(shared, "pull", "run.sh", "--to", str(folder), "--force")
    with Helix(shared.url) as mem:
        [known] = [one for one in mem.assets.list_all() if one.name == "run.sh"]
        mem.assets.tombstone(known.id)
    assert "removed" in asset(shared, "pull", "run.sh", "--to", str(folder))
    assert not file.exists()


async def _ask(running: Running) -> None:
    async with AsyncHelix(running.url) as mem:
        made = await mem.assets.publish("later.md", text="Later.", asset_type="prompt")
        assert made.id in [one.id async for one in mem.assets.list_all()]
        assert (await mem.assets.pull(made.id)).data == b"Later."
        await mem.assets.tombstone(made.id)


def test_the_asynchronous_client_says_them_of_assets_too(shared: Running) -> None:
    asyncio.run(_ask(shared))
