/** What each verb can be told. All of it follows the daemon's OpenAPI document. */
import type * as wire from "./generated/types.js";
import type { CallOpts } from "./settings.js";

/** `format` is another name on the wire for `responseFormat`. */
type Asked<Query, Named extends keyof Query = never> = Omit<Query, Named | "format"> & CallOpts;
type Changed<Body, Named extends keyof Body = never> = Omit<Body, Named> & CallOpts;

export type EdgeRel = wire.RelateBody["rel"];

export interface Filters {
  project?: string | undefined;
  kind?: string | undefined;
  tag?: string | undefined;
  /** only memories created after this time */
  after?: string | undefined;
  /** only memories created before this time */
  before?: string | undefined;
}

interface Filtered {
  /** The same filters in one object; they can be given on their own as well. */
  filters?: Filters | undefined;
}

export type SearchOpts = Asked<wire.RecallQuery, "q"> & Filtered;
export type ContextOpts = Changed<wire.ContextBody, "task" | "format">;
export type PhasesOpts = Changed<wire.PhasesBody, "phases">;
export type GetOpts = Asked<wire.GetMemoryQuery>;
export type RecentOpts = Asked<wire.RecentQuery> & Filtered;
export type TodayOpts = Asked<wire.TodayQuery> & Filtered;
export type HistoryOpts = wire.HistoryQuery & CallOpts;
export type GraphOpts = wire.GraphQuery & CallOpts;
export type NeighborsOpts = wire.NeighborsQuery & CallOpts;
export type StatsOpts = wire.StatsQuery & CallOpts;
export type ConflictsOpts = wire.ConflictsQuery & CallOpts;

export type WriteOpts = Changed<wire.RememberBody, "text">;
export type UpdateOpts = wire.UpdateBody &
  CallOpts & {
    /** The `hash` of the memory as it was read. If its file has changed since, the two are merged, or it is `StaleHash`. */
    basedOn?: string | undefined;
  };
export type ForgetOpts = Changed<wire.ForgetBody, "id">;
export type RestoreOpts = Changed<wire.RestoreBody, "id">;
export type RelateOpts = Changed<wire.RelateBody, "from" | "to">;
export type ManifestOpts = wire.StrandManifestQuery & CallOpts;
export type ProposalsOpts = wire.ProposalsQuery & CallOpts;
export type ConsolidateOpts = wire.ConsolidateBody & CallOpts;
