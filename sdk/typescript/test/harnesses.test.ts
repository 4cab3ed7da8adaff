/** The verbs about harnesses against a real daemon: HELIX_URL says where. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Helix } from "@helix/sdk";
import { unlike } from "./surroundings.js";

test("rules are listed, written into a file and taken out again", async () => {
  const project = unlike("pier");
  const mem = new Helix({ project });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "helix-harness-")));
  try {
    writeFileSync(join(folder, "AGENTS.md"), "# Mine\n");
    await mem.write("Moor at the north pier.", { kind: "rule", title: "Mooring", project });
    const titles = [];
    for await (const rule of mem.harnesses.rules()) titles.push(rule.title);
    assert.ok(titles.includes("Mooring"));
    const done = await mem.harnesses.sync(folder, { harnesses: ["codex"] });
    assert.deepEqual([done.files[0]?.file, done.files[0]?.changed], ["AGENTS.md", true]);
    const states = [];
    for await (const file of mem.harnesses.list(folder)) states.push(file.state);
    assert.ok(states.includes("current"));
    await mem.harnesses.remove(folder);
    assert.equal(readFileSync(join(folder, "AGENTS.md"), "utf8"), "# Mine\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
