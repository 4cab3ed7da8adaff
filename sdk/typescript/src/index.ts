/** The memory of Helix, for programs in TypeScript and JavaScript. */
export { Helix } from "./helix.js";
export type { Asked, Route } from "./route.js";
export type { Paged, Pages } from "./pages.js";
export type { CallOpts, HelixOpts } from "./settings.js";
export type { SessionVerbs } from "./sessions.js";
export { VERSION } from "./version.js";
export * from "./errors.js";
export type * from "./options.js";
export type {
  AppendedEvent,
  CitedEvent,
  Conflicts,
  ConsolidateResult,
  ContextPack,
  Edge,
  ErasedEvent,
  FileResult,
  ForgetResult,
  Graph,
  GraphLink,
  GraphNode,
  Health,
  History,
  Hit,
  IngestedEvents,
  LearnedMemory,
  LoggedEvent,
  LogProblem,
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
  Replay,
  RestoreResult,
  SealedEvent,
  SearchResult,
  SessionDetails,
  SessionHead,
  SessionIntegrity,
  SessionList,
  SessionSummary,
  Similar,
  Source,
  Stats,
  UpdateResult,
  Verbatim,
  VerbatimHit,
  VerifiedSession,
  Version,
  WriteResult,
} from "./generated/types.js";
