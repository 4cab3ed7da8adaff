/** What the suite that runs these files tells them: where the daemon is, its vault, and the server of faults. */
import assert from "node:assert/strict";

export function given(name: string): string {
  const value = process.env[name];
  assert.ok(value, `${name} is not set; run these tests with \`make test\``);
  return value;
}

/** A text that no other test writes. */
export function unlike(text: string): string {
  return `${text} (${Math.random().toString(36).slice(2)})`;
}

export interface Seen {
  method: string;
  path: string;
  key: string | null;
  headers: Record<string, string>;
  fault: string;
  at: number;
}

let lines = 0;

/** An address at which each request meets the next of these faults, and what was seen there. */
export function faulty(script: string): { url: string; seen: () => Promise<Seen[]> } {
  const name = `ts-${process.pid}-${++lines}`;
  const server = given("HELIX_FAULTS");
  return {
    url: `${server}/faults/${script}/${name}`,
    seen: async () => {
      const seen = (await (await fetch(`${server}/seen/${name}`)).json()) as Seen[];
      return seen.map((one) => ({ ...one, headers: lowered(one.headers) }));
    },
  };
}

/** Which case the names of headers have is no matter, and differs between Node and Bun. */
function lowered(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
