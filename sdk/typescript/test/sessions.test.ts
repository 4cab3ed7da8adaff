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

test("what memory knows is checked out, judged, handed on and taught", async () => {
  const name = newName();
  const statement = `Feed the walruses of ${name} at ten`;
  const made = await mem.sessions.append(name, "decision.made", "me", { decision: statement });
  const known = await mem.sessions.checkout(name, statement);
  assert.equal(known.quality.answerability, "answer_from_memory");
  assert.ok(known.currentFacts.some((fact) => String(fact["content"]).includes(statement)));
  const turned = await mem.sessions.afterTurn(name, "user", `When do the walruses of ${name} eat?`);
  assert.equal(turned.sessionId, name);
  assert.ok((await mem.sessions.assemble(name, statement, { limit: 3 })).contexts.length);

  const given = await mem.sessions.feedback(name, statement, "decision", "used", { citation: made.citation });
  assert.equal(given.eventType, "memory.reinforced");
  const proposed = await mem.sessions.skill(name, "proposed", `feed-${name}`, {
    name: "Feed a walrus",
    procedure: ["Fetch the fish", "Throw it"],
  });
  assert.equal(proposed.eventType, "skill.proposed");
  const skills = await mem.sessions.skills({ skillId: `feed-${name}` });
  assert.deepEqual(skills.skills.map((one) => one.skillId), [`feed-${name}`]);

  assert.equal((await mem.sessions.capabilities(name)).sessionId, name);
  assert.equal((await mem.sessions.bootstrap(name, { currentTask: "feeding" })).mode, "session_start");
  assert.ok(await mem.sessions.reminder(name, "session-start"));
  const handed = await mem.sessions.handover(name, `${name}-helper`, "All walruses are fed");
  assert.ok(handed.integrityOk);
});

test("a session that there is not, and one without a name", async () => {
  await assert.rejects(mem.sessions.get(newName()), NotFound);
  await assert.rejects(mem.sessions.verify(".."), NotFound);
  await assert.rejects(mem.sessions.get(""), BadRequest);
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
