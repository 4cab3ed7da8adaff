/** The verbs about secrets against a real daemon that lets `env` have them: HELIX_URL says where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Forbidden, Helix, NotFound } from "@helix/sdk";
import { unlike } from "./surroundings.js";

const mem = new Helix({ project: "" });

test("a secret is set, rotated, given to a program, named and deleted, and never read", async () => {
  const name = unlike("quay").replace(/[^a-z0-9]+/g, "-").slice(0, -1); // letters and digits, as names of secrets are
  assert.equal((await mem.secrets.set(name, "barnacle-token-0815")).version, 1);
  assert.equal((await mem.secrets.rotate(name, "barnacle-token-0816")).version, 2);
  const names = [];
  for await (const known of mem.secrets.list()) names.push(known.name);
  assert.ok(names.includes(name));

  const begun = await mem.secrets.run(["env"], { QUAY: name }, { timeout: 30 });
  let run = await mem.secrets.getRun(begun.runId);
  for (let tries = 0; tries < 300 && ["queued", "running"].includes(run.state); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    run = await mem.secrets.getRun(begun.runId);
  }
  assert.equal(run.state, "succeeded");
  assert.match(run.stdout, /QUAY=\[REDACTED\]/);
  const runs = [];
  for await (const listed of mem.secrets.runs()) runs.push(listed.runId);
  assert.ok(runs.includes(begun.runId));
  await assert.rejects(mem.secrets.cancelRun(begun.runId), /ended already/);

  await assert.rejects(mem.secrets.run(["cat"], {}), Forbidden);
  assert.equal((await mem.secrets.delete(name)).status, "deleted");
  await assert.rejects(mem.secrets.delete(name), NotFound);
});
