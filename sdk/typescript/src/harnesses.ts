/** The verbs about harnesses: the rules that agents are told, and the files of projects that say them. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged } from "./pages.js";
import type { Ask } from "./route.js";

export class HarnessVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The notes that are marked as rules, of the project and of all. */
  rules(options: opts.RulesOpts = {}): Paged<wire.RuleList, wire.MarkedRule> {
    return paged(
      (cursor) => this.#ask("GET /harnesses/rules", { ...options, ...from(cursor) }),
      (page) => page.rules,
    );
  }

  /** The files of a project that harnesses read, and how the block in each stands. */
  list(folder: string, options: opts.HarnessesOpts = {}): Paged<wire.HarnessFiles, wire.HarnessFile> {
    return paged(
      (cursor) => this.#ask("GET /harnesses", { ...options, folder, ...from(cursor) }),
      (page) => page.files,
    );
  }

  /** Write the rules into the files that harnesses read, in one block each. */
  sync(folder: string, options: opts.HarnessSyncOpts = {}): Promise<wire.SyncedFiles> {
    return this.#ask("POST /harnesses/sync", { ...options, folder });
  }

  /** Take the blocks out again. The files are then what they were before, to the byte. */
  remove(folder: string, options: opts.HarnessRemoveOpts = {}): Promise<wire.SyncedFiles> {
    return this.#ask("POST /harnesses/remove", { ...options, folder });
  }
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
