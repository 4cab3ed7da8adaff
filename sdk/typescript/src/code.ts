/** The verbs about code: symbols of the sources, and what changing them may break. */
import type * as wire from "./generated/types.js";
import type * as opts from "./options.js";
import type { Ask } from "./route.js";

export class CodeVerbs {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Where a symbol is defined, in the sources. */
  find(symbol: string, options: opts.FindSymbolOpts = {}): Promise<wire.CodeSymbols> {
    return this.#ask("GET /code/find", { ...options, symbol });
  }

  /** What changing a symbol may break: callers, importers, tests and memories that cite it, by distance. */
  impact(symbol: string, options: opts.ImpactOpts = {}): Promise<wire.CodeImpact> {
    return this.#ask("GET /code/impact", { ...options, symbol });
  }

  /** Who mentions a symbol, or those of a file, and what they mention. */
  neighborhood(symbol: string, options: opts.NeighborhoodOpts = {}): Promise<wire.CodeNeighborhood> {
    return this.#ask("GET /code/neighborhood", { ...options, symbol });
  }

  /** In which order to read a repository, as far as a budget goes. */
  tour(options: opts.TourOpts = {}): Promise<wire.CodeTour> {
    return this.#ask("GET /code/tour", options);
  }
}
