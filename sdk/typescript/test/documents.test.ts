/** The verbs about documents and jobs against a real daemon: HELIX_URL says where. */
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Helix, HelixError, NotFound } from "@helix/sdk";
import { unlike } from "./surroundings.js";

const mem = new Helix({ project: "" });

test("a folder becomes a job, and its documents are found, cited and forgotten", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "helix-papers-")));
  try {
    await writeFile(join(folder, "dugong.md"), "# Dugongs\n\nDugongs graze on seagrass.\n");
    const { jobId } = await mem.documents.ingest({ path: folder, scope: "global" });
    assert.ok(jobId);
    let job = await mem.jobs.get(jobId);
    for (let tries = 0; tries < 300 && ["queued", "running"].includes(job.state); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      job = await mem.jobs.get(jobId);
    }
    assert.equal(job.state, "done");
    assert.equal(job.counts.created, 1);
    await assert.rejects(mem.jobs.cancel(jobId), (error: HelixError) => error.code === "bad-value");
    const jobs = [];
    for await (const listed of mem.jobs.list()) jobs.push(listed.jobId);
    assert.ok(jobs.includes(jobId));

    const [hit] = (await mem.search("dugongs graze on seagrass")).results;
    assert.ok(hit);
    assert.equal(hit.citation, `${folder}/dugong.md#L3`);
    assert.equal((await mem.documents.get(hit.id)).items[0]?.place, "lines 1-3");
    const known = [];
    for await (const document of mem.documents.list({ under: `file://${folder}` })) known.push(document.title);
    assert.deepEqual(known, ["Dugongs"]);
    assert.deepEqual((await mem.documents.forget(hit.id)).forgotten, [hit.id]);
    await assert.rejects(mem.documents.get(hit.id), NotFound);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("content that is sent is a document by its name", async () => {
  const content = { name: `${unlike("otters")}.txt`, text: `Otters juggle ${unlike("stones")}.\n` };
  const made = await mem.documents.ingest(content);
  const again = await mem.documents.ingest(content);
  assert.equal(made.status, "created");
  assert.deepEqual([again.status, again.ids], ["unchanged", made.ids]);
});
