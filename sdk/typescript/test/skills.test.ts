/** The verbs about published skills against a real daemon: HELIX_URL says where. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Helix } from "@helix/sdk";
import { unlike } from "./surroundings.js";

test("a skill is published, pulled, proposed anew, taken out and withdrawn", async () => {
  const name = unlike("mooring").replace(/\W+/g, "-").replace(/-$/, "");
  const mem = new Helix({ project: "" });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "helix-skills-")));
  try {
    for (const action of ["proposed", "validated"] as const) {
      await mem.sessions.skill("s", action, name, { summary: "How to moor", procedure: ["Throw the line"] });
    }
    const published = await mem.skills.publish(name, { description: "How to moor a boat" });
    assert.equal(published.status, "published");
    let text = "";
    for await (const skill of mem.skills.list()) if (skill.name === published.name) text = skill.text;
    assert.match(text, /Throw the line/);
    const pulled = await mem.skills.pull({ folder, harnesses: ["claude-code"], names: [published.name] });
    assert.equal(pulled.skills[0]?.state, "written");
    const file = join(folder, ".claude", "skills", published.name, "SKILL.md");
    assert.equal(readFileSync(file, "utf8"), text);
    const edit = await mem.skills.propose(published.name, `${text}2. Tie it\n`, published.hash);
    assert.equal(edit.status, "proposed");
    await mem.forget(edit.id);
    await mem.skills.unpull({ folder });
    assert.ok(!existsSync(join(folder, ".claude")));
    assert.equal((await mem.skills.withdraw(published.name)).status, "withdrawn");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
