/** The verbs of the memory, over the daemon's REST routes. */
import { AssetVerbs } from "./assets.js";
import { DocumentVerbs, JobVerbs } from "./documents.js";
import { BadRequest } from "./errors.js";
import { ROUTES } from "./generated/routes.js";
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged, Pages } from "./pages.js";
import { HarnessVerbs } from "./harnesses.js";
import { toParameters, toRequest } from "./route.js";
import type { Answer, Asked, Named, Route } from "./route.js";
import { SecretVerbs } from "./secrets.js";
import { SessionVerbs } from "./sessions.js";
import { settingsFrom } from "./settings.js";
import type { CallOpts, HelixOpts } from "./settings.js";
import { PublishedSkillVerbs } from "./skills.js";
import { fromWire, toWire } from "./spelling.js";
import type { Wire } from "./spelling.js";
import { Transport } from "./transport.js";

type PagedRoute = { [R in Route]: Answer<R> extends { tokensUsed: number; truncated: boolean } ? R : never }[Route];

/** The largest budget there is: a text that is read, changed and written back must not be one that was cut. */
const WHOLE = 200_000;

export class Helix {
  /** The verbs over the logs of what agents did. */
  readonly sessions: SessionVerbs;
  /** Files turned into notes. */
  readonly documents: DocumentVerbs;
  /** Long work on the machine of the daemon. */
  readonly jobs: JobVerbs;
  /** What the harnesses of agents are told of a project. */
  readonly harnesses: HarnessVerbs;
  /** Skills that others may pull. */
  readonly skills: PublishedSkillVerbs;
  /** Files that a team shares. */
  readonly assets: AssetVerbs;
  /** Credentials that programs may use and nobody can read. */
  readonly secrets: SecretVerbs;
  readonly #opts: HelixOpts;
  readonly #transport: Transport;

