/** The verbs about sources: folders and repositories that are searched where they are. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged } from "./pages.js";
import type { Ask } from "./route.js";
import type { CallOpts } from "./settings.js";

export class SourceVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Search a folder of the daemon's machine where it is, and follow it. `search("lane:source …")` looks into it. */
  connect(path: string, options: opts.ConnectSourceOpts = {}): Promise<wire.ConnectedSource> {
    return this.#ask("POST /sources", { ...options, path });
  }

  /** The sources that are connected, and how they are. */
  list(options: opts.SourcesOpts = {}): Paged<wire.SourceList, wire.SourceSummary> {
    return paged(
      (cursor) => this.#ask("GET /sources", { ...options, ...from(cursor) }),
      (page) => page.sources,
    );
  }

  /** How far a source, named by its id or its name, is indexed, and which files are not searched and why. */
  health(sourceId: string, options: CallOpts = {}): Promise<wire.SourceHealth> {
    return this.#ask("GET /sources/{source_id}/health", options, { source_id: sourceId });
  }

  /** Look at everything in a source now; with `anew` every file is read again. */
  index(sourceId: string, options: opts.IndexSourceOpts = {}): Promise<wire.SourceHealth> {
    return this.#ask("POST /sources/{source_id}/index", options, { source_id: sourceId });
  }

  /** Forget a source: everything that was derived from it is removed. Its folder is not touched. */
  purge(sourceId: string, options: CallOpts = {}): Promise<wire.PurgedSource> {
    return this.#ask("POST /sources/{source_id}/purge", options, { source_id: sourceId });
  }
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
