/** The verbs about secrets, and about the programs that run with them. No method reads a value. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged } from "./pages.js";
import type { Ask } from "./route.js";
import type { CallOpts } from "./settings.js";

export class SecretVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The names of the secrets. */
  list(options: opts.SecretsOpts = {}): Paged<wire.SecretList, wire.NamedSecret> {
    return paged(
      (cursor) => this.#ask("GET /secrets", { ...options, ...from(cursor) }),
      (page) => page.secrets,
    );
  }

  /** Keep a new secret, encrypted, on the machine of the daemon. */
  set(name: string, value: string, options: CallOpts = {}): Promise<wire.NamedSecret> {
    return this.#ask("POST /secrets/{name}", { ...options, value }, { name });
  }

  /** Give a secret another value. */
  rotate(name: string, value: string, options: CallOpts = {}): Promise<wire.NamedSecret> {
    return this.#ask("POST /secrets/{name}/rotate", { ...options, value }, { name });
  }

  /** Delete a secret. */
  delete(name: string, options: CallOpts = {}): Promise<wire.DeletedSecret> {
    return this.#ask("POST /secrets/{name}/delete", options, { name });
  }

  /**
   * Queue a program that the daemon's settings name, with secrets in its environment: variables, each with the name of
   * a secret. It runs once; `getRun` says how it ended and what it printed, without the values.
   */
  run(
    command: readonly string[],
    environment: Readonly<Record<string, string>>,
    options: opts.RunOpts = {},
  ): Promise<wire.RunDetails> {
    return this.#ask("POST /secret-runs", { ...options, command: [...command], environment });
  }

  /** The programs that ran with secrets, the latest first. */
  runs(options: opts.RunsOpts = {}): Paged<wire.RunList, wire.RunSummary> {
    return paged(
      (cursor) => this.#ask("GET /secret-runs", { ...options, ...from(cursor) }),
      (page) => page.runs,
    );
  }

  /** How a run ended and what it printed, without the values. */
  getRun(runId: string, options: CallOpts = {}): Promise<wire.RunDetails> {
    return this.#ask("GET /secret-runs/{run_id}", options, { run_id: runId });
  }

  /** End a run: the program and everything it started. */
  cancelRun(runId: string, options: CallOpts = {}): Promise<wire.RunDetails> {
    return this.#ask("POST /secret-runs/{run_id}/cancel", options, { run_id: runId });
  }
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
