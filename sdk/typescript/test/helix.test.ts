/** The surface: the signatures that were promised, names and headers, settings, cursors. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { BadSettings, BadRequest, Helix, NotFound, StaleHash, Unauthorized, VERSION } from "@helix/sdk";
import type {
  ContextOpts,
  ContextPack,
  EdgeRel,
  ForgetResult,
  Memory,
  RelateResult,
  SearchOpts,
  SearchResult,
  WriteOpts,
  WriteResult,
} from "@helix/sdk";
import { faulty, given, unlike } from "./surroundings.js";

/** The class as it was promised; this does not compile when it is not kept. */
interface Promised {
  search(query: string, opts?: SearchOpts): Promise<SearchResult>;
  context(task: string, opts?: ContextOpts): Promise<ContextPack>;
  write(text: string, opts?: WriteOpts): Promise<WriteResult>;
  get(id: string, opts?: { responseFormat?: "concise" | "detailed" }): Promise<Memory>;
  forget(id: string, opts?: { mode?: "tombstone" | "hard" }): Promise<ForgetResult>;
  relate(from: string, to: string, opts: { rel: EdgeRel }): Promise<RelateResult>;
}
type PromisedClass = new (opts?: { url?: string; scope?: "project" | "global" | "session" }) => Promised;
const Kept: PromisedClass = Helix;

const mem = new Helix();

test("the lines of the reference run as they stand", async () => {
  const mem = new Kept();
  const key = unlike("write");
  await mem.write("Auth client retries 3x with jitter", { kind: "decision", idempotencyKey: key });
  const hits = await mem.search("retry policy of the auth client", {
    limit: 5,
    responseFormat: "concise",
    maxTokens: 1200,
  });
  assert.match(hits.results[0]!.text, /3x with jitter/);
  assert.ok(hits.tokensUsed <= 1200);
  const pack = await mem.context("debug the auth retry storm", { maxTokens: 4000 });
  assert.match(pack.context, /3x with jitter/);
  assert.ok(pack.citations.includes(hits.results[0]!.id));
});

test("the version is the package's", () => {
  const said = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  assert.equal(VERSION, said.version);
});

test("keys that are somebody's data stay as they are, names are camelCase", async () => {
  const project = unlike("snake_case project");
  const kind = `work_rule_${unlike("").replace(/\W/g, "")}`;
  const target = await mem.write(unlike("The crane lifts thirty tons"), { force: true });
  const written = await mem.write(unlike("Cranes are greased on the first of a month"), {
    project,
    kind,
    force: true,
    edges: { depends_on: [target.id] },
    source: { agent: "a_b", uri: "x:/c_d" },
    validUntil: "2031-01-01",
  });
  const memory = await mem.get(written.id);
  assert.deepEqual(memory.edges, [{ rel: "depends_on", to: target.id }]);
  assert.match(memory.validUntil!, /^2031/);
  assert.equal(memory.nextCursor, null);
  const stats = await mem.stats({ maxTokens: 20_000 });
  assert.equal(stats.byKind[kind], 1);
  assert.equal(stats.byProject[project], 1);
  const hits = await mem.search("greased cranes", { filters: { project }, responseFormat: "detailed" });
  assert.equal(hits.results.length, 1);
  assert.ok(Object.keys(hits.results[0]!.reasons ?? {}).length > 0);
});

test("project, session and client go along, in any script", async () => {
  const line = faulty("pass");
  const mem = new Helix({ url: line.url, project: "Größe & Maß 港", session: "s/1", client: "prüfer" });
  await mem.stats();
  const [seen] = await line.seen();
  const said = seen!.headers;
  assert.equal(decodeURIComponent(said["helix-project"]!), "Größe & Maß 港");
  assert.equal(decodeURIComponent(said["helix-session"]!), "s/1");
  assert.equal(decodeURIComponent(said["helix-client"]!), "prüfer");
  const written = await mem
    .withOptions({ url: given("HELIX_URL") })
    .write(unlike("Ma\u00dfe stehen am Kran"), { force: true });
  assert.equal((await mem.get(written.id)).project, "Größe & Maß 港");
});

