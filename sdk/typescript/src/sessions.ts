/** The verbs about sessions: the log of what agents did, and where it can be cited. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged } from "./pages.js";
import type { Ask } from "./route.js";
import type { CallOpts } from "./settings.js";
import { toWire } from "./spelling.js";

export class SessionVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Add an event to the log of a session. Resolved when its line is durable on disk; with an `externalRef` it is added
   * once, however often it is sent.
   */
  append(
    sessionId: string,
    type: string,
    actor: string,
    payload: Readonly<Record<string, unknown>>,
    options: opts.AppendOpts = {},
  ): Promise<wire.AppendedEvent> {
    const said = { type, actor, payload, ...options };
    return this.#ask("POST /sessions/{session_id}/events", said, { session_id: sessionId });
  }

  /** Add many events at once. One whose `externalRef` the session has already is not added again. */
  ingest(sessionId: string, events: readonly opts.NewEvent[], options: CallOpts = {}): Promise<wire.IngestedEvents> {
    const said = { events: events.map(toWire), ...options };
    return this.#ask("POST /sessions/{session_id}/ingest", said, { session_id: sessionId });
  }

  /** The sessions that have a log, the one that something happened in last first. */
  list(options: opts.SessionsOpts = {}): Paged<wire.SessionList, wire.SessionSummary> {
    return paged(
      (cursor) => this.#ask("GET /sessions", { ...options, ...from(cursor) }),
      (page) => page.sessions,
    );
  }

  /** Move the log of a session to where nothing reads it. */
  archive(sessionId: string, options: CallOpts = {}): Promise<wire.ArchivedSession> {
    return this.#ask("POST /sessions/{session_id}/archive", options, { session_id: sessionId });
  }

  /** Bring an archived session back. */
  restore(sessionId: string, options: CallOpts = {}): Promise<wire.ArchivedSession> {
    return this.#ask("POST /sessions/{session_id}/restore", options, { session_id: sessionId });
  }

  /** What is known of a session. */
  get(sessionId: string, options: CallOpts = {}): Promise<wire.SessionDetails> {
    return this.#ask("GET /sessions/{session_id}", options, { session_id: sessionId });
  }

  /** The events of a session in their order, and on the first page whether its whole log verifies. */
  replay(sessionId: string, options: opts.ReplayOpts = {}): Paged<wire.Replay, wire.LoggedEvent> {
    const named = { session_id: sessionId };
    return paged(
      (cursor) => this.#ask("GET /sessions/{session_id}/events", { ...options, ...from(cursor) }, named),
      (page) => page.events,
    );
  }

  /** Read the whole log of a session and say where its chain is broken, if it is. */
  verify(sessionId: string, options: CallOpts = {}): Promise<wire.VerifiedSession> {
    return this.#ask("GET /sessions/{session_id}/integrity", options, { session_id: sessionId });
  }

  /** One event, and the memory that it became. */
  event(sessionId: string, seq: number, options: opts.EventOpts = {}): Promise<wire.CitedEvent> {
    return this.#ask("GET /sessions/{session_id}/events/{seq}", options, { session_id: sessionId, seq });
  }

  /** What the last sessions of a project left: hand-over, open tasks, decisions, the first and the last words. */
  recap(options: opts.RecapOpts = {}): Promise<wire.Recap> {
    return this.#ask("GET /recap", options);
  }

  /** The event that a citation names. */
  cite(uri: string, options: CallOpts = {}): Promise<wire.CitedEvent> {
    return this.#ask("GET /cite", { uri, ...options });
  }

  /** Erase the content of an event for good. Its hash stays, so that the chain still verifies. */
  erase(sessionId: string, seq: number, options: opts.EventOpts = {}): Promise<wire.ErasedEvent> {
    return this.#ask("POST /sessions/{session_id}/erase", { seq, ...options }, { session_id: sessionId });
  }

  /** What was said word for word, with citations. */
  verbatim(query: string, options: opts.VerbatimOpts = {}): Paged<wire.Verbatim, wire.VerbatimHit> {
    return paged(
      (cursor) => this.#ask("GET /verbatim", { query, ...options, ...from(cursor) }),
      (page) => page.results,
    );
  }

  /** What memory knows of a question, cited, and whether it can be answered from it; with a `ref`, what it knew then. */
  checkout(sessionId: string, query: string, options: opts.CheckoutOpts = {}): Promise<wire.Checkout> {
    return this.#ask("POST /sessions/{session_id}/checkout", { query, ...options }, { session_id: sessionId });
  }

  /** What happened last in a session and what bears on a question, as one text with its sources. */
  assemble(sessionId: string, query: string, options: opts.AssembleOpts = {}): Promise<wire.AssembledContext> {
    return this.#ask("GET /sessions/{session_id}/context", { query, ...options }, { session_id: sessionId });
  }

  /** Add a turn to the log of a session, and get what bears on it. */
  afterTurn(
    sessionId: string,
    role: string,
    content: string,
    options: opts.AfterTurnOpts = {},
  ): Promise<wire.AssembledContext> {
    return this.#ask("POST /sessions/{session_id}/turns", { role, content, ...options }, { session_id: sessionId });
  }

  /** A subagent is done: its session is closed, and the one it worked for hears what came of it. */
  handover(
    sessionId: string,
    subagentSessionId: string,
    summary: string,
    options: opts.HandoverOpts = {},
  ): Promise<wire.Handover> {
    const said = { subagentSessionId, summary, ...options };
    return this.#ask("POST /sessions/{session_id}/handover", said, { session_id: sessionId });
  }

  /** What an agent can do with its memory, and what is known of its session. */
  capabilities(sessionId: string, options: opts.TaskOpts = {}): Promise<wire.Capabilities> {
    return this.#ask("GET /sessions/{session_id}/capabilities", options, { session_id: sessionId });
  }

  /** What an agent should do first in a session. */
  bootstrap(sessionId: string, options: opts.TaskOpts = {}): Promise<wire.Bootstrap> {
    return this.#ask("POST /sessions/{session_id}/bootstrap", options, { session_id: sessionId });
  }

  /** Whether an agent should look at its memory now, and why. */
  reminder(sessionId: string, trigger: string, options: opts.ReminderOpts = {}): Promise<wire.Reminder> {
    return this.#ask("POST /sessions/{session_id}/reminder", { trigger, ...options }, { session_id: sessionId });
  }

  /** Say what happened to a skill; its note is made anew from all that was said of it. */
  skill(
    sessionId: string,
    action: wire.SkillBody["action"],
    skillId: string,
    options: opts.SkillOpts = {},
  ): Promise<wire.SkillEvent> {
    return this.#ask("POST /sessions/{session_id}/skills", { action, skillId, ...options }, { session_id: sessionId });
  }

  /** The skills that the logs know, and how they did; of one alone also its outcomes. */
  skills(options: opts.SkillsOpts = {}): Paged<wire.SkillList, wire.Skill> {
    return paged(
      (cursor) => this.#ask("GET /skills", { ...options, ...from(cursor) }),
      (page) => page.skills,
    );
  }

  /** Say whether a memory that was found was `used`, `helpful` or `irrelevant`. No note is touched. */
  feedback(
    sessionId: string,
    entityName: string,
    entityType: string,
    feedback: wire.FeedbackBody["feedback"],
    options: opts.FeedbackOpts = {},
  ): Promise<wire.GivenFeedback> {
    const said = { entityName, entityType, feedback, ...options };
    return this.#ask("POST /sessions/{session_id}/feedback", said, { session_id: sessionId });
  }

  /** Say that what was stated no longer holds: by its name and type, or the id, title or citation of a memory. */
  invalidate(sessionId: string, entityName: string, options: opts.InvalidateOpts = {}): Promise<wire.Invalidation> {
    return this.#ask("POST /sessions/{session_id}/invalidate", { entityName, ...options }, { session_id: sessionId });
  }

  /** Facts that bear on a question, as they hold now or held at a time, each with its citation. */
  query(query: string, options: opts.QueryOpts = {}): Paged<wire.FactList, wire.FactRow> {
    return paged(
      (cursor) => this.#ask("POST /facts", { query, ...options, ...from(cursor) }),
      (page) => page.facts,
    );
  }

  /** The log of a session as one chain of lines, which other tools verify; `nextSeq` says where it goes on. */
  exportLog(sessionId: string, options: opts.ExportLogOpts = {}): Promise<wire.ExportedLog> {
    return this.#ask("GET /sessions/{session_id}/log", options, { session_id: sessionId });
  }

  /** Take over lines of a log that was sealed elsewhere, as they are. What is there already stays one event. */
  importLog(sessionId: string, lines: readonly string[], options: opts.ImportLogOpts = {}): Promise<wire.ImportedLog> {
    return this.#ask("POST /sessions/{session_id}/log", { lines, ...options }, { session_id: sessionId });
  }

  /** Give a point of a session a name: its last event, or another one. */
  setRef(sessionId: string, name: string, options: opts.SetRefOpts = {}): Promise<wire.SetRef> {
    return this.#ask("POST /sessions/{session_id}/refs", { name, ...options }, { session_id: sessionId });
  }

  /** The refs that there are, the one that was set last first. */
  refs(options: opts.RefsOpts = {}): Paged<wire.RefList, wire.Ref> {
    return paged(
      (cursor) => this.#ask("GET /refs", { ...options, ...from(cursor) }),
      (page) => page.refs,
    );
  }

  /** The event that a ref leads to, or HEAD: the last one of a session. */
  ref(name: string, options: opts.RefOpts = {}): Promise<wire.Ref> {
    return this.#ask("GET /refs/resolve", { name, ...options });
  }
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
