/** The verbs about sources against a real daemon: HELIX_URL says where. */
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Helix, NotFound } from "@helix/sdk";
import { unlike } from "./surroundings.js";

const mem = new Helix({ project: "" });

test("a folder is searched where it is, and forgotten", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "helix-source-")));
  const name = unlike("quay");
  try {
    await writeFile(join(folder, "dugong.md"), `Dugongs graze on ${name}.\n`);
    await writeFile(join(folder, "keeper.py"), "def graze():\n    pass\n\n\ndef keep():\n    graze()\n");
    const made = await mem.sources.connect(folder, { name });
    assert.equal(made.status, "connected");
    let health = await mem.sources.health(name);
    for (let tries = 0; tries < 300 && health.state !== "ready"; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      health = await mem.sources.health(name);
    }
    assert.equal(health.files, 2);
    const [hit] = (await mem.search(`lane:source ${name}`)).results;
    assert.equal(hit?.citation, `${folder}/dugong.md#L1`);
    const [symbol] = (await mem.code.find("graze", { source: name })).symbols;
    assert.deepEqual([symbol?.path, symbol?.line], ["keeper.py", 1]);
    assert.equal((await mem.code.impact("graze", { source: name })).affected[0]?.symbol, "keep");
    assert.equal((await mem.code.neighborhood("keep", { source: name })).neighbors[0]?.direction, "out");
    assert.deepEqual((await mem.code.tour({ source: name })).stops[0]?.symbols, ["graze", "keep"]);
    const known = [];
    for await (const source of mem.sources.list()) known.push(source.id);
    assert.ok(known.includes(made.id));
    assert.equal((await mem.sources.index(name, { anew: true })).id, made.id);
    assert.equal((await mem.sources.purge(made.id)).status, "purged");
    await assert.rejects(mem.sources.health(made.id), NotFound);
  } finally {
    await rm(folder, { recursive: true });
  }
});
