/** How a route of the daemon is asked: its address, its headers, and whether it may be asked again. */
import { BadRequest, NotFound } from "./errors.js";
import { FILTERS, ROUTES } from "./generated/routes.js";
import type { Schemas } from "./generated/types.js";
import { toWire } from "./spelling.js";
import type { Wire } from "./spelling.js";
import type { Request } from "./transport.js";

export type Route = keyof typeof ROUTES;
export type Answer<R extends Route> = Schemas[(typeof ROUTES)[R]["answer"]];

/** What stands in braces in a route, by its name there. */
export type Named = Readonly<Record<string, string | number>>;

/** A call with our names, answered in our names. */
export type Ask = <R extends Route>(route: R, options: object, named?: Named) => Promise<Answer<R>>;

/** What a route is asked with, in the wire's own names. */
export interface Asked {
  /** for routes with `{id}` */
  id?: string | undefined;
  /** for routes with other names in braces */
  named?: Named | undefined;
  query?: Wire | undefined;
  /** A change gets an `idempotency_key` of its own, unless one is given. */
  body?: Wire | undefined;
  /** The hash that a change is based on. */
  basedOn?: string | undefined;
}

export function toRequest(route: Route, asked: Asked): Request {
  const [method = "", path = ""] = route.split(" ");
  const { again } = ROUTES[route];
  const body: Wire | undefined = method === "GET" ? undefined : { ...asked.body };
  // In the body and not in its header, which could not carry every text.
  if (body && again === "with-key") body["idempotency_key"] ??= newKey();
  return {
    method,
    path: path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, asked)),
    query: asked.query,
    body,
    headers: asked.basedOn === undefined ? {} : { "If-Match": `"${plain(asked.basedOn)}"` },
    repeatable: again !== "never",
    // A daemon that cannot serve still says how it is.
    accepts: route === "GET /healthz" ? isHealth : undefined,
  };
}

/** Filters, as an address has them. */
export function toParameters(filters: object): Wire {
  const said = toWire(filters);
  const other = Object.keys(said).find((name) => !FILTERS.some((filter) => filter === name));
  if (other === undefined) return said;
  throw new BadRequest(`'${other}' is no filter; there are ${FILTERS.join(", ")}`, { code: "bad-value" });
}

function isHealth(body: unknown): boolean {
  return typeof body === "object" && body !== null && "state" in body;
}

function plain(basedOn: string): string {
  if (/^[\x20-\x7e]*$/.test(basedOn)) return basedOn;
  throw new BadRequest("give in basedOn the `hash` of a memory as it was read", { code: "bad-value" });
}

function segment(name: string, asked: Asked): string {
  const said = String(asked.named?.[name] ?? (name === "id" ? asked.id : undefined) ?? "");
  const of = name === "session_id" ? "session" : "memory";
  if (!said) {
    const hint = name === "id" ? "; an id looks like mem_2026-06-18_auth-retry_a1b2" : "";
    throw new BadRequest(`the id of the ${of} is empty${hint}`, { code: "bad-value" });
  }
  if (of === "session" && said.includes("/")) {
    // It would be another path on the way, whatever it is spelled as.
    const rule = "1 to 128 letters, digits, `_`, `-` and `.`, and no dot in front";
    throw new BadRequest(`Invalid session_id '${said.slice(0, 140)}': ${rule}`, { code: "bad-value" });
  }
  // An address loses dots on its way, encoded or not, and cannot hold half of a surrogate pair.
  if (said === "." || said === ".." || /\p{Surrogate}/u.test(said)) {
    throw new NotFound(`there is no ${of} '${said}'`, { code: "not-found", status: 404 });
  }
  return encodeURIComponent(said);
}

/** Node 18 has no global `crypto`, and pages that came over plain HTTP have one without `randomUUID`. */
function newKey(): string {
  const random = () => Math.random().toString(36).slice(2, 12).padEnd(10, "0");
  return `ts-${Date.now().toString(36)}-${globalThis.crypto?.randomUUID?.() ?? random() + random()}`;
}
