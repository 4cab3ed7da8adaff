/** The login of this machine against a real daemon of a team: HELIX_URL says where, HELIX_COMMAND is `helix`. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { Helix, Unauthorized } from "@helix/sdk";
import { storedLogin } from "@helix/sdk/login";
import { given } from "./surroundings.js";

const file = `${given("HELIX_CONFIG_DIR")}/logins.json`;
const login = storedLogin(undefined, given("HELIX_COMMAND"));
const mem = new Helix({ token: login, scope: "global", retries: 0 });

async function changed(change: (entry: Record<string, unknown>) => Record<string, unknown>): Promise<void> {
  const logins = JSON.parse(await readFile(file, "utf8")) as Record<string, Record<string, unknown>>;
  const url = given("HELIX_URL");
  await writeFile(file, JSON.stringify({ ...logins, [url]: change(logins[url]!) }));
}

test("a program comes in with the login of its machine, has it renewed, and says when it is over", async () => {
  assert.equal((await mem.write("The ferry leaves at nine", { force: true })).status, "created");
  const first = await login();
  await changed((entry) => ({ ...entry, expires_at: Math.floor(Date.now() / 1000) }));
  const [one, two] = await Promise.all([mem.search("ferry"), mem.search("nine")]);
  assert.ok(one.results.length + two.results.length > 0);
  assert.notEqual(await login(), first);

  await changed(() => ({ ended: true }));
  await assert.rejects(Promise.resolve(mem.search("ferry")), Unauthorized);
  await writeFile(file, "{}");
  await assert.rejects(Promise.resolve(mem.search("ferry")), /helix login/);
});
