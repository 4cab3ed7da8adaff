/** The verbs about assets against a real daemon: HELIX_URL says where. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Helix, NotFound } from "@helix/sdk";
import { unlike } from "./surroundings.js";

test("a file is shared, pulled once, and taken back", async () => {
  const name = `${unlike("buoy").replace(/\W+/g, "-")}x.md`;
  const mem = new Helix({ project: "" });
  const made = await mem.assets.publish(name, { text: "Green to starboard.", type: "prompt" });
  assert.equal(made.status, "created");
  const pulled = await mem.assets.pull(made.id);
  assert.equal(Buffer.from(pulled.base64 ?? "", "base64").toString("utf8"), "Green to starboard.");
  assert.equal((await mem.assets.pull(made.id, { have: pulled.hash })).base64, null);
  const names = [];
  for await (const asset of mem.assets.list()) names.push(asset.name);
  assert.ok(names.includes(name));
  await mem.assets.tombstone(made.id);
  await assert.rejects(mem.assets.pull("mem_none"), NotFound);
});
