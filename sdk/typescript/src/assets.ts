/** The verbs about files that a team shares. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import { paged } from "./pages.js";
import type { Paged } from "./pages.js";
import type { Ask } from "./route.js";
import type { CallOpts } from "./settings.js";

export class AssetVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** The files that are shared; not what is in them. */
  list(options: opts.AssetsOpts = {}): Paged<wire.AssetList, wire.Asset> {
    return paged(
      (cursor) => this.#ask("GET /assets", { ...options, ...from(cursor) }),
      (page) => page.assets,
    );
  }

  /** Share a file, as text or base64. Under a name that is there already it becomes the next version. */
  publish(name: string, options: opts.AssetPublishOpts = {}): Promise<wire.PublishedAsset> {
    return this.#ask("POST /assets", { ...options, name });
  }

  /** A file with what is in it, unless you have that: `have` is the hash of what you have. */
  pull(id: string, options: opts.AssetPullOpts = {}): Promise<wire.PulledAsset> {
    return this.#ask("GET /assets/{id}", options, { id });
  }

  /** Take a file back. Who pulls next has it no more. */
  tombstone(id: string, options: CallOpts = {}): Promise<wire.TombstonedAsset> {
    return this.#ask("POST /assets/{id}/tombstone", options, { id });
  }
}

const from = (cursor: string | undefined): object => (cursor === undefined ? {} : { cursor });
