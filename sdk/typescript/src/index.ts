/** The memory of Helix, for programs in TypeScript and JavaScript. */
export { Helix } from "./helix.js";
export type { Asked, Route } from "./helix.js";
export type { Paged, Pages } from "./pages.js";
export type { CallOpts, HelixOpts } from "./settings.js";
export { VERSION } from "./version.js";
export * from "./errors.js";
export type * from "./options.js";
export type {
  Conflict as OpenConflict,
  Conflicts,
  Consolidated as ConsolidateResult,
  Edge,
  Forgotten as ForgetResult,
  Graph,
  Health,
  Hit,
  Hits as SearchResult,
  Link as GraphLink,
  Memories,
  Memory,
  MemoryPage,
  Neighbor,
  Neighbors,
  Node as GraphNode,
  Pack as ContextPack,
  Proposal,
  Proposals,
  Related as RelateResult,
  Restored as RestoreResult,
  Similar,
  Source,
  Stats,
  StrandEntry as ManifestEntry,
  StrandManifest as Manifest,
  Updated as UpdateResult,
  Version,
  Versions as History,
  Written as WriteResult,
} from "./generated/types.js";