  constructor(options: HelixOpts = {}) {
    this.#opts = options;
    this.#transport = new Transport(settingsFrom(options));
    this.sessions = new SessionVerbs((route, said, named) => this.#ask(route, said, named));
    this.documents = new DocumentVerbs((route, said, named) => this.#ask(route, said, named));
    this.jobs = new JobVerbs((route, said, named) => this.#ask(route, said, named));
    this.harnesses = new HarnessVerbs((route, said, named) => this.#ask(route, said, named));
    this.skills = new PublishedSkillVerbs((route, said, named) => this.#ask(route, said, named));
    this.assets = new AssetVerbs((route, said, named) => this.#ask(route, said, named));
    this.secrets = new SecretVerbs((route, said, named) => this.#ask(route, said, named));
  }

  /** The scope of calls that name none. */
  get scope(): HelixOpts["scope"] {
    return this.#opts.scope;
  }

  /** The same client with some options changed; undefined leaves one as it is, an empty project or session is none. */
  withOptions(options: HelixOpts): Helix {
    const changed = Object.entries(options).filter(([, value]) => value !== undefined);
    return new Helix({ ...this.#opts, ...Object.fromEntries(changed) });
  }

  /** Memories that fit a question, best first. Nothing is returned to fill a limit. */
  search(query: string, options: opts.SearchOpts = {}): Paged<wire.SearchResult, wire.Hit> {
    return this.#walk("GET /recall", this.#scoped({ q: query, ...options }), (page) => page.results);
  }

  /** One text for an agent to read before a task: grouped, cited, fenced as data, within its budget. */
  context(task: string, options: opts.ContextOpts = {}): Promise<Answer<"POST /context">> {
    return this.#ask("POST /context", this.#scoped({ task, ...options }));
  }

  /** A bundle for phases of work, such as `plan`, `work`, `review`, `debug`, `release`. */
  phases(phases: readonly string[], options: opts.PhasesOpts = {}): Promise<wire.ContextPack> {
    return this.#ask("POST /phases", this.#scoped({ phases, ...options }));
  }

  /** One memory, whole. With a smaller `maxTokens` a long text goes on in the next page; iterating gives its pieces. */
  get(id: string, options: opts.GetOpts = {}): Paged<wire.MemoryPage, string> {
    return this.#walk(
      "GET /memory/{id}",
      { ...options, maxTokens: options.maxTokens ?? WHOLE },
      (page) => [page.text],
      { id },
    );
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
  history(id: string, options: opts.HistoryOpts = {}): Paged<wire.History, wire.Version> {
    return this.#walk("GET /memory/{id}/history", options, (page) => page.versions, { id });
  }

  /** The memories and the edges between them, all of them; `limit` is the size of a page on the way. */
  async graph(options: opts.GraphOpts = {}): Promise<wire.Graph> {
    let whole: wire.Graph | undefined;
    for await (const page of this.graphPage(options).pages()) {
      whole = whole
        ? { ...page, nodes: [...whole.nodes, ...page.nodes], edges: [...whole.edges, ...page.edges] }
        : page;
    }
    return whole!;
  }

  /** The same, a page at a time. */
  graphPage(options: opts.GraphOpts = {}): Pages<wire.Graph> {
    return this.#walk("GET /graph", this.#scoped(options), () => []);
  }

  /** The memories around one, nearest first, each with the edge that led to it. */
  neighbors(id: string, options: opts.NeighborsOpts = {}): Paged<wire.Neighbors, wire.Neighbor> {
    return this.#walk("GET /memory/{id}/neighbors", options, (page) => page.neighbors, { id });
  }

  /** How many memories there are, by status, scope, kind and project. */
  stats(options: opts.StatsOpts = {}): Pages<wire.Stats> {
    return this.#walk("GET /stats", options, () => []);
  }

  /** What needs a person: files that cannot be read, and ids that stand in several files. */
  conflicts(options: opts.ConflictsOpts = {}): Paged<wire.Conflicts, wire.OpenConflict> {
    return this.#walk("GET /conflicts", options, (page) => page.conflicts);
  }

  /** What an export of the vault would hold, entry by entry. */
  manifest(options: opts.ManifestOpts = {}): Paged<wire.Manifest, wire.ManifestEntry> {
    return this.#walk("GET /strand/manifest", options, (page) => page.entries);
  }

  /** Keep a memory, unless it is there already or replaces one. Resolved when its file is durable on disk. */
  write(text: string, options: opts.WriteOpts = {}): Promise<wire.WriteResult> {
    return this.#ask("POST /remember", this.#scoped({ text, ...options }));
  }

  /** Change a memory in place; what is left out stays. With `basedOn` nothing is overwritten unread. */
  update(id: string, options: opts.UpdateOpts): Promise<wire.UpdateResult> {
    return this.#ask("PATCH /memory/{id}", options, { id });
  }

  /** Say of which project memories are: unfiled ones, or such as were filed wrongly. All of them or none. */
  file(ids: string | readonly string[], options: opts.FileOpts): Promise<wire.FileResult> {
    return this.#ask("POST /file", { ids: typeof ids === "string" ? [ids] : ids, ...options });
  }

  /** Take a memory out of all answers. The file stays, marked as deleted; `hard` also erases its text. */
  forget(id: string, options: opts.ForgetOpts = {}): Promise<wire.ForgetResult> {
    return this.#ask("POST /forget", { id, ...options });
  }

  /** Undo a forget; with `at` also turn the text back to a git revision. */
  restore(id: string, options: opts.RestoreOpts = {}): Promise<wire.RestoreResult> {
    return this.#ask("POST /restore", { id, ...options });
  }

  /** Draw a typed edge from one memory to another. `supersedes` takes the other one out of the answers. */
  relate(from: string, to: string, options: opts.RelateOpts): Promise<wire.RelateResult> {
    return this.#ask("POST /relate", { from, to, ...options });
  }

  /** The projects of the memories that are seen, the one that changed last first, and who is a member. */
  projects(options: opts.ProjectsOpts = {}): Paged<wire.Projects, wire.ProjectSummary> {
    return this.#walk("GET /projects", options, (page) => page.projects);
  }

  /** Make a project, whose memories its members share. Who makes it owns it. */
  createProject(project: string, options: opts.CreateProjectOpts = {}): Promise<wire.ProjectChange> {
    return this.#ask("POST /projects", { project, ...options });
  }

  /** Make somebody a member: from now on they see its memories. Its owner does. */
  shareProject(project: string, user: string, options: CallOpts = {}): Promise<wire.ProjectChange> {
    return this.#ask("POST /projects/share", { project, user, ...options });
  }

  /** Take somebody out of a project. What they wrote stays. Its owner does. */
  unshareProject(project: string, user: string, options: CallOpts = {}): Promise<wire.ProjectChange> {
    return this.#ask("POST /projects/unshare", { project, user, ...options });
  }

  /** Be a member no more. Its owner transfers it first. */
  leaveProject(project: string, options: CallOpts = {}): Promise<wire.ProjectChange> {
    return this.#ask("POST /projects/leave", { project, ...options });
  }

  /** Give a project to another owner, and stay a member. Its owner does. */
  transferProject(project: string, user: string, options: CallOpts = {}): Promise<wire.ProjectChange> {
    return this.#ask("POST /projects/transfer", { project, user, ...options });
  }

  /** Forget a project with its memories, as far as its owner may change them; each can be restored. */
  deleteProject(project: string, options: CallOpts = {}): Promise<wire.DeletedProject> {
    return this.#ask("POST /projects/delete", { project, ...options });
  }

  /** Work in a project: what names none is asked and written there from now on, in this session or in all. */
  activateProject(project: string, options: opts.ActivateProjectOpts = {}): Promise<wire.ActiveProject> {
    return this.#ask("POST /projects/activate", { project, ...options });
  }

  /** Work in no project any more, unless a call names one. */
  deactivateProject(options: opts.DeactivateProjectOpts = {}): Promise<wire.ActiveProject> {
    return this.#ask("POST /projects/deactivate", options);
  }

  /** What could be tidied: doubles, contradictions, what is over. Nothing is changed. */
  proposals(options: opts.ProposalsOpts = {}): Paged<wire.Proposals, wire.Proposal> {
    return this.#walk("GET /consolidate", options, (page) => page.proposals);
  }

  /** Apply the proposals that are named, or else those that are certain: exact doubles. Never repeated by itself. */
  consolidate(options: opts.ConsolidateOpts = {}): Promise<wire.ConsolidateResult> {
    return this.#ask("POST /consolidate", options);
  }

  /** What waits for a person: proposed memories, files that need help, what to tidy, refused secrets. */
  inbox(options: opts.InboxOpts = {}): Paged<wire.Inbox, wire.InboxItem> {
    return this.#walk("GET /inbox", options, (page) => page.items);
  }

  /** Make a memory of what is proposed, in its words or in yours. */
  accept(key: string, options: opts.AcceptOpts = {}): Promise<wire.Accepted> {
    return this.#ask("POST /inbox/accept", { key, ...options });
  }

  /** Put an item of the inbox away: a proposal for good, anything else until it changes. */
  dismiss(key: string, options: CallOpts = {}): Promise<wire.DismissedItem> {
    return this.#ask("POST /inbox/dismiss", { key, ...options });
  }

  /** How the daemon is, also when it cannot serve at all. */
  health(options: CallOpts = {}): Promise<wire.Health> {
    return this.#ask("GET /healthz", options);
  }

  /**
   * The answer of a route as it came, in the names of the wire: for tools that hand it on to a model, and for routes
   * that have no verb here.
   */
  async request(route: Route, asked: Asked = {}, call: CallOpts = {}): Promise<Wire> {
    return (await this.#transport.send(toRequest(route, asked), call)) as Wire;
  }

  async #ask<R extends Route>(route: R, options: object, named?: Named): Promise<Answer<R>> {
    const { signal, timeoutMs, retries, basedOn, ...said } = options as CallOpts & { basedOn?: string };
    const words = route.startsWith("GET ") ? { query: flat(said) } : { body: toWire(said) };
    const answer = await this.request(route, { ...words, named, basedOn }, { signal, timeoutMs, retries });
    return fromWire(ROUTES[route].answer, answer) as Answer<R>;
  }

  #walk<R extends PagedRoute, Item>(
    route: R,
    options: object,
    itemsOf: (page: Answer<R>) => readonly Item[],
    named?: Named,
  ): Paged<Answer<R>, Item> {
    return paged(
      (cursor) => this.#ask(route, cursor === undefined ? options : { ...options, cursor }, named),
      itemsOf,
    );
  }

  #scoped<O extends { scope?: string | undefined }>(options: O): object {
    return { ...options, scope: options.scope ?? this.#opts.scope };
  }
}

/** In an address filters are parameters of their own. */
function flat({ filters = {}, ...rest }: { filters?: opts.Filters | undefined }): Wire {
  const [words, narrowed] = [toWire(rest), toParameters(filters)];
  const twice = Object.keys(narrowed).find((name) => (words[name] ?? narrowed[name]) !== narrowed[name]);
  if (twice) {
    throw new BadRequest(`${twice} is given twice, by itself and in filters; give it once`, { code: "bad-value" });
  }
  return { ...words, ...narrowed };
}
