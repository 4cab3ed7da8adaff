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
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
