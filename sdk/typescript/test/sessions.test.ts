/** The verbs about sessions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BadRequest, Helix, NotFound } from "@helix/sdk";
import type { AppendedEvent, LoggedEvent } from "@helix/sdk";
import { faulty, unlike } from "./surroundings.js";

const mem = new Helix();
const newName = (): string => unlike("walrus").replace(/[^\w]/g, "");

test("every verb about sessions can be said", async () => {
  const name = newName();
  const made: AppendedEvent = await mem.sessions.append(name, "decision.made", "me", {
    decision: `Feed the walruses of ${name} at ten`,
  });
  assert.ok(made.memory);
  assert.match(JSON.stringify((await mem.get(made.memory.id)).source), new RegExp(`eventloom://${name}/events/1#`));

  const said = [
    {
      type: "transcript.turn",
      actor: "me",
      payload: { role: "user", content: `where do they sleep in ${name}?`, turn_index: 7 },
      externalRef: "w:1",
      timestamp: new Date("2999-06-18T09:12:44Z"),
    },
  ];
  const first = await mem.sessions.ingest(name, said);
  const again = await mem.sessions.ingest(name, said);
  assert.deepEqual([first.imported, again.deduped, again.events], [1, 1, first.events]);

  const names: string[] = [];
  for await (const one of mem.sessions.list({ limit: 1 })) names.push(one.sessionId);
  assert.ok(names.includes(name));
  assert.deepEqual((await mem.sessions.get(name)).types, { "decision.made": 1, "transcript.turn": 1 });

  const page = await mem.sessions.replay(name, { limit: 1 });
  assert.deepEqual([page.integrity?.ok, page.integrity?.totalEvents, page.truncated], [true, 2, true]);
  const events: LoggedEvent[] = [];
  for await (const event of mem.sessions.replay(name, { limit: 1 })) events.push(event);
  assert.deepEqual(events.map((event) => event.seq), [1, 2]);
  assert.equal(events[1]!.payload["turn_index"], 7);
  assert.match(events[1]!.timestamp, /^2999-06-18T09:12:44/);
  assert.equal((await mem.sessions.replay(name, { type: "decision.made" })).events.length, 1);

  const found = await mem.sessions.verbatim("where do they sleep", { sessionId: name });
  assert.match(found.results[0]!.content, /^user: where do they sleep/);
  const cited = await mem.sessions.cite(found.results[0]!.citation);
  assert.deepEqual(cited, await mem.sessions.event(name, 2, { hash: cited.event.hash }));
  assert.equal((await mem.sessions.cite(made.citation)).memoryId, made.memory.id);

  assert.equal((await mem.sessions.erase(name, 2)).hash, cited.event.hash);
  const verified = await mem.sessions.verify(name);
  assert.deepEqual([verified.ok, verified.erased, verified.totalEvents], [true, 1, 3]);
});

test("what memory knows now, and knew at a ref", async () => {
  const name = newName();
  const decision = `Terns of ${name} nest on the dyke`;
  const made = await mem.sessions.append(name, "decision.made", "me", { decision });
  const set = await mem.sessions.setRef(name, `refs/${name}/spring`, { refType: "season" });
  assert.deepEqual([set.status, set.ref.targetSeq, set.ref.refType], ["set", 1, "season"]);
  assert.deepEqual(await mem.sessions.ref(set.ref.name), set.ref);
  const asked = await mem.sessions.query(`where do terns of ${name} nest?`, { sessionIds: [name], explain: true });
  assert.equal(asked.facts[0]!.citation, made.citation);
  const found = await mem.sessions.checkout(name, `where do terns of ${name} nest?`);
  assert.equal(found.quality.answerability, "answer_from_memory");
  const judged = await mem.sessions.feedback(name, made.memory!.id, "memory", "helpful", { query: "terns" });
  assert.equal(judged.memoryId, made.memory!.id);
  const closed = await mem.sessions.invalidate(name, decision, { entityType: "decision" });
  assert.equal(closed.status, "invalidated");
  assert.equal((await mem.sessions.query("terns nest", { sessionIds: [name] })).facts.length, 0);
  const then = await mem.sessions.checkout(name, `where do terns of ${name} nest?`, { ref: set.ref.name });
  assert.deepEqual(then.ref, set.ref);
  assert.equal((await mem.sessions.query("terns nest", { ref: set.ref.name })).facts.length, 1);
  const named: string[] = [];
  for await (const ref of mem.sessions.refs({ sessionId: name, limit: 1 })) named.push(ref.name);
  assert.deepEqual(named, [set.ref.name]);
});

test("an agent's turns, its skills and its beginning", async () => {
  const name = newName();
  const context = await mem.sessions.afterTurn(name, "user", `Where do gulls of ${name} sleep?`);
  assert.equal(context.sessionId, name);
  assert.match((await mem.sessions.assemble(name, `gulls of ${name}`)).prompt, /gulls/);
  const handed = await mem.sessions.handover(name, `${name}-sub`, "They sleep on the pier");
  assert.equal(handed.integrityOk, true);
  const skill = await mem.sessions.skill(name, "proposed", `skill-${name}`, { procedure: ["Look", "Count"] });
  assert.equal(skill.status, "proposed");
  const skills = await mem.sessions.skills({ skillId: `skill-${name}` });
  assert.deepEqual(skills.skills[0]!.procedure, ["Look", "Count"]);
  assert.equal((await mem.sessions.capabilities(name)).sessionId, name);
  assert.equal((await mem.sessions.bootstrap(name, { currentTask: "count gulls" })).mode, "session_start");
  assert.ok((await mem.sessions.reminder(name, "precompact")).reminder);
});

test("a session is archived and brought back", async () => {
  const name = newName();
  await mem.sessions.append(name, "note.taken", "me", { content: "one" });
  assert.equal((await mem.sessions.archive(name)).status, "archived");
  const names: string[] = [];
  for await (const one of mem.sessions.list({ archived: true })) names.push(one.sessionId);
  assert.ok(names.includes(name));
  assert.equal((await mem.sessions.restore(name)).status, "restored");
});

test("a session that there is not, and one without a name", async () => {
  await assert.rejects(mem.sessions.get(newName()), NotFound);
  await assert.rejects(mem.sessions.verify(".."), NotFound);
  await assert.rejects(mem.sessions.get(""), BadRequest);
  await assert.rejects(mem.sessions.append("../x", "note.taken", "me", {}), /Invalid session_id '\.\.\/x'/);
});

test("what appends is not sent again by itself, what reads is", async () => {
  const name = newName();
  await mem.sessions.append(name, "note.taken", "me", { content: "one" });
  const line = faulty("503:0");
  const unlucky = new Helix({ url: line.url });
  await assert.rejects(unlucky.sessions.append(name, "note.taken", "me", { content: "two" }));
  assert.equal((await line.seen()).length, 1);
  const other = faulty("503:0,pass");
  assert.equal((await new Helix({ url: other.url }).sessions.get(name)).events, 1);
  assert.equal((await other.seen()).length, 2);
});
