/** The tools of Helix for a model, and what runs when the model calls one. */
import { BadRequest } from "./errors.js";
import { TOOLS } from "./generated/tools.js";
import type { Helix } from "./helix.js";
import { toParameters } from "./route.js";
import type { Asked, Route } from "./route.js";
import type { CallOpts } from "./settings.js";
import type { Wire } from "./spelling.js";

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** a JSON Schema */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export type ToolName = (typeof TOOLS)[number]["name"];

export interface ToolChoice {
  /** Only these tools, such as `["memory_search", "memory_context"]` for an agent that must not write. */
  only?: readonly ToolName[] | undefined;
}

/** How the words of a tool are put to a route. */
const CALLS: Record<ToolName, (said: Wire) => [Route, Asked]> = {
  memory_search: ({ query, filters, ...more }) => [
    "GET /recall",
    { query: { q: query, ...more, ...toParameters(Object(filters)) } },
  ],
  memory_context: (said) => ["POST /context", { body: said }],
  memory_write: (said) => ["POST /remember", { body: said }],
  memory_get: ({ id, ...more }) => ["GET /memory/{id}", { id: String(id ?? ""), query: more }],
  memory_forget: (said) => ["POST /forget", { body: said }],
  memory_relate: (said) => ["POST /relate", { body: said }],
};
/** Tools that look around take the caller's scope when the model names none. */
const SCOPED = new Set<string>(["memory_search", "memory_context", "memory_write"]);

export function definitions({ only }: ToolChoice = {}): readonly (ToolDefinition & { name: ToolName })[] {
  const unknown = only?.find((name) => !isToolName(name));
  if (unknown !== undefined) throw new BadRequest(`there is no tool '${unknown}'`, { code: "bad-value" });
  return TOOLS.filter((tool) => !only || only.includes(tool.name));
}

export function isToolName(name: string): name is ToolName {
  return TOOLS.some((tool) => tool.name === name);
}

/** The daemon's own answer, which keeps its token budget as it is. The model may name a project and a session. */
export async function runTool(helix: Helix, name: ToolName, said: unknown, call: CallOpts = {}): Promise<Wire> {
  if (typeof said !== "object" || said === null || Array.isArray(said)) {
    throw new BadRequest(`${name} takes an object of arguments`, { code: "bad-value" });
  }
  const { project, session, ...words } = present(said as Wire);
  const place = {
    ...(project ? { project: String(project) } : {}),
    ...(session ? { session: String(session) } : {}),
  };
  const asker = Object.keys(place).length ? helix.withOptions(place) : helix;
  if (SCOPED.has(name) && words["scope"] === undefined && helix.scope) words["scope"] = helix.scope;
  const [route, asked] = CALLS[name](words);
  return asker.request(route, asked, call);
}

/** Models say null for what they leave out. */
function present(said: Wire): Wire {
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null && value !== undefined));
}
