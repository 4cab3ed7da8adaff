/** The memory of Helix, for programs in TypeScript and JavaScript. */
export { Helix } from "./helix.js";
export type { Asked, Route } from "./route.js";
export type { Paged, Pages } from "./pages.js";
export type { CallOpts, HelixOpts } from "./settings.js";
export { VERSION } from "./version.js";
export * from "./errors.js";
export type * from "./options.js";
export type {
  ConsolidateResult,
  Conflicts,
  ContextPack,
  Edge,
  FileResult,
  ForgetResult,
  Graph,
  GraphLink,
  GraphNode,
  Health,
  History,
  Hit,
  Manifest,
  ManifestEntry,
  Memories,
  Memory,
  MemoryPage,
  Neighbor,
  Neighbors,
  OpenConflict,
  Proposal,
  Proposals,
  RelateResult,
  RestoreResult,
  SearchResult,
  Similar,
  Source,
  Stats,
  UpdateResult,
  Version,
  WriteResult,
} from "./generated/types.js";