test("the scope of the client is that of its calls, unless they name one", async () => {
  const word = unlike("hawser").replace(/\W/g, "");
  const session = new Helix({ scope: "session", project: "ropes", session: "today" });
  const { id } = await session.write(`The ${word} is worn`, { force: true });
  const finds = (hits: SearchResult) => hits.results.some((hit) => hit.id === id);
  assert.equal(finds(await session.search(word)), true);
  assert.equal(finds(await session.search(word, { scope: "project" })), false);
  assert.equal(finds(await session.withOptions({ scope: "global" }).search(word)), false);
});

test("times are texts or dates", async () => {
  const { id } = await mem.write(unlike("The quay is closed"), {
    force: true,
    validUntil: new Date("2031-02-03T04:05:06Z"),
  });
  assert.match((await mem.get(id)).validUntil!, /^2031-02-03T04:05:06/);
  const tomorrow = new Date(Date.now() + 86_400_000);
  assert.equal((await mem.recent({ after: tomorrow })).results.length, 0);
  assert.equal((await mem.recent({ filters: { before: tomorrow } })).results.length > 0, true);
});

test("a filter that there is not, or that is given twice, is a mistake", async () => {
  const other = { filters: { limit: "3" } } as object;
  await assert.rejects(mem.search("quay", other), /'limit' is no filter/);
  await assert.rejects(mem.recent({ kind: "fact", filters: { kind: "task" } }), BadRequest);
});

test("what is undefined counts as not said", async () => {
  const said = new Helix({ project: "ropes", timeoutMs: 20_000 }).withOptions({ project: undefined, session: "s" });
  const { id } = await said.write(unlike("The rope is long"), { force: true, title: undefined, tags: undefined });
  assert.equal((await said.get(id, { maxTokens: undefined })).project, "ropes");
  const none = said.withOptions({ project: "" });
  assert.equal((await mem.get((await none.write(unlike("The net is wide"), { force: true })).id)).project, null);
});

test("every page is walked to, item by item or page by page", async () => {
  const project = unlike("pages");
  const ids = [];
  for (const number of [1, 2, 3, 4, 5]) {
    ids.push((await mem.write(unlike(`Mooring ${number} is in use`), { project, force: true })).id);
  }
  const seen: string[] = [];
  for await (const memory of mem.recent({ project, limit: 2 })) seen.push(memory.id);
  assert.deepEqual(seen.sort(), ids.sort());
  const sizes: number[] = [];
  for await (const page of mem.recent({ project, limit: 2 }).pages()) sizes.push(page.results.length);
  assert.deepEqual(sizes, [2, 2, 1]);
  const first = await mem.recent({ project, limit: 2 });
  const second = await mem.recent({ project, limit: 2, cursor: first.nextCursor });
  assert.equal(new Set([...first.results, ...second.results].map((memory) => memory.id)).size, 4);
  const graph = await mem.graph({ project, limit: 2 });
  assert.deepEqual(graph.nodes.map((node) => node.id).sort(), ids.sort());
});

test("a walk that ends early asks for no further page", async () => {
  const line = faulty("pass");
  for await (const memory of new Helix({ url: line.url }).recent({ limit: 1 })) {
    assert.ok(memory.id);
    break;
  }
  assert.equal((await line.seen()).length, 1);
});

test("a long text comes in pieces that make it up again", async () => {
  const text = Array.from({ length: 200 }, (_, at) => `Line ${at} of the log of the harbour master.`).join("\n");
  const { id } = await mem.write(text, { title: unlike("Log"), force: true });
  const pieces: string[] = [];
  for await (const piece of mem.get(id, { maxTokens: 400 })) pieces.push(piece);
  assert.ok(pieces.length > 3);
  assert.ok(pieces.join("\n").trim() === text, "the pieces end where lines end");
});

