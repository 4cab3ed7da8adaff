"""The verbs about documents and jobs, from both clients, against a real daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from helix import AsyncHelix, BadRequest, Helix, NotFound
from tests.client.conftest import Running
from tests.waiting import wait_for


def test_every_verb_about_documents_and_jobs_can_be_said(running: Running, tmp_path: Path) -> None:
    (tmp_path / "walrus.md").write_text("# Walruses\n\nWalruses haul out on the ledge.\n")
    with Helix(running.url) as mem:
        begun = mem.documents.ingest(str(tmp_path), scope="global")
        assert (begun.status, begun.ids) == ("job", ())
        assert begun.job_id is not None
        job_id = begun.job_id
        wait_for(lambda: mem.jobs.get(job_id).state == "done")
        job = mem.jobs.get(job_id)
        assert (job.counts["created"], job.done, job.problems) == (1, 1, ())
        assert job_id in [listed.job_id for listed in mem.jobs.list_all()]
        with pytest.raises(BadRequest, match="done already"):
            mem.jobs.cancel(job_id)
        [hit] = mem.search("walruses haul out on the ledge").results
        assert hit.citation == f"{tmp_path}/walrus.md#L3"
        [known] = mem.documents.list_all(under=tmp_path.as_uri())
        assert (known.title, known.notes, known.vanished) == ("Walruses", 1, False)
        assert mem.documents.get(hit.id).items[0].place == "lines 1-3"
        assert mem.documents.forget(hit.id).forgotten == (hit.id,)
        with pytest.raises(NotFound, match="of no document"):
            mem.documents.get(hit.id)
        with pytest.raises(NotFound, match="no job"):
            mem.jobs.get("job_0")


async def _ask(running: Running) -> None:
    async with AsyncHelix(running.url) as mem:
        made = await mem.documents.ingest(name="belugas.txt", text="Belugas sing at dawn.\n")
        assert made.status == "created"
        [known] = [found async for found in mem.documents.list_all(under="document:belugas")]
        assert made.ids == (known.id,)
        assert (await mem.jobs.list()).tokens_used > 0


def test_the_asynchronous_client_says_them_of_documents_too(running: Running) -> None:
    asyncio.run(_ask(running))
