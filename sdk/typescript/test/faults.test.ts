/** A bad line between the SDK and a real daemon: what is repeated, what is not, and what a program gets to see. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import * as sdk from "@helix/sdk";
import { Helix, HelixError } from "@helix/sdk";
import { faulty, given, unlike } from "./surroundings.js";

type Kind = new (...words: never[]) => HelixError;

/** The error that a call rejects with. */
async function errorOf<E extends Kind>(call: Promise<unknown>, kind: E): Promise<InstanceType<E>> {
  const error = await call.then(
    (answer) => assert.fail(`answered with ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  assert.ok(error instanceof kind, String(error));
  return error as InstanceType<E>;
}

test("the errors are those that every SDK has", () => {
  const said = JSON.parse(readFileSync(given("HELIX_ERRORS"), "utf8")) as { tree: Record<string, string | null> };
  const classes = sdk as unknown as Record<string, { prototype: object }>;
  for (const [name, base] of Object.entries(said.tree)) {
    const parent = Object.getPrototypeOf(classes[name]!.prototype).constructor.name;
    assert.equal(parent, base ?? "Error", name);
  }
  const ours = Object.keys(sdk).filter((name) => classes[name]?.prototype instanceof Error);
  assert.deepEqual(ours.sort(), Object.keys(said.tree).sort());
});

for (const fault of ["drop", "reset", "cut", "lose", "502", "503:0", "429:0", "429"]) {
  test(`reading goes on after ${fault}, twice`, async () => {
    const line = faulty(`${fault},${fault}`);
    const stats = await new Helix({ url: line.url }).stats();
    assert.equal(typeof stats.memories, "number");
    assert.deepEqual(
      (await line.seen()).map((one) => one.fault),
      [fault, fault, "pass"],
    );
  });

  test(`a write is made once though it meets ${fault}, under one key`, async () => {
    const line = faulty(`${fault},${fault}`);
    const text = unlike(`The ferry that met ${fault} leaves on time`);
    const written = await new Helix({ url: line.url }).write(text, { force: true });
    const keys = (await line.seen()).map((one) => one.key);
    assert.equal(keys.length, 3);
    assert.ok(keys[0] && keys.every((key) => key === keys[0]), JSON.stringify(keys));
    const found = await new Helix().get(written.id);
    assert.equal(found.text.trim(), text);
    // Written twice, the answer under this key would name another memory.
    const again = await new Helix().write(text, { force: true, idempotencyKey: keys[0] });
    assert.deepEqual([again.status, again.id], ["noop", written.id]);
  });
}

test("context and phases read, so they are asked again", async () => {
  for (const ask of [(mem: Helix) => mem.context("look after the ferry"), (mem: Helix) => mem.phases(["plan"])]) {
    const line = faulty("503:0,drop");
    assert.equal(typeof (await ask(new Helix({ url: line.url }))).context, "string");
    assert.equal((await line.seen()).length, 3);
  }
});

test("update, forget, restore and relate are repeated under their key", async () => {
  const plain = new Helix();
  const [one, two] = await Promise.all(
    ["first", "second"].map((name) => plain.write(unlike(`The ${name} barge carries gravel`), { force: true })),
  );
  for (const change of [
    (mem: Helix) => mem.update(one!.id, { title: "Gravel" }),
    (mem: Helix) => mem.relate(one!.id, two!.id, { rel: "depends_on" }),
    (mem: Helix) => mem.forget(one!.id),
    (mem: Helix) => mem.restore(one!.id),
  ]) {
    const line = faulty("drop,503:0");
    await change(new Helix({ url: line.url }));
    assert.equal(new Set((await line.seen()).map((seen) => seen.key)).size, 1);
  }
});

test("a change without a key of its own is asked once", async () => {
  const line = faulty("drop");
  await errorOf(new Helix({ url: line.url }).consolidate(), sdk.DaemonUnreachable);
  assert.equal((await line.seen()).length, 1);
});

test("what is wrong with the request itself is not asked again", async () => {
  const line = faulty("pass");
  const error = await errorOf(new Helix({ url: line.url }).search("ferry", { limit: 0 }), sdk.BadRequest);
  assert.deepEqual([error.status, error.code], [400, "bad-request"]);
  assert.equal((await line.seen()).length, 1);
});

test("an error of the daemon's own is told and not asked again", async () => {
  const line = faulty("500");
  const error = await errorOf(new Helix({ url: line.url }).stats(), sdk.ServerError);
  assert.deepEqual([error.status, error.code], [500, "internal"]);
  assert.equal((await line.seen()).length, 1);
});

test("the number of retries says how often; after that the last error is told", async () => {
  const line = faulty("503:0*");
  const mem = new Helix({ url: line.url, retries: 2 });
  const error = await errorOf(mem.stats(), sdk.Unavailable);
  assert.deepEqual([error.status, error.code, error.retryAfter], [503, "busy", 0]);
  assert.equal((await line.seen()).length, 3);
  await errorOf(mem.stats({ retries: 0 }), sdk.Unavailable);
  assert.equal((await line.seen()).length, 4);
});

for (const asked of ["1", "date"]) {
  test(`Retry-After is waited for (${asked})`, async () => {
    const line = faulty(`429:${asked}`);
    await new Helix({ url: line.url }).stats();
    const [first, second] = (await line.seen()).map((one) => one.at);
    // A date has whole seconds: up to one of them has passed already.
    assert.ok(second! - first! >= (asked === "1" ? 1 : 0.01), `${second! - first!} s`);
  });
}

test("who would have to wait longer than there is time is told at once", async () => {
  const line = faulty("429:60*");
  const error = await errorOf(new Helix({ url: line.url, timeoutMs: 20_000 }).stats(), sdk.RateLimited);
  assert.equal(error.retryAfter, 60);
  assert.equal((await line.seen()).length, 1);
});

for (const fault of ["stall", "trickle", "trickle-head", "delay:30"]) {
  test(`the deadline is for the whole call, also against ${fault}`, async () => {
    const line = faulty(`${fault}*`);
    const error = await errorOf(new Helix({ url: line.url, timeoutMs: 300 }).stats(), sdk.Timeout);
    assert.deepEqual([error.code, error.status], ["timeout", undefined]);
    assert.match(error.message, /within 300 ms/);
  });
}

test("an abort ends a call at once, with the reason that was given", async () => {
  const line = faulty("stall");
  const controller = new AbortController();
  const call = new Helix({ url: line.url }).search("ferry", { signal: controller.signal });
  controller.abort(new Error("changed my mind"));
  await assert.rejects(call, /changed my mind/);
});

test("an abort ends the pause between two attempts, too", async () => {
  const line = faulty("503:20*");
  const controller = new AbortController();
  const call = new Helix({ url: line.url }).stats({ signal: controller.signal });
  while ((await line.seen()).length === 0);
  controller.abort();
  await assert.rejects(call, { name: "AbortError" });
  assert.equal((await line.seen()).length, 1);
});

test("a signal that was aborted before sends nothing", async () => {
  const line = faulty("pass");
  await assert.rejects(new Helix({ url: line.url }).stats({ signal: AbortSignal.abort() }), { name: "AbortError" });
  assert.equal((await line.seen()).length, 0);
});

test("an iterator is aborted in the middle of its walk", async () => {
  const line = faulty("pass,stall");
  await new Helix().write(unlike("The tug is green"), { force: true });
  await new Helix().write(unlike("The buoy is yellow"), { force: true });
  const controller = new AbortController();
  const walk = async () => {
    for await (const memory of new Helix({ url: line.url }).recent({ limit: 1, signal: controller.signal })) {
      assert.ok(memory.id);
      setTimeout(() => controller.abort(), 50);
    }
  };
  await assert.rejects(walk(), { name: "AbortError" });
});

test("something else that answers is named as such", async () => {
  const line = faulty("garbage*");
  const error = await errorOf(new Helix({ url: line.url }).stats(), sdk.BadAnswer);
  assert.deepEqual([error.code, error.status], ["bad-answer", 200]);
  assert.equal((await line.seen()).length, 1);
});

test("the token does not follow a redirect", async () => {
  const asked: string[] = [];
  const server = createHttpServer((request, answer) => {
    asked.push(request.url ?? "");
    answer.writeHead(302, { Location: "/elsewhere" }).end();
  }).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as AddressInfo;
  try {
    const mem = new Helix({ url: `http://127.0.0.1:${port}`, token: "secret" });
    const error = await errorOf(mem.stats(), sdk.BadAnswer);
    assert.equal(error.status, 302);
    assert.deepEqual(asked, ["/stats"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("where nothing listens the error says how to start the daemon", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  const mem = new Helix({ url: `http://127.0.0.1:${port}`, retries: 1 });
  const error = await errorOf(mem.search("ferry"), sdk.DaemonUnreachable);
  assert.equal(error.code, "daemon-unreachable");
  assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${port}.*ECONNREFUSED.*helixd.*HELIX_URL`));
});
