/** How a route of the daemon is asked: its address, its headers, and whether it may be asked again. */
import { BadRequest, NotFound } from "./errors.js";
import { ROUTES } from "./generated/routes.js";
import type { Wire } from "./spelling.js";
import type { Request } from "./transport.js";

export type Route = keyof typeof ROUTES;

/** What a route is asked with, in the wire's own names. */
export interface Asked {
  /** for routes with `{id}` */
  id?: string | undefined;
  query?: Wire | undefined;
  body?: Wire | undefined;
  /** Made anew for each call to a route that takes one, unless it is given. */
  idempotencyKey?: string | undefined;
  /** The hash that a change is based on. */
  basedOn?: string | undefined;
}

export function toRequest(route: Route, asked: Asked): Request {
  const [method = "", path = ""] = route.split(" ");
  const { again } = ROUTES[route];
  const body = method === "GET" ? undefined : { ...asked.body };
  const headers: Record<string, string> = {};
  if (again === "with-key") headers["Idempotency-Key"] = plain("idempotencyKey", asked.idempotencyKey ?? newKey());
  // A route that reads has no such header; there the key asks for the same answer as before.
  else if (body && asked.idempotencyKey !== undefined) body["idempotency_key"] = asked.idempotencyKey;
  if (asked.basedOn !== undefined) headers["If-Match"] = `"${plain("basedOn", asked.basedOn)}"`;
  return {
    method,
    path: path.replace("{id}", () => segment(asked.id ?? "")),
    query: asked.query,
    body,
    headers,
    repeatable: again !== "never",
    // A daemon that cannot serve still says how it is.
    accepts: route === "GET /healthz" ? isHealth : undefined,
  };
}

function isHealth(body: unknown): boolean {
  return typeof body === "object" && body !== null && "state" in body;
}

function plain(name: string, value: string): string {
  if (/^[\x20-\x7e]+$/.test(value)) return value;
  throw new BadRequest(`${name} goes into a header: give printable ASCII`, { code: "bad-value" });
}

function segment(id: string): string {
  if (!id)
    throw new BadRequest("the id is empty; an id looks like mem_2026-06-18_auth-retry_a1b2", { code: "bad-value" });
  // An address loses these on its way, encoded or not, and would name something else.
  if (id === "." || id === "..")
    throw new NotFound(`there is no memory '${id}'`, { code: "not-found", status: 404 });
  return encodeURIComponent(id);
}

/** Node 18 has no global `crypto`, and pages that came over plain HTTP have one without `randomUUID`. */
function newKey(): string {
  const random = () => Math.random().toString(36).slice(2, 12).padEnd(10, "0");
  return `ts-${Date.now().toString(36)}-${globalThis.crypto?.randomUUID?.() ?? random() + random()}`;
}
