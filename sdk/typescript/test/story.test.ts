/** The story that every SDK tells, through this one. The rules are in tests/story/README.md. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Helix, HelixError } from "@helix/sdk";
import type { HelixOpts } from "@helix/sdk";
import { given } from "./surroundings.js";

interface Step {
  verb?: Verb;
  arguments?: Record<string, unknown>;
  walk?: boolean;
  expect?: Record<string, unknown>;
  error?: { name: string; code?: string; status: number };
  save?: Record<string, string>;
  harness?: "commit";
  message?: string;
}

const story = JSON.parse(readFileSync(given("HELIX_STORY"), "utf8")) as { caller: HelixOpts; steps: Step[] };
const mem = new Helix(story.caller);

/** Each verb with its named arguments in the places where TypeScript has them. */
const VERBS = {
  health: () => mem.health(),
  write: ({ text, ...more }: any) => mem.write(text, more),
  search: ({ query, ...more }: any) => mem.search(query, more),
  context: ({ task, ...more }: any) => mem.context(task, more),
  phases: ({ phases, ...more }: any) => mem.phases(phases, more),
  get: ({ id, ...more }: any) => mem.get(id, more),
  update: ({ id, ...more }: any) => mem.update(id, more),
  history: ({ id, ...more }: any) => mem.history(id, more),
  file: ({ ids, ...more }: any) => mem.file(ids, more),
  restore: ({ id, ...more }: any) => mem.restore(id, more),
  relate: ({ from, to, ...more }: any) => mem.relate(from, to, more),
  neighbors: ({ id, ...more }: any) => mem.neighbors(id, more),
  recent: (said: any) => mem.recent(said),
  today: (said: any) => mem.today(said),
  graph: (said: any) => mem.graphPage(said),
  forget: ({ id, ...more }: any) => mem.forget(id, more),
  conflicts: (said: any) => mem.conflicts(said),
  proposals: (said: any) => mem.proposals(said),
  consolidate: (said: any) => mem.consolidate(said),
  stats: (said: any) => mem.stats(said),
  manifest: (said: any) => mem.manifest(said),
};
type Verb = keyof typeof VERBS;

const RULES: Record<string, (found: any, value: any) => boolean> = {
  present: (found, value) => !["null", '""', "[]", "{}"].includes(JSON.stringify(found)) === value,
  contains: (found, value) => found.includes(value),
  has: (found, value) => value.every((one: unknown) => found.includes(one)),
  without: (found, value) => !value.some((one: unknown) => found.includes(one)),
  same: (found, value) => JSON.stringify([...found].sort()) === JSON.stringify([...value].sort()),
  count: (found, value) => found.length === value,
  one_of: (found, value) => value.includes(found),
  at_most: (found, value) => found <= value,
  equal: (found, value) => (assert.deepEqual(found, value), true),
};

const saved: Record<string, unknown> = {};

function filled(value: any): any {
  if (typeof value === "string" && value.startsWith("$")) return saved[value.slice(1)];
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one)]));
}

const toCamel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Paths name fields as the daemon does. */
function look(answer: any, path: string): any {
  if (!path) return answer;
  const [name = "", ...rest] = path.split(".");
  if (name === "*") return answer.map((one: any) => look(one, rest.join(".")));
  return look(answer?.[toCamel(name)], rest.join(".")) ?? null;
}

async function told(step: Step): Promise<any> {
  const words = filled(step.arguments ?? {}) as Record<string, unknown>;
  const spelled = Object.fromEntries(Object.entries(words).map(([key, value]) => [toCamel(key), value]));
  if (step.walk && step.verb === "graph") return mem.graph(spelled);
  const asked = VERBS[step.verb!](spelled);
  if (!step.walk) return asked;
  const items: unknown[] = [];
  for await (const item of asked as unknown as AsyncIterable<unknown>) items.push(item);
  return { items };
}

for (const [number, step] of story.steps.entries()) {
  const title = step.harness ?? `${step.verb} ${JSON.stringify(step.arguments ?? {}).slice(0, 70)}`;
  test(`${number}: ${title}`, async () => {
    if (step.harness === "commit") {
      const git = (...words: string[]) => execFileSync("git", ["-C", given("HELIX_STORY_VAULT"), ...words]);
      git("add", "-A");
      git("-c", "user.name=story", "-c", "user.email=story@example.invalid", "commit", "-qm", step.message!);
      return;
    }
    if (step.error) {
      const { name, code, status } = step.error;
      await assert.rejects(told(step), (error) => {
        assert.ok(error instanceof HelixError, String(error));
        assert.deepEqual([error.name, error.status], [name, status], error.message);
        if (code) assert.equal(error.code, code);
        return true;
      });
      return;
    }
    const answer = await told(step);
    for (const [path, wanted] of Object.entries(step.expect ?? {})) {
      const found = look(answer, path);
      const value = filled(wanted);
      if (typeof value !== "object" || value === null || Array.isArray(value)) assert.deepEqual(found, value, path);
      else {
        for (const [rule, one] of Object.entries(value)) {
          assert.ok(
            RULES[rule]!(found, one),
            `${path}: ${JSON.stringify(found)} is not ${rule} ${JSON.stringify(one)}`,
          );
        }
      }
    }
    for (const [name, path] of Object.entries(step.save ?? {})) saved[name] = look(answer, path);
  });
}
