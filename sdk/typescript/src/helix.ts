/** The verbs of the memory, over the daemon's REST routes. */
import { BadRequest, NotFound } from "./errors.js";
import { ROUTES } from "./generated/routes.js";
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged, Pages } from "./pages.js";
import { settingsFrom } from "./settings.js";
import type { CallOpts, HelixOpts } from "./settings.js";
import { fromWire, toWire } from "./spelling.js";
import type { Wire } from "./spelling.js";
import { Transport } from "./transport.js";

export type Route = keyof typeof ROUTES;
type Answer<R extends Route> = wire.Schemas[(typeof ROUTES)[R]["answer"]];
type PagedRoute = { [R in Route]: Answer<R> extends { tokensUsed: number; truncated: boolean } ? R : never }[Route];

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

/** The largest budget there is: a text that is read, changed and written back must not be one that was cut. */
const WHOLE = 200_000;

export class Helix {
  readonly #opts: HelixOpts;
  readonly #transport: Transport;

  constructor(options: HelixOpts = {}) {
    this.#opts = options;
    this.#transport = new Transport(settingsFrom(options));
  }

  /** The scope of calls that name none. */
  get scope(): HelixOpts["scope"] {
    return this.#opts.scope;
  }

  /** The same client with some options changed: another project, another session, more time. */
  withOptions(options: HelixOpts): Helix {
    return new Helix({ ...this.#opts, ...options });
  }

  /** Memories that fit a question, best first. Nothing is returned to fill a limit. */
  search(query: string, options: opts.SearchOpts = {}): Paged<wire.Hits, wire.Hit> {
    return this.#walk("GET /recall", this.#scoped({ q: query, ...options }), (page) => page.results);
  }

  /** One text for an agent to read before a task: grouped, cited, fenced as data, within its budget. */
  context(task: string, options: opts.ContextOpts = {}): Promise<wire.Pack> {
    return this.#ask("POST /context", this.#scoped({ task, ...options }));
  }

  /** A bundle for phases of work, such as `plan`, `work`, `review`, `debug`, `release`. */
  phases(phases: readonly string[], options: opts.PhasesOpts = {}): Promise<wire.Pack> {
    return this.#ask("POST /phases", this.#scoped({ phases, ...options }));
  }

  /** One memory, whole. With a smaller `maxTokens` a long text goes on in the next page; iterating gives its pieces. */
  get(id: string, options: opts.GetOpts = {}): Paged<wire.MemoryPage, string> {
    return this.#walk("GET /memory/{id}", { maxTokens: WHOLE, ...options }, (page) => [page.text], id);
  }

  /** Memories by their last change, the latest first. */
  recent(options: opts.RecentOpts = {}): Paged<wire.Memories, wire.Memory> {
    return this.#walk("GET /recent", this.#scoped(options), (page) => page.results);
  }

  /** What changed in the last 24 hours. */
  today(options: opts.TodayOpts = {}): Paged<wire.Memories, wire.Memory> {
    return this.#walk("GET /today", this.#scoped(options), (page) => page.results);
  }

  /** The versions of a memory in git, newest first, across renames. */
  history(id: string, options: opts.HistoryOpts = {}): Paged<wire.Versions, wire.Version> {
    return this.#walk("GET /memory/{id}/history", options, (page) => page.versions, id);
  }

  /** The memories and the edges between them, all of them; `limit` is the size of a page on the way. */
  async graph(options: opts.GraphOpts = {}): Promise<wire.Graph> {
    let whole: wire.Graph | undefined;
    for await (const page of this.graphPage(options).pages()) {
      whole = whole ? { ...page, nodes: [...whole.nodes, ...page.nodes], edges: [...whole.edges, ...page.edges] } : page;
    }
    return whole!;
  }

  /** The same, a page at a time. */
  graphPage(options: opts.GraphOpts = {}): Pages<wire.Graph> {
    return this.#walk("GET /graph", this.#scoped(options), () => []);
  }

  /** The memories around one, nearest first, each with the edge that led to it. */
  neighbors(id: string, options: opts.NeighborsOpts = {}): Paged<wire.Neighbors, wire.Neighbor> {
    return this.#walk("GET /memory/{id}/neighbors", options, (page) => page.neighbors, id);
  }

  /** How many memories there are, by status, scope, kind and project. */
  stats(options: opts.StatsOpts = {}): Pages<wire.Stats> {
    return this.#walk("GET /stats", options, () => []);
  }

  /** What needs a person: files that cannot be read, and ids that stand in several files. */
  conflicts(options: opts.ConflictsOpts = {}): Paged<wire.Conflicts, wire.Conflict> {
    return this.#walk("GET /conflicts", options, (page) => page.conflicts);
  }

  /** What an export of the vault would hold, entry by entry. */
  manifest(options: opts.ManifestOpts = {}): Paged<wire.StrandManifest, wire.StrandEntry> {
    return this.#walk("GET /strand/manifest", options, (page) => page.entries);
  }

  /** Keep a memory, unless it is there already or replaces one. Resolved when its file is durable on disk. */
  write(text: string, options: opts.WriteOpts = {}): Promise<wire.Written> {
    return this.#ask("POST /remember", this.#scoped({ text, ...options }));
  }

  /** Change a memory in place; what is left out stays. With `basedOn` nothing is overwritten unread. */
  update(id: string, options: opts.UpdateOpts): Promise<wire.Updated> {
    return this.#ask("PATCH /memory/{id}", options, id);
  }

  /** Take a memory out of all answers. The file stays, marked as deleted; `hard` also erases its text. */
  forget(id: string, options: opts.ForgetOpts = {}): Promise<wire.Forgotten> {
    return this.#ask("POST /forget", { id, ...options });
  }

  /** Undo a forget; with `at` also turn the text back to a git revision. */
  restore(id: string, options: opts.RestoreOpts = {}): Promise<wire.Restored> {
    return this.#ask("POST /restore", { id, ...options });
  }

  /** Draw a typed edge from one memory to another. `supersedes` takes the other one out of the answers. */
  relate(from: string, to: string, options: opts.RelateOpts): Promise<wire.Related> {
    return this.#ask("POST /relate", { from, to, ...options });
  }

  /** What could be tidied: doubles, contradictions, what is over. Nothing is changed. */
  proposals(options: opts.ProposalsOpts = {}): Paged<wire.Proposals, wire.Proposal> {
    return this.#walk("GET /consolidate", options, (page) => page.proposals);
  }

  /** Apply the proposals that are named, or else those that are certain: exact doubles. Never repeated by itself. */
  consolidate(options: opts.ConsolidateOpts = {}): Promise<wire.Consolidated> {
    return this.#ask("POST /consolidate", options);
  }

  /** How the daemon is, also when it cannot serve at all. */
  health(options: CallOpts = {}): Promise<wire.Health> {
    return this.#ask("GET /healthz", options);
  }

  /**
   * The answer of a route as it came, in the names of the wire: for tools that hand it on to a model, and for routes that
   * have no verb here.
   */
  async request(route: Route, asked: Asked = {}, call: CallOpts = {}): Promise<Wire> {
    const [method = "", path = ""] = route.split(" ");
    const { again } = ROUTES[route];
    const headers: Record<string, string> = {};
    if (again === "with-key") headers["Idempotency-Key"] = plain("idempotencyKey", asked.idempotencyKey ?? newKey());
    if (asked.basedOn !== undefined) headers["If-Match"] = `"${plain("basedOn", asked.basedOn)}"`;
    const sent = {
      method,
      path: path.replace("{id}", () => part(asked.id ?? "")),
      query: asked.query,
      body: method === "GET" ? undefined : (asked.body ?? {}),
      headers,
      repeatable: again !== "never",
      // A daemon that cannot serve still says how it is.
      accepts: route === "GET /healthz" ? isHealth : undefined,
    };
    return (await this.#transport.send(sent, call)) as Wire;
  }

  async #ask<R extends Route>(route: R, options: object, id?: string): Promise<Answer<R>> {
    const { signal, timeoutMs, retries, idempotencyKey, basedOn, ...said } = options as Options;
    const isGet = route.startsWith("GET ");
    const words = toWire(isGet ? flat(said) : said);
    const asked: Asked = isGet ? { query: words } : { body: words };
    if (ROUTES[route].again === "always" && idempotencyKey) words["idempotency_key"] = idempotencyKey;
    const answer = await this.request(route, { ...asked, id, idempotencyKey: idempotencyKey ?? undefined, basedOn }, {
      signal, timeoutMs, retries,
    });
    return fromWire(ROUTES[route].answer, answer) as Answer<R>;
  }

  #walk<R extends PagedRoute, Item>(
    route: R,
    options: object,
    itemsOf: (page: Answer<R>) => readonly Item[],
    id?: string,
  ): Paged<Answer<R>, Item> {
    return paged((cursor) => this.#ask(route, cursor === undefined ? options : { ...options, cursor }, id), itemsOf);
  }

  #scoped<O extends { scope?: string | undefined }>(options: O): object {
    return { ...options, scope: options.scope ?? this.#opts.scope };
  }
}

/** What any of the verbs may be told besides the words of its route. */
type Options = CallOpts & {
  idempotencyKey?: string | null | undefined;
  basedOn?: string | undefined;
};

/** In an address filters are parameters of their own. */
function flat({ filters = {}, ...rest }: { filters?: opts.Filters | undefined }): object {
  const named = rest as Record<string, unknown>;
  const twice = Object.entries(filters).find(([name, value]) => value !== (named[name] ?? value))?.[0];
  if (twice) throw new BadRequest(`${twice} is given twice, by itself and in filters; give it once`, { code: "bad-value" });
  return { ...filters, ...rest };
}

function isHealth(body: unknown): boolean {
  return typeof body === "object" && body !== null && "state" in body;
}

function plain(name: string, value: string): string {
  if (/^[\x20-\x7e]+$/.test(value)) return value;
  throw new BadRequest(`${name} goes into a header: give printable ASCII`, { code: "bad-value" });
}

function part(id: string): string {
  if (!id) throw new BadRequest("the id is empty; an id looks like mem_2026-06-18_auth-retry_a1b2", { code: "bad-value" });
  // An address loses these on its way, encoded or not, and would name something else.
  if (id === "." || id === "..") throw new NotFound(`there is no memory '${id}'`, { code: "not-found", status: 404 });
  return encodeURIComponent(id);
}

/** Node 18 has no global `crypto`, and pages that came over plain HTTP have one without `randomUUID`. */
function newKey(): string {
  const random = () => Math.random().toString(36).slice(2, 12).padEnd(10, "0");
  return `ts-${Date.now().toString(36)}-${globalThis.crypto?.randomUUID?.() ?? random() + random()}`;
}
