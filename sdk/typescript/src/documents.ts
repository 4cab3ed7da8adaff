/** The verbs about documents, and about the long work that turns a folder of them into notes. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged } from "./pages.js";
import type { Ask } from "./route.js";
import type { CallOpts } from "./settings.js";

export class DocumentVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /**
   * Turn a document into notes that search finds. A `path` of the daemon's machine becomes a job; content that is sent
   * as `text` or `base64`, with its `name`, is resolved when its notes are durable. The same again changes nothing.
   */
  ingest(options: opts.IngestOpts): Promise<wire.IngestedDocument> {
    return this.#ask("POST /documents", options);
  }

  /** The documents in the vault, by their address. */
  list(options: opts.DocumentsOpts = {}): Paged<wire.DocumentList, wire.DocumentSummary> {
    return paged(
      (cursor) => this.#ask("GET /documents", { ...options, ...from(cursor) }),
      (page) => page.documents,
    );
  }

  /** One document: its notes and where each of them comes from. */
  get(id: string, options: CallOpts = {}): Promise<wire.DocumentDetails> {
    return this.#ask("GET /documents/{id}", options, { id });
  }

  /** Take all notes of a document out of the answers. Its file is not touched. */
  forget(id: string, options: CallOpts = {}): Promise<wire.ForgottenDocument> {
    return this.#ask("POST /documents/{id}/forget", options, { id });
  }
}

export class JobVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Long work on the machine of the daemon, the latest first. */
  list(options: opts.JobsOpts = {}): Paged<wire.JobList, wire.JobSummary> {
    return paged(
      (cursor) => this.#ask("GET /jobs", { ...options, ...from(cursor) }),
      (page) => page.jobs,
    );
  }

  /** How far a job is, and what it could not do and why. */
  get(jobId: string, options: CallOpts = {}): Promise<wire.JobDetails> {
    return this.#ask("GET /jobs/{job_id}", options, { job_id: jobId });
  }

  /** Stop a job. What it has done stays done, and the same again goes on from there. */
  cancel(jobId: string, options: CallOpts = {}): Promise<wire.JobDetails> {
    return this.#ask("POST /jobs/{job_id}/cancel", options, { job_id: jobId });
  }
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