test("a change based on an unknown state is refused, and one on the present state is made", async () => {
  const { id } = await mem.write(unlike("The sluice opens at low tide"), { force: true });
  await assert.rejects(mem.update(id, { title: "Sluice", basedOn: "0".repeat(64) }), StaleHash);
  const { hash } = await mem.get(id);
  assert.equal((await mem.update(id, { title: "Sluice", basedOn: hash! })).status, "updated");
  assert.equal((await mem.get(id)).title, "Sluice");
});

test("no id leads anywhere else than to a memory", async () => {
  for (const id of [".", "..", "../healthz", "a/b", "%2e%2e", "?q=1", "#x", "mem_nobody"]) {
    await assert.rejects(mem.get(id), NotFound, id);
  }
  await assert.rejects(mem.get(""), BadRequest);
});

test("health tells how the daemon is", async () => {
  const health = await mem.health();
  assert.ok(["ready", "degraded"].includes(health.state));
  assert.equal(typeof health.uptimeSeconds, "number");
  assert.equal(typeof health.consolidation.runs, "number");
});

test("routes without a verb are asked in the names of the wire", async () => {
  const answer = await mem.request("GET /stats", { query: { max_tokens: 3000 } });
  assert.equal(typeof answer["tokens_used"], "number");
});

test("settings that cannot be right are named before anything is sent", () => {
  for (const url of ["", "harbour", "ftp://127.0.0.1", "127.0.0.1:7878"]) {
    assert.throws(() => new Helix({ url }), BadSettings, url);
  }
  assert.throws(() => new Helix({ token: "två ord" }), BadSettings);
  assert.throws(() => new Helix({ timeoutMs: 0 }), BadSettings);
  assert.throws(() => new Helix({ retries: -1 }), BadSettings);
  assert.throws(() => new Helix({ project: "\ud800" }), BadSettings);
});

test("a key may be any text, and a text any characters but half ones", async () => {
  const [text, idempotencyKey] = [unlike("Der Steg ist länger als 港"), unlike("schlüssel 港")];
  const { id } = await mem.write(text, { idempotencyKey });
  assert.deepEqual(await mem.write(text, { idempotencyKey }).then((again) => [again.status, again.id]), ["noop", id]);
  await assert.rejects(mem.write("The pier is \ud800 long"), BadRequest);
  await assert.rejects(mem.get("mem_\ud800"), NotFound);
});

test("HELIX_URL and HELIX_TOKEN are taken from the environment when the client is made", async () => {
  const line = faulty("pass");
  const before = { ...process.env };
  try {
    process.env["HELIX_URL"] = `${line.url}/`;
    process.env["HELIX_TOKEN"] = "t0ken";
    await new Helix().stats();
  } finally {
    process.env = before;
  }
  assert.equal((await line.seen())[0]!.headers["authorization"], "Bearer t0ken");
});

test("a daemon that asks for its token is answered with it", async () => {
  const strict = given("HELIX_STRICT_URL");
  await assert.rejects(new Helix({ url: strict }).stats(), Unauthorized);
  const stats = await new Helix({ url: strict, token: given("HELIX_STRICT_TOKEN") }).stats();
  assert.equal(typeof stats.memories, "number");
});

test("every verb about projects can be said", async () => {
  const name = unlike("rookery");
  const made = await mem.createProject(name, { members: ["ines"] });
  assert.deepEqual([made.status, made.owner, made.members], ["created", null, ["ines"]]);
  assert.deepEqual((await mem.shareProject(name, "ben")).members, ["ben", "ines"]);
  assert.deepEqual((await mem.unshareProject(name, "ben")).members, ["ines"]);
  assert.equal((await mem.transferProject(name, "ines")).owner, "ines");
  assert.equal((await mem.activateProject(name, { session: "s-1" })).project, name);
  const names: string[] = [];
  for await (const one of mem.projects({ limit: 5 })) names.push(one.project);
  assert.ok(names.includes(name));
  assert.equal((await mem.deactivateProject({ session: "s-1" })).status, "deactivated");
  await assert.rejects(mem.leaveProject(name), BadRequest);
  assert.equal((await mem.deleteProject(name)).forgotten, 0);
});
