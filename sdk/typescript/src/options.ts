/** What each verb can be told. All of it follows the daemon's OpenAPI document. */
import type { FILTERS } from "./generated/routes.js";
import type * as wire from "./generated/types.js";
import type { CallOpts } from "./settings.js";

/** Times are texts such as `2026-06-18` or `2026-06-18T09:12:44Z`, or dates. */
type TimeName = "asOf" | "heldAt" | "invalidAt" | "after" | "before" | "since" | "validFrom" | "validUntil";
type Timed<O> = { [Name in keyof O]: Name extends TimeName ? O[Name] | Date : O[Name] };

/** `format` is another name on the wire for `responseFormat`. */
type Asked<Query, Named extends keyof Query = never> = Timed<Omit<Query, Named | "format">> & CallOpts;
type Changed<Body, Named extends keyof Body = never> = Timed<Omit<Body, Named>> & CallOpts;

export type EdgeRel = wire.RelateBody["rel"];

export type Filters = Timed<Pick<wire.RecallQuery, (typeof FILTERS)[number]>>;

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
export type HistoryOpts = Asked<wire.HistoryQuery>;
export type GraphOpts = Asked<wire.GraphQuery>;
export type NeighborsOpts = Asked<wire.NeighborsQuery>;
export type StatsOpts = Asked<wire.StatsQuery>;
export type ConflictsOpts = Asked<wire.ConflictsQuery>;

export type WriteOpts = Changed<wire.RememberBody, "text">;
export type UpdateOpts = Changed<wire.UpdateBody> & {
  /** The `hash` of the memory as it was read. If its file has changed since, the two are merged, or it is refused. */
  basedOn?: string | undefined;
};
export type FileOpts = Changed<wire.FileBody, "ids">;
export type ForgetOpts = Changed<wire.ForgetBody, "id">;
export type RestoreOpts = Changed<wire.RestoreBody, "id">;
export type RelateOpts = Changed<wire.RelateBody, "from" | "to">;
export type ManifestOpts = Asked<wire.StrandManifestQuery>;
export type ProposalsOpts = Asked<wire.ProposalsQuery>;
export type InboxOpts = Asked<wire.InboxQuery>;
export type AcceptOpts = Changed<wire.AcceptBody, "key">;
export type ProjectsOpts = Asked<wire.ProjectsQuery>;
export type CreateProjectOpts = Changed<wire.CreateProjectBody, "project">;
export type ActivateProjectOpts = Changed<wire.ActivateBody, "project">;
export type DeactivateProjectOpts = Changed<wire.DeactivateBody>;
export type ConsolidateOpts = Changed<wire.ConsolidateBody>;

export type AppendOpts = Changed<wire.AppendBody, "type" | "actor" | "payload">;
export type SessionsOpts = Asked<wire.ListSessionsQuery>;
export type ReplayOpts = Asked<wire.ReplaySessionQuery>;
export type RecapOpts = Asked<wire.RecapQuery>;
export type EventOpts = Asked<wire.GetEventQuery>;
export type VerbatimOpts = Asked<wire.VerbatimQuery, "query">;
export type CheckoutOpts = Changed<wire.CheckoutBody, "query">;
export type AssembleOpts = Asked<wire.AssembleContextQuery, "query">;
export type AfterTurnOpts = Changed<wire.AfterTurnBody, "role" | "content">;
export type HandoverOpts = Changed<wire.HandoverBody, "subagentSessionId" | "summary">;
export type TaskOpts = Asked<wire.SessionCapabilitiesQuery>;
export type ReminderOpts = Changed<wire.ReminderBody, "trigger">;
export type SkillOpts = Changed<wire.SkillBody, "action" | "skillId">;
export type SkillsOpts = Asked<wire.ListSkillsQuery>;
export type FeedbackOpts = Changed<wire.FeedbackBody, "entityName" | "entityType" | "feedback">;
export type InvalidateOpts = Changed<wire.InvalidateBody, "entityName">;
export type QueryOpts = Changed<wire.QueryBody, "query">;
export type ExportLogOpts = Asked<wire.ExportLogQuery>;
export type ImportLogOpts = Changed<wire.ImportLogBody, "lines">;
export type SetRefOpts = Changed<wire.SetRefBody, "name">;
export type RefsOpts = Asked<wire.ListRefsQuery>;
export type RefOpts = Asked<wire.ResolveRefQuery, "name">;

export type IngestOpts = Changed<wire.IngestDocumentBody>;
export type DocumentsOpts = Asked<wire.ListDocumentsQuery>;
export type JobsOpts = Asked<wire.ListJobsQuery>;

export type RulesOpts = Asked<wire.ListRulesQuery>;
export type HarnessesOpts = Asked<wire.ListHarnessFilesQuery, "folder">;
export type HarnessSyncOpts = Changed<wire.HarnessSyncBody, "folder">;
export type HarnessRemoveOpts = Changed<wire.HarnessRemoveBody, "folder">;
export type PublishedSkillsOpts = Asked<wire.ListPublishedSkillsQuery>;
export type SkillPublishOpts = Changed<wire.SkillPublishBody, "skillId">;
export type SkillPullOpts = Changed<wire.SkillPullBody>;
export type SkillUnpullOpts = Changed<wire.SkillUnpullBody>;
export type AssetsOpts = Asked<wire.ListAssetsQuery>;
export type AssetPublishOpts = Changed<wire.AssetPublishBody, "name">;
export type AssetPullOpts = Asked<wire.PullAssetQuery>;
export type SecretsOpts = Asked<wire.ListSecretsQuery>;
export type RunOpts = Changed<Omit<wire.RunBody, "command" | "environment">>;
export type RunsOpts = Asked<wire.ListRunsQuery>;

/** An event that is handed over; `timestamp` is when it happened, where that is after what is in the log. */
export interface NewEvent {
  type: string;
  actor: string;
  payload: Readonly<Record<string, unknown>>;
  timestamp?: string | Date | null | undefined;
  externalRef?: string | null | undefined;
}
