// Made from the daemon's code by `make docs`; do not edit.

export interface AcceptBody {
  /** Of a proposed memory in the inbox. */
  key: string;
  /** Other words for it. */
  text?: string | null | undefined;
  /** Made from the text when absent. */
  title?: string | null | undefined;
  /** Another kind than was proposed. */
  kind?: string | null | undefined;
  /** Another project than that of the session. */
  project?: string | null | undefined;
}

export interface Accepted {
  key: string;
  id: string;
  /** As of a write: `merged` when a memory said it already. */
  status: "created" | "merged" | "superseded" | "noop";
  degraded?: string | null;
}

/** A request that does it, as it stands. */
export interface Action {
  name: string;
  label: string;
  method: "POST" | "PATCH";
  route: string;
  body: Record<string, unknown>;
}

export interface ActivateBody {
  /** The name of the project. */
  project: string;
  /** For this session alone; without it wherever no session says otherwise. */
  session?: string | null | undefined;
}

export interface ActiveProject {
  /** That is active now; null for none. */
  project: string | null;
  status: "activated" | "deactivated";
}

export interface AffectedCode {
  /** 1 for who calls it, 2 for who calls those, … */
  distance: number;
  relation: "calls" | "uses" | "extends" | "imports";
  source: string;
  path: string;
  /** Null for what stands in no symbol: the file itself. */
  symbol: string | null;
  line: number;
  /** Through which symbol it is reached. */
  via: string;
  test?: boolean;
  /** Told from the name of a method, without knowing on what it is called. */
  likely?: boolean;
}

export interface AfterTurnBody {
  /** Who said it, such as `user` or `assistant`. */
  role: string;
  /** What was said. */
  content: string;
  /** What to look for; what was said when absent. */
  query?: string | null | undefined;
  /** Where the turn comes from. Default: `"agent"`. */
  source?: string | undefined;
  /** How many facts at most. Default: `10`. */
  limit?: number | undefined;
  /** How many of the last events are told. Default: `20`. */
  maxRecentEvents?: number | undefined;
  /** The whole answer fits in so many tokens. Default: `4000`. */
  maxTokens?: number | undefined;
}

export interface AppendBody {
  /** A dotted name such as `decision.made`. */
  type: string;
  /** Who did it. */
  actor: string;
  /** What happened; credentials in it are replaced before it is kept. */
  payload: Record<string, unknown>;
  /** Where it was taken from. A session takes one of a name once. */
  externalRef?: string | null | undefined;
}

export interface AppendedEvent {
  sessionId: string;
  seq: number;
  hash: string;
  citation: string;
  /** The memory that the event became. */
  memory?: LearnedMemory | null;
  /** What could not be done yet, though the event is safe. */
  degraded?: string | null;
}

export interface ArchivedSession {
  sessionId: string;
  status: "archived" | "restored";
}

export interface AskedProgram {
  session: string;
  at: string;
  /** What it proposed, or why it failed. */
  outcome: string;
}

export interface AssembledContext {
  sessionId: string;
  /** The point of the session that was asked about. */
  ref: Ref | null;
  prompt: string;
  contexts: (Record<string, unknown>)[];
  replayEventCount: number;
  compacted: boolean;
  assemblyPolicy: Record<string, unknown>;
  contextCounts: Record<string, number>;
  workingSet: Record<string, unknown>;
  truncated: boolean;
  tokensUsed: number;
}

/** A file that a team shares, as its note tells of it. */
export interface Asset {
  /** Of its note. */
  id: string;
  name: string;
  /** What it is for: `prompt`, `template`, `snippet` or `file`. */
  type: string;
  /** Guessed from the name. */
  mediaType: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of what is in it. */
  hash: string;
  /** How many contents it has had. */
  version: number;
  owner: string | null;
  visibility: string;
  project: string | null;
  description: string;
  updated: string;
  /** `deleted` when it was tombstoned: whoever has it takes it away. */
  status: string;
}

export interface AssetList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  assets: Asset[];
}

export interface AssetPublishBody {
  /** The name of the file. */
  name: string;
  /** What is in it, as text. */
  text?: string | null | undefined;
  /** What is in it, as bytes. */
  base64?: string | null | undefined;
  /** What it is for. Default: `"file"`. */
  type?: "prompt" | "template" | "snippet" | "file" | undefined;
  /** What it is, in a few words. */
  description?: string | undefined;
  /** For whom it is; a project's for its members, else the team. */
  visibility?: "private" | "project" | "team" | null | undefined;
  /** The project that it belongs to; none unless you say so. */
  project?: string | null | undefined;
  /** Also a text that holds what looks like a credential. */
  allowSecrets?: boolean | undefined;
}

export interface Bootstrap {
  mode: "session_start";
  sessionId: string;
  workspace: string | null;
  currentTask: string | null;
  capabilities: Capabilities;
  startupSequence: (Record<string, unknown>)[];
  trustPolicy: Record<string, string>;
  prompt: string;
}

export interface Capabilities {
  sessionId: string;
  currentTask: string | null;
  purpose: string;
  recommendedNextCall: Record<string, unknown>;
  reminderPolicy: Record<string, unknown>;
  ambientLoop: Record<string, unknown>;
  tools: (Record<string, string>)[];
  status: Record<string, unknown>;
  prompt: string;
}

export interface CapabilitiesBody {
  /** What the agent is about to do. */
  currentTask?: string | null | undefined;
}

export interface CaptureBody {
  /** Sessions of this folder, and of what lies in it. */
  folder?: string | null | undefined;
  /** Sessions of every folder. */
  all?: boolean | undefined;
}

export interface CaptureState {
  on: boolean;
  folders: string[];
  all: boolean;
  hosts: string[];
  distill: DistillState;
}

export interface Checkout {
  sessionId: string;
  query: string;
  /** All of it as a text for a model. */
  prompt: string;
  workingSet: Record<string, unknown>;
  /** The point of the session that was asked about. */
  ref: Ref | null;
  currentFacts: (Record<string, unknown>)[];
  evidence: (Record<string, unknown>)[];
  /** What was found, also what no longer holds: that has a `valid_to`. */
  provenance: (Record<string, unknown>)[];
  retention: Record<string, unknown>;
  warnings: string[];
  guidance: Record<string, unknown>;
  quality: CheckoutQuality;
  diagnostics: Record<string, unknown>;
  contextCounts: Record<string, number>;
  replayEventCount: number;
  tokenEfficiency: Record<string, unknown>;
  compacted: boolean;
  assemblyPolicy: Record<string, unknown>;
  purpose: string | null;
  truncated: boolean;
  tokensUsed: number;
}

export interface CheckoutBody {
  /** The question. */
  query: string;
  /** The number of an event. Default: `1`. */
  replayFromSeq?: number | undefined;
  /** How many facts at most. Default: `10`. */
  limit?: number | undefined;
  /** How many of the last events are told. Default: `20`. */
  maxRecentEvents?: number | undefined;
  /** Up to this point of a session, as it was known then: `HEAD` or `refs/…`. A ref names its own session. */
  ref?: string | null | undefined;
  /** The whole answer fits in so many tokens. Default: `4000`. */
  maxTokens?: number | undefined;
  /** What it is for; it is repeated in the answer. */
  purpose?: string | null | undefined;
}

export interface CheckoutQuality {
  confidence: number;
  answerability: "answer_from_memory" | "refresh_recommended" | "ask_user";
  requiredAction: Record<string, unknown> | null;
  reasons: string[];
}

export interface CitedEvent {
  sessionId: string;
  event: LoggedEvent;
  /** The memory that it became, if it did. */
  memoryId: string | null;
}

export interface CitingMemory {
  id: string;
  title: string;
}

export interface Client {
  name: string;
  project: string | null;
  sessionCount: number;
  transport: "mcp" | "rest" | "page";
  lastSeen: string;
}

export interface Cluster {
  cluster: number;
  /** Up to three words that tell it from the others. */
  terms: string[];
  x: number;
  y: number;
  count: number;
}

export interface CodeImpact {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  /** Those that are meant by the name. */
  symbols: CodeSymbol[];
  affected: AffectedCode[];
  /** How many are affected; 500 are looked for. */
  total: number;
  /** How many of them are tests. */
  tests: number;
  /** Memories whose text names it as `code:path::symbol`. */
  memories: CitingMemory[];
}

export interface CodeNeighbor {
  symbol: string;
  relation: "calls" | "uses" | "extends" | "imports";
  /** `in` for who mentions it, `out` for what it mentions. */
  direction: "in" | "out";
  /** Null for what stands in no symbol. */
  other: string | null;
  source: string;
  path: string;
  line: number;
}

export interface CodeNeighborhood {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  symbols: CodeSymbol[];
  neighbors: CodeNeighbor[];
}

export interface CodeSymbol {
  /** With the class that it is of: `Gateway.retry`. */
  name: string;
  kind: string;
  /** The name of the source. */
  source: string;
  path: string;
  line: number;
  endLine: number;
  /** It stands in a test. */
  test?: boolean;
}

export interface CodeSymbols {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  symbols: CodeSymbol[];
}

export interface CodeTour {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  source: string;
  /** How many there are, without tests. */
  files: number;
  stops: TourStop[];
}

export interface OpenConflict {
  code: string;
  id?: string | null;
  paths?: string[];
  path?: string | null;
  line?: number | null;
  reason?: string | null;
  remedy?: string | null;
  detail?: string | null;
}

export interface Conflicts {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  conflicts: OpenConflict[];
}

export interface ConnectSourceBody {
  /** A folder of the daemon's machine, from its root. */
  path: string;
  /** Default: that of the folder. */
  name?: string | null | undefined;
  /** Of which it is; without one it holds everywhere. */
  project?: string | null | undefined;
  /** For whom it is beside who connects it; default: the members of its project. */
  visibility?: "private" | "project" | "team" | null | undefined;
}

export interface ConnectedSource {
  id: string;
  name: string;
  /** Told to the owner of the machine, and to who connected it. */
  folder?: string | null;
  /** Null when it holds everywhere. */
  project: string | null;
  /** Who connected it, in a team. */
  owner?: string | null;
  visibility: "private" | "project" | "team";
  /** `unreachable` when its folder cannot be listed: what was known of it is kept. */
  state: "waiting" | "indexing" | "ready" | "unreachable";
  /** How many are searched. */
  files: number;
  lines: number;
  /** That is checked out, in a repository. */
  commit: string | null;
  /** When everything was looked at last. */
  looked: string | null;
  created: string;
  /** `known` when it was connected already. */
  status: "connected" | "known";
}

export interface ConsolidateBody {
  /** Proposals to apply; none means all certain ones. */
  ids?: string[] | undefined;
}

export interface ConsolidateResult {
  applied: Proposal[];
  remaining: number;
}

export interface ContextBody {
  /** What the agent is about to do. */
  task: string;
  /** Default: `"project"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
  /** As in a search: `project`, `kind`, `tag`, … */
  filters?: Record<string, string> | undefined;
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  format?: "concise" | "detailed" | null | undefined;
  responseFormat?: "concise" | "detailed" | null | undefined;
  rerank?: boolean | undefined;
  /** Say also what each memory costs, and what was left out and why. */
  explain?: boolean | undefined;
  /** The explanation fits in so many tokens of its own. Default: `4000`. */
  explainTokens?: number | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
}

export interface CreateProjectBody {
  /** The name of the project. */
  project: string;
  /** The names of users, besides whoever creates it. */
  members?: string[] | undefined;
  idempotencyKey?: string | null | undefined;
}

export interface DeactivateBody {
  /** For this session alone; without it wherever no session says otherwise. */
  session?: string | null | undefined;
}

export interface DeletedProject {
  project: string;
  id: string;
  status: "deleted";
  /** How many memories were forgotten with it. */
  forgotten: number;
}

export interface DeletedSecret {
  name: string;
  status: "deleted";
}

export interface Diff {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  id: string;
  from: string;
  /** Null for the file as it is. */
  to: string | null;
  /** A unified diff of the file; empty when both are the same. */
  diff: string;
}

export interface Disk {
  vaultBytes: number;
  stateBytes: number;
  freeBytes: number;
}

export interface DismissBody {
  /** Of an item of the inbox. */
  key: string;
}

export interface DismissedItem {
  key: string;
  status: "dismissed";
}

/** The program that proposes memories of sessions that have ended. */
export interface DistillState {
  on: boolean;
  /** How often it was asked within 24 hours. */
  today: number;
  perDay: number;
  last: AskedProgram | null;
}

export interface DocumentDetails {
  /** Of its first note; any of its notes stands for it. */
  id: string;
  title: string;
  uri: string;
  sha256: string;
  /** How many there are. */
  notes: number;
  /** How many there should be: one with a credential in it is left out. */
  parts: number;
  created: string;
  /** Its file is gone. */
  vanished?: boolean;
  /** Its notes. */
  items: DocumentPart[];
}

export interface DocumentList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  documents: DocumentSummary[];
}

export interface DocumentPart {
  id: string;
  title: string;
  part: number;
  /** Where in the file: `pages 3-5`, `lines 1-80`. */
  place?: string | null;
}

export interface DocumentProblem {
  /** The file. */
  name: string;
  reason: string;
}

export interface DocumentSummary {
  /** Of its first note; any of its notes stands for it. */
  id: string;
  title: string;
  uri: string;
  sha256: string;
  /** How many there are. */
  notes: number;
  /** How many there should be: one with a credential in it is left out. */
  parts: number;
  created: string;
  /** Its file is gone. */
  vanished?: boolean;
}

export interface Edge {
  rel: string;
  to: string;
}

export interface EmbedderState {
  model: string | null;
  dimensions: number | null;
  lag: number;
  cacheHits: number;
  cacheMisses: number;
  degraded: string | null;
}

export interface EraseEventBody {
  /** The number of an event. */
  seq: number;
  /** Its hash, or the first 12 digits or more of it. */
  hash?: string | null | undefined;
  /** Erase every event from `seq` to this number, 10,000 at most. */
  through?: number | null | undefined;
}

export interface ErasedEvent {
  sessionId: string;
  seq: number;
  hash: string;
  /** How many events were erased. */
  erased: number;
  /** A memory that was made of it; it is not erased with it. */
  memoryId: string | null;
}

export interface Event {
  /** Grows from event to event. */
  seq: number;
  time: string;
  what: "learned" | "changed" | "forgotten" | "restored" | "superseded" | "merged" | "erased" | "moved" | "gone" | "refused";
  /** The memory; empty for a write that was refused. */
  id: string;
  /** Empty for what was erased. */
  title: string;
  kind?: string | null;
  project?: string | null;
  /** Null for what happened before the journal began. */
  who: "agent" | "person" | "sync" | "helix" | null;
  /** Of the agent, where it is known. */
  name: string | null;
  path: string;
  /** What else there is to say: which memory replaced it, which copy was folded in. */
  detail: string;
}

export interface EventToIngest {
  type: string;
  actor: string;
  payload: Record<string, unknown>;
  timestamp?: string | null;
  externalRef?: string | null;
}

export interface ExplainedPack {
  /** The memories, fenced as data. */
  context: string;
  citations: string[];
  /** Memories that did not fit, or said the same. */
  dropped: number;
  truncated: boolean;
  tokensUsed: number;
  note?: string | null;
  degraded?: string | null;
  /** With `explain`: what is in the pack, in its order. */
  parts?: Part[] | null;
  /** With `explain`: what is not memory: headings, fences, citations, the answer around them. */
  overheadTokens?: number | null;
  /** With `explain`: what was found and is not in it. */
  leftOut?: LeftOut[] | null;
  /** With `explain`: memories for which `explain_tokens` had no room. */
  unexplained?: number | null;
}

export interface ExportedLog {
  sessionId: string;
  /** The hash of the last event of the chain; give it with `from_seq`. */
  head: string;
  /** Lines of the log, as they were sealed; never cut. */
  lines: string[];
  /** Where it goes on; null at the end. */
  nextSeq: number | null;
}

export interface FactRow {
  content: string;
  source: "exact" | "vector" | "keyword";
  score: number;
  validFrom: string | null;
  /** Until when it holds, or held; null when nothing says so. */
  validTo: string | null;
  citation: string;
  entityName: string;
  entityType: string;
  memoryId: string | null;
  /** The session that stated it. */
  sessionId: string | null;
  /** Where the score comes from; when it was asked for. */
  scoreExplanation?: Record<string, unknown> | null;
  truncated?: boolean;
}

export interface FactList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  facts: FactRow[];
}

export interface FeedbackBody {
  /** The id of a memory, its title, or the citation of its event. */
  entityName: string;
  /** Such as `memory` or `decision`. */
  entityType: string;
  /** What the answer was to whoever got it. */
  feedback: "used" | "helpful" | "irrelevant";
  /** The question that it answered: the feedback counts most for such. */
  query?: string | null | undefined;
  /** The citation that the answer had. */
  citation?: string | null | undefined;
  /** The score that it had. */
  score?: number | null | undefined;
  reason?: string | null | undefined;
  importance?: number | null | undefined;
  /** Through what it was said. */
  source?: string | null | undefined;
  /** Who says so. Default: `"agent"`. */
  actor?: string | undefined;
  purpose?: string | null | undefined;
  outcome?: string | null | undefined;
}

export interface GivenFeedback {
  sessionId: string;
  seq: number;
  hash: string;
  eventType: string;
  citation: string;
  /** The memory that is found a little better, or worse; null when none has this name. */
  memoryId: string | null;
  degraded?: string | null;
}

export interface FileBody {
  ids: string[];
  /** The project that they are of. */
  project: string;
  idempotencyKey?: string | null | undefined;
}

export interface FileLeftOut {
  path: string;
  reason: string;
}

export interface FileResult {
  status: "filed" | "noop";
  project: string;
  /** The ids of those that were not of this project before. */
  filed: string[];
  degraded?: string | null;
}

export interface ForgetBody {
  id: string;
  /** `hard` erases the text for good. Default: `"tombstone"`. */
  mode?: "tombstone" | "hard" | undefined;
  idempotencyKey?: string | null | undefined;
}

export interface ForgetResult {
  id: string;
  status: "forgotten" | "noop";
  deletedAt?: string | null;
  degraded?: string | null;
}

export interface ForgottenDocument {
  id: string;
  status: "forgotten";
  /** Its notes. */
  forgotten: string[];
}

export interface FreezeBody {
  /** Why; whoever is refused is told. */
  reason?: string | undefined;
}

export interface Freezing {
  /** Since when, by whom and why; null when it is not frozen. */
  frozen: FrozenState | null;
}

export interface FrozenState {
  since: string;
  by: string;
  reason: string;
}

export interface Git {
  branch: string | null;
  /** Files that differ from the last commit. */
  dirty: number | null;
  ahead: number | null;
  behind: number | null;
  autocommit: boolean;
  /** Why there is nothing to say. */
  error: string | null;
}

export interface Graph {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  nodes: GraphNode[];
  edges: GraphLink[];
}

export interface Handover {
  sessionId: string;
  /** The point of the session that was asked about. */
  ref: Ref | null;
  prompt: string;
  contexts: (Record<string, unknown>)[];
  replayEventCount: number;
  compacted: boolean;
  assemblyPolicy: Record<string, unknown>;
  contextCounts: Record<string, number>;
  workingSet: Record<string, unknown>;
  truncated: boolean;
  tokensUsed: number;
  /** What the subagent's session leaves: goals, open tasks. */
  summary: Record<string, unknown>;
  integrityOk: boolean;
}

export interface HandoverBody {
  /** 1 to 128 letters, digits, `_`, `-` and `.`. */
  subagentSessionId: string;
  /** What came of it. */
  summary: string;
  /** The question. Default: `"subagent handoff"`. */
  query?: string | undefined;
  /** How many facts at most. Default: `10`. */
  limit?: number | undefined;
  /** The whole answer fits in so many tokens. Default: `4000`. */
  maxTokens?: number | undefined;
}

/** A file of a project that harnesses read at their start. */
export interface HarnessFile {
  /** From the folder of the project. */
  file: string;
  /** Who reads it. */
  harnesses: string[];
  /** How its block stands: not there, as the notes say, as they said before, changed by hand, or not to be told from the rest. */
  state: "absent" | "current" | "outdated" | "edited" | "damaged";
  /** What is wrong with it; empty when nothing is. */
  problem: string;
}

export interface HarnessFiles {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  files: HarnessFile[];
}

export interface HarnessRemoveBody {
  /** The folder of a project, on the machine of the daemon, from the root. */
  folder: string;
  /** The names of harnesses; none means those that the project is worked on with. */
  harnesses?: string[] | undefined;
  /** Also a block that somebody changed by hand. */
  force?: boolean | undefined;
  /** Tell what would change, and change nothing. */
  dryRun?: boolean | undefined;
}

export interface HarnessSyncBody {
  /** The folder of a project, on the machine of the daemon, from the root. */
  folder: string;
  /** The project of the rules, beside those that hold everywhere. */
  project?: string | null | undefined;
  /** The names of harnesses; none means those that the project is worked on with. */
  harnesses?: string[] | undefined;
  /** Also a block that somebody changed by hand. */
  force?: boolean | undefined;
  /** Tell what would change, and change nothing. */
  dryRun?: boolean | undefined;
}

export interface Health {
  state: "starting" | "ready" | "degraded";
  reasons: Reason[];
  version: string;
  vault: string;
  uptimeSeconds: number;
  memories: Record<string, number>;
  problems: number;
  conflicts: number;
  waiting: number;
  watcher: string;
  watcherRestarts: number;
  lastScanSeconds: number | null;
  autocommitError: string | null;
  index: IndexState | null;
  consolidation: Upkeep;
}

export interface Hit {
  id: string;
  text: string;
  title?: string | null;
  kind?: string | null;
  scope?: string | null;
  project?: string | null;
  status?: string | null;
  tags?: string[];
  edges?: Edge[];
  /** Where it comes from, such as `agent=claude-code session=s-81`. */
  source?: string | null;
  created?: string | null;
  updated?: string | null;
  deleted?: string | null;
  validFrom?: string | null;
  validUntil?: string | null;
  importance?: number | null;
  /** The user whose it is, in a team. */
  owner?: string | null;
  /** For whom it is beside its owner; absent where nobody owns it. */
  visibility?: string | null;
  path?: string | null;
  hash?: string | null;
  /** Its properties cannot be read: it is known by its text alone, and cannot be changed. */
  propertiesUnread?: boolean | null;
  extra?: Record<string, unknown>;
  score?: number | null;
  reasons?: Record<string, number>;
  /** The text is a part of the memory, which has about so many tokens; `get` reads it whole. */
  more?: number | null;
  /** Of a document: the place in its file, as in `/papers/retries.pdf#page=3`. */
  citation?: string | null;
  /** Nothing fits: it is merely what is nearest. */
  nearest?: boolean;
  truncated?: boolean;
}

export interface SearchResult {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  results: Hit[];
  note?: string | null;
  degraded?: string | null;
  suggestions?: string[];
  confidence?: number | null;
}

export interface Host {
  name: string;
  title: string;
  files: HostFiles;
  language: string;
  /** What its file holds to start `helix-mcp`. */
  fragment: string;
  /** What its file holds to connect to this daemon; null if it cannot. */
  httpFragment: string | null;
  command: string;
}

export interface HostFiles {
  user: string | null;
  project: string | null;
}

export interface Hosts {
  hosts: Host[];
}

export interface ImportLogBody {
  /** Lines of a log that follow each other, as they were sealed. */
  lines: string[];
  /** The number of the first of them in its file. Default: `1`. */
  firstLine?: number | undefined;
  /** Take lines with credentials in them too. */
  allowSecrets?: boolean | undefined;
}

export interface ImportedLog {
  sessionId: string;
  imported: number;
  /** Events that were there already. */
  known: number;
  /** Memories that were written or changed. */
  memories: number;
  degraded?: string | null;
}

/** The first page also counts what there is. */
export interface Inbox {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  items: InboxItem[];
  counts?: Record<string, number> | null;
  /** Every memory is being looked at; what is proposed is from the look before. */
  looking?: boolean | null;
}

export interface InboxItem {
  /** Stands for the item as it is now. */
  key: string;
  what: "proposed" | "unreadable" | "unmerged" | "waiting-to-merge" | "duplicate" | "contradiction" | "expired" | "stale-task" | "dangling-link" | "skill-edit" | "stale-code" | "secret-refused";
  id: string | null;
  title: string | null;
  /** The memory that would stand in its place; of a dangling link what it names. */
  other: string | null;
  otherTitle: string | null;
  path: string | null;
  line: number | null;
  reason: string;
  remedy: string;
  detail: string;
  actions: Action[];
  proposal?: ProposedMemory | null;
}

export interface IndexSourceBody {
  /** Read every file again, not only those that changed. */
  anew?: boolean | undefined;
}

export interface IndexState {
  memories: number;
  indexLag: number;
  model: string | null;
  degraded: string | null;
  /** How far the embedding is while it is under way. */
  indexing: Indexing | null;
  cacheHits: number;
  cacheMisses: number;
}

export interface Indexing {
  /** Memories that are found by their meaning already. */
  done: number;
  total: number;
  /** Until it is complete, at its pace so far; null when it has just begun. */
  seconds: number | null;
  /** The same in words: `indexing 412 of 1,000, about 20 s`. */
  message: string;
}

export interface IngestBody {
  events: EventToIngest[];
}

/** Files by what became of them, and the notes that were made. */
export interface IngestCounts {
  /** New documents. Default: `0`. */
  created?: number;
  /** Documents that changed: a new version. Default: `0`. */
  superseded?: number;
  /** Documents of which parts were missing. Default: `0`. */
  completed?: number;
  /** Default: `0`. */
  unchanged?: number;
  /** Documents whose file has another name now. Default: `0`. */
  moved?: number;
  /** Copies of a document that is there: one of them is enough. Default: `0`. */
  same?: number;
  /** Documents that were forgotten here, and stay so. Default: `0`. */
  forgotten?: number;
  /** Notes that were made. Default: `0`. */
  notes?: number;
  /** Files, or parts of them, that were not taken in. Default: `0`. */
  problems?: number;
}

/** A path of this machine, or a document as text or base64 with its name. */
export interface IngestDocumentBody {
  /** A file or folder of this machine, from its root. */
  path?: string | null | undefined;
  /** The document itself, where it is text. */
  text?: string | null | undefined;
  /** The document itself, as base64. */
  base64?: string | null | undefined;
  /** Its file name, which says what it is; the same name again is the same document. */
  name?: string | null | undefined;
  /** Made from the document when it is not given. */
  title?: string | null | undefined;
  /** Default: `"project"`. */
  scope?: "project" | "global" | "session" | undefined;
  /** Default: the header `Helix-Project`. */
  project?: string | null | undefined;
  tags?: string[] | undefined;
}

export interface IngestedEvents {
  sessionId: string;
  imported: number;
  /** Events whose `external_ref` the session has already. */
  deduped: number;
  /** One for each that was given, in their order. */
  events: SealedEvent[];
  degraded?: string | null;
}

/** What became of a document whose content was sent, or of the job that sees to a path. */
export interface IngestedDocument {
  /** `job` for a path: what becomes of it is told by the job. */
  status: "created" | "superseded" | "completed" | "unchanged" | "moved" | "same" | "forgotten" | "job";
  jobId?: string | null;
  /** The notes of the document, in their order. */
  ids: string[];
  problems: DocumentProblem[];
}

export interface InvalidateBody {
  /** What it was stated as, or the id of a memory, its title, or the citation of its event. */
  entityName: string;
  /** Such as `decision`, `preference`, `issue`, `task`; `memory` is any. Default: `"memory"`. */
  entityType?: string | undefined;
  /** Since when it no longer holds; now, unless it is said. */
  invalidAt?: string | null | undefined;
  reason?: string | null | undefined;
  /** Who says so. Default: `"agent"`. */
  actor?: string | undefined;
}

export interface Invalidation {
  /** The session whose log says so: the one that stated it. */
  sessionId: string;
  /** `noop`: it held no longer already. */
  status: "invalidated" | "noop" | "nothing_matched";
  memoryId: string | null;
  /** Until when the memory held. */
  validUntil?: string | null;
  seq?: number | null;
  hash?: string | null;
  citation?: string | null;
  degraded?: string | null;
}

export interface JobDetails {
  jobId: string;
  kind: "ingest";
  /** What it is about: a folder or a file. */
  subject: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  done: number;
  total: number;
  created: string;
  updated: string;
  counts: IngestCounts;
  /** The first 500; `counts` has how many there are. */
  problems: DocumentProblem[];
  /** Documents whose file is gone; their notes stay until they are forgotten. */
  vanished: VanishedDocument[];
  /** Files that are no documents, by the end of their names. */
  ignored: Record<string, number>;
  /** Why it failed. */
  error: string | null;
}

export interface JobList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  jobs: JobSummary[];
}

export interface JobSummary {
  jobId: string;
  kind: "ingest";
  /** What it is about: a folder or a file. */
  subject: string;
  state: "queued" | "running" | "done" | "failed" | "cancelled";
  done: number;
  total: number;
  created: string;
  updated: string;
}

export interface Ref {
  name: string;
  sessionId: string;
  targetSeq: number;
  targetHash: string;
  refType: string;
  updatedAt: string;
}

export interface LearnedFrom {
  id: string;
  title: string;
  kind: string | null;
  status: string;
}

export interface LearnedMemory {
  id: string;
  /** `created`, `merged`, `superseded` or `noop`, as a write answers; or `closed`. */
  status: string;
}

export interface LeftOut {
  id: string;
  title: string;
  tokens: number;
  score: number | null;
  reason: "over-budget" | "says-the-same" | "contradicted" | "superseded" | "forgotten" | "below-gate" | "not-in-scope" | "unreadable";
  why: string;
}

export interface GraphLink {
  from: string;
  to: string;
  rel: string;
  /** Nothing answers to what it names. */
  dangling?: boolean;
}

export interface LogProblem {
  path: string;
  line: number;
  reason: string;
}

export interface LoggedEvent {
  seq: number;
  timestamp: string;
  type: string;
  actor: string;
  thread: string;
  payload: Record<string, unknown>;
  security: Record<string, unknown> | null;
  prevHash: string | null;
  hash: string;
  citation: string;
  /** Its content was erased; the hash is that of what was there. */
  erasedAt?: string | null;
}

/** The first page also says which clusters there are. */
export interface Map {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  points: Point[];
  clusters?: Cluster[] | null;
  /** How the vectors came to lie on a plane. */
  method?: string | null;
  /** Memories that are not embedded yet, and so not on the map. */
  waiting?: number | null;
}

/** A note that its owner marked as a rule. */
export interface MarkedRule {
  id: string;
  title?: string;
  text: string;
  importance?: number | null;
  created?: string;
  /** It did not fit whole: `max_tokens` was too small. */
  truncated?: boolean;
}

export interface MemberBody {
  /** The name of the project. */
  project: string;
  /** The name of a user. */
  user: string;
}

export interface Memories {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  results: Memory[];
}

export interface Memory {
  id: string;
  text: string;
  title?: string | null;
  kind?: string | null;
  scope?: string | null;
  project?: string | null;
  status?: string | null;
  tags?: string[];
  edges?: Edge[];
  /** Where it comes from, such as `agent=claude-code session=s-81`. */
  source?: string | null;
  created?: string | null;
  updated?: string | null;
  deleted?: string | null;
  validFrom?: string | null;
  validUntil?: string | null;
  importance?: number | null;
  /** The user whose it is, in a team. */
  owner?: string | null;
  /** For whom it is beside its owner; absent where nobody owns it. */
  visibility?: string | null;
  path?: string | null;
  hash?: string | null;
  /** Its properties cannot be read: it is known by its text alone, and cannot be changed. */
  propertiesUnread?: boolean | null;
  extra?: Record<string, unknown>;
}

export interface MemoryPage {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  id: string;
  text: string;
  title?: string | null;
  kind?: string | null;
  scope?: string | null;
  project?: string | null;
  status?: string | null;
  tags?: string[];
  edges?: Edge[];
  /** Where it comes from, such as `agent=claude-code session=s-81`. */
  source?: string | null;
  created?: string | null;
  updated?: string | null;
  deleted?: string | null;
  validFrom?: string | null;
  validUntil?: string | null;
  importance?: number | null;
  /** The user whose it is, in a team. */
  owner?: string | null;
  /** For whom it is beside its owner; absent where nobody owns it. */
  visibility?: string | null;
  path?: string | null;
  hash?: string | null;
  /** Its properties cannot be read: it is known by its text alone, and cannot be changed. */
  propertiesUnread?: boolean | null;
  extra?: Record<string, unknown>;
}

/** All that is told of a secret: there is no way to read its value. */
export interface NamedSecret {
  name: string;
  /** How many values it has had. */
  version: number;
  created: string;
  updated: string;
  /** When a program was given it last. */
  lastUsed: string | null;
}

export interface Neighbor {
  id: string;
  title?: string | null;
  kind?: string | null;
  project?: string | null;
  status?: string | null;
  distance: number;
  edge: GraphLink;
  /** further edges that lead to it from as near */
  moreEdges?: GraphLink[] | null;
}

export interface Neighbors {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  neighbors: Neighbor[];
}

export interface GraphNode {
  id: string;
  title: string;
  kind: string;
  project?: string | null;
  status?: string | null;
}

export interface ContextPack {
  /** The memories, fenced as data. */
  context: string;
  citations: string[];
  /** Memories that did not fit, or said the same. */
  dropped: number;
  truncated: boolean;
  tokensUsed: number;
  note?: string | null;
  degraded?: string | null;
}

export interface Part {
  id: string;
  title: string;
  /** Under which heading of the pack it stands. */
  section: string;
  tokens: number;
  /** Null for a preference that holds whatever the task is. */
  score: number | null;
}

export interface PhasesBody {
  phases: string[];
  /** Default: `4096`. */
  budgetTokens?: number | undefined;
  /** Default: `"project"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
  /** The same key in the same session gets the same bundle. */
  idempotencyKey?: string | null | undefined;
}

export interface Point {
  id: string;
  title: string;
  kind: string;
  project: string | null;
  /** From -1 to 1. */
  x: number;
  /** From -1 to 1. */
  y: number;
  cluster: number;
}

export interface Problem {
  /** What is wrong and what to do, in a sentence. */
  error: string;
  /** The same in kebab-case, for programs; it stays as it is between versions. */
  code: string;
}

export interface ProjectBody {
  /** The name of the project. */
  project: string;
}

export interface ProjectChange {
  project: string;
  /** Of the note that says who is a member. */
  id: string;
  status: "created" | "updated" | "noop";
  owner: string | null;
  /** All of them, the owner too. */
  members: string[];
}

export interface ProjectSummary {
  project: string;
  memories: number;
  /** When one of them was last changed. */
  updated: string | null;
  /** Whose it is, where that was said. */
  owner?: string | null;
  /** All of them, the owner too. */
  members?: string[];
  /** What names no project is asked and written there. */
  isActive?: boolean;
}

/** The first page also counts what no project is said of. */
export interface Projects {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  projects: ProjectSummary[];
  /** Memories of which nobody has said of which project they are. */
  unfiled?: number | null;
}

export interface Proposal {
  id: string;
  what: string;
  memory: string;
  other: string | null;
  reason: string;
  action: string;
  certain: boolean;
}

export interface Proposals {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  proposals: Proposal[];
}

/** What was said in a session and may be worth a memory. */
export interface ProposedMemory {
  text: string;
  title: string | null;
  kind: string;
  project: string | null;
  /** `said`: a sentence of a turn. `fix`: a command failed, and passed after edits. */
  rule: "said" | "fix" | "program";
  session: string;
  /** The event that says it. */
  uri: string;
  saidBy: string;
  saidAt: string;
  /** In how many places it is said. */
  times: number;
}

export interface PublishedAsset {
  id: string;
  name: string;
  version: number;
  hash: string;
  /** `noop` when it was published so already. */
  status: "created" | "updated" | "noop";
  degraded?: string | null;
}

export interface PublishedSkillList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  skills: SkillListed[];
}

/** With what is in it, unless who asks has that. */
export interface PulledAsset {
  /** Of its note. */
  id: string;
  name: string;
  /** What it is for: `prompt`, `template`, `snippet` or `file`. */
  type: string;
  /** Guessed from the name. */
  mediaType: string;
  /** Bytes. */
  size: number;
  /** SHA-256 of what is in it. */
  hash: string;
  /** How many contents it has had. */
  version: number;
  owner: string | null;
  visibility: string;
  project: string | null;
  description: string;
  updated: string;
  /** `deleted` when it was tombstoned: whoever has it takes it away. */
  status: string;
  /** None when who asks has it already, and of one that was tombstoned. */
  base64: string | null;
}

/** A skill in the folder of a harness. */
export interface PulledFile {
  name: string;
  harness: string;
  path: string;
  /** `edited` by a person and `taken` by something else are left as they are. */
  state: "written" | "current" | "edited" | "taken" | "removed";
  problem: string;
}

export interface PulledSkills {
  dryRun: boolean;
  skills: PulledFile[];
  /** Notes that propose what persons changed in their copies. */
  proposed: string[];
}

export interface PurgedCapture {
  on: boolean;
  sessions: number;
  events: number;
}

export interface PurgedSource {
  id: string;
  name: string;
  status: "purged";
  /** How many were searched. The folder itself was not touched. */
  files: number;
}

export interface QueryBody {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The question. */
  query: string;
  /** What held at this time, as far as is known today; now, unless it is said. */
  heldAt?: string | null | undefined;
  /** Only what these sessions stated; without them all memories. */
  sessionIds?: string[] | undefined;
  /** Up to this point of a session, as it was known then: `HEAD` or `refs/…`. A ref names its own session. */
  ref?: string | null | undefined;
  /** Say where each score comes from. */
  explain?: boolean | undefined;
  /** Default: `10`. */
  limit?: number | undefined;
}

export interface Reason {
  code: string;
  message: string;
  count?: number | null;
}

export interface Recap {
  project: string | null;
  /** Those it is about, the last first. */
  sessions: string[];
  /** A line for each thing, with the event that says it; empty when there is nothing. */
  text: string;
  tokensUsed?: number;
}

export interface SetRef {
  /** `noop`: it led there already. */
  status: "set" | "noop";
  ref: Ref;
  degraded?: string | null;
}

export interface RefList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  refs: Ref[];
}

export interface RelateBody {
  /** The id of the memory that the edge leaves. */
  from: string;
  /** The id of the memory that it leads to. */
  to: string;
  rel: "supersedes" | "depends_on" | "contradicts" | "refines" | "relates_to";
  idempotencyKey?: string | null | undefined;
}

export interface RelateResult {
  edgeId: string;
  status: "created" | "noop";
  degraded?: string | null;
}

export interface RememberBody {
  /** What to remember, in markdown. */
  text: string;
  /** Made from the text when it is not given. */
  title?: string | null | undefined;
  /** `fact`, `preference`, `decision`, `snippet`, `task` or another word. Default: `"fact"`. */
  kind?: string | undefined;
  /** Default: `"project"`. */
  scope?: "project" | "global" | "session" | undefined;
  /** Default: the header `Helix-Project`. Without either it is unfiled, and seen from every project. */
  project?: string | null | undefined;
  tags?: string[] | undefined;
  /** Ids of other memories, by relation. */
  edges?: Partial<Record<"supersedes" | "depends_on" | "contradicts" | "refines" | "relates_to", string[]>> | undefined;
  source?: Source | null | undefined;
  importance?: number | null | undefined;
  validFrom?: string | null | undefined;
  validUntil?: string | null | undefined;
  /** For whom it is beside its owner. Default: what is of a project is for its members, all else private. */
  visibility?: "private" | "project" | "team" | null | undefined;
  /** Properties of one's own in the note, by which a search can filter: `{"namespace": "ops"}`. */
  extra?: Record<string, unknown> | undefined;
  /** A retry with the same key is answered, not repeated. */
  idempotencyKey?: string | null | undefined;
  /** The id of the memory that this one replaces. */
  supersedeHint?: string | null | undefined;
  /** Keep it even if it seems to say nothing, or is there already. */
  force?: boolean | undefined;
  /** Keep it even if it looks like a credential. */
  allowSecrets?: boolean | undefined;
}

export interface Reminder {
  sessionId: string;
  /** What to look at, and why; null when there is no reason. */
  reminder: Record<string, unknown> | null;
}

export interface ReminderBody {
  /** What happened: `session-start`, `resume`, `stop`, `precompact`, `command`, … */
  trigger: string;
  turnCount?: number | null | undefined;
  /** How long a command ran. */
  durationMs?: number | null | undefined;
  /** What the agent is about to do. */
  currentTask?: string | null | undefined;
  /** Which host says so. Default: `"hook"`. */
  source?: string | undefined;
}

export interface RenderBody {
  /** Markdown, such as the text of a memory. */
  text: string;
}

export interface Rendered {
  /** Holds no script, no style, no id, and asks no other host for anything. */
  html: string;
}

export interface Replay {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  sessionId: string;
  /** What it goes up to, when a ref was given. */
  ref?: Ref | null;
  /** Of the whole log; on the first page. */
  integrity?: SessionIntegrity | null;
  events: LoggedEvent[];
}

export interface RestoreBody {
  id: string;
  /** Also turn the text back to this git revision. */
  at?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
}

export interface RestoreResult {
  id: string;
  status: "restored" | "noop";
  memoryStatus: string;
  degraded?: string | null;
}

export interface RouteFigures {
  route: string;
  requests: number;
  /** Answered with 400 or more. */
  failed: number;
  /** Until the answer began; from the buckets of the histogram. */
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface RuleList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  /** Beside what holds everywhere, rules of this project. */
  project?: string | null;
  rules: MarkedRule[];
}

/** A program and its arguments, each apart: there is no shell. */
export interface RunBody {
  /** The program, as the settings name it, and its arguments. */
  command: string[];
  /** Variables of its environment, each with the name of the secret that is in it. */
  environment: Record<string, string>;
  /** Seconds after which it is ended. */
  timeout?: number | null | undefined;
}

export interface RunDetails {
  runId: string;
  /** Who asked for it. */
  by: string;
  /** The program and its arguments. */
  command: string[];
  state: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "cancelled";
  created: string;
  updated: string;
  /** Its variables, each with the name of the secret in it. */
  environment: Record<string, string>;
  /** None until it has ended by itself. */
  exitCode: number | null;
  /** What it printed, with `[REDACTED]` for values; empty until it has ended. */
  stdout: string;
  stderr: string;
  /** Why it was ended, or never began. */
  error: string | null;
}

export interface RunList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  runs: RunSummary[];
}

export interface RunSummary {
  runId: string;
  /** Who asked for it. */
  by: string;
  /** The program and its arguments. */
  command: string[];
  state: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "cancelled";
  created: string;
  updated: string;
}

export interface SealedEvent {
  seq: number;
  hash: string;
}

export interface SecretList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  secrets: NamedSecret[];
}

export interface SecretValueBody {
  /** At least 8 characters. No answer ever has it. */
  value: string;
}

export interface SessionDetails {
  sessionId: string;
  events: number;
  first: string;
  last: string;
  /** The ends of its chains: two where two machines went on at once. */
  heads: SessionHead[];
  actors: string[];
  /** How many events there are of each type. */
  types: Record<string, number>;
  /** Where they are in the vault. */
  files: string[];
  /** Memories whose source names the session, the one that changed last first; up to 100. */
  learned: LearnedFrom[];
}

export interface SessionHead {
  seq: number;
  hash: string;
}

export interface SessionIntegrity {
  ok: boolean;
  totalEvents: number;
  brokenAtSeq: number | null;
  brokenReason: string | null;
  heads: SessionHead[];
  erased: number;
  problems: LogProblem[];
}

export interface SessionSummary {
  sessionId: string;
  events: number;
  first: string;
  last: string;
}

export interface SessionList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  /** How many more are archived. */
  archived: number;
  sessions: SessionSummary[];
}

export interface SetRefBody {
  /** `refs/` and a name. */
  name: string;
  /** The number of the event it leads to; the last one, unless it is said. */
  seq?: number | null | undefined;
  /** Its hash, or the first 12 digits or more of it. */
  hash?: string | null | undefined;
  /** What kind of point it is. Default: `"ref"`. */
  refType?: string | undefined;
  /** Who says so. Default: `"agent"`. */
  actor?: string | undefined;
}

export interface SettleBody {
  /** The id of a memory. */
  id: string;
}

export interface Settled {
  id: string;
  status: "updated" | "merged" | "noop";
  hash: string;
}

export interface Similar {
  id: string;
  title: string;
  why: string;
}

export interface Skill {
  skillId: string;
  name: string;
  /** `proposed`, `validated`, `revised`, `deprecated` or `contradicted`: of its current version. */
  status: string;
  /** The current one: that which was validated or revised last. */
  version: string;
  summary: string | null;
  reason: string | null;
  procedure: string[];
  applicability: string[];
  citations: string[];
  evidence: string[];
  failureModes: string[];
  rollback: string | null;
  last: string;
  /** Its note. */
  memoryId: string | null;
  versions: SkillVersion[];
  truncated?: boolean;
}

export interface SkillAnalytics {
  versionCount: number;
  outcomeCount: number;
  contradictionCount: number;
  /** Versions that went well and never badly; at most five. */
  promotionCandidates: SkillCandidate[];
  /** Versions that were withdrawn or went badly; at most five. */
  rollbackCandidates: SkillCandidate[];
}

export interface SkillBody {
  /** What happened to the skill. */
  action: "proposed" | "validated" | "revised" | "deprecated" | "contradicted" | "applied" | "outcome_recorded";
  /** The name that its events share. */
  skillId: string;
  /** Default: `"1"`. */
  version?: string | undefined;
  /** As people call it. */
  name?: string | null | undefined;
  summary?: string | null | undefined;
  /** Its steps, in their order. */
  procedure?: string[] | undefined;
  /** When it applies. */
  applicability?: string[] | undefined;
  /** What it is based on. */
  citations?: string[] | undefined;
  /** What it was applied to. */
  task?: string | null | undefined;
  /** How well that went. */
  successScore?: number | null | undefined;
  /** Such as `helpful`, `passed`, `failed` or `regressed`. */
  feedback?: string | null | undefined;
  evidence?: string[] | undefined;
  reason?: string | null | undefined;
  /** The version that a revision replaces; the current one, unless it is named. */
  supersedesVersion?: string | null | undefined;
  /** How it goes wrong. */
  failureModes?: string[] | undefined;
  /** How to undo what it does. */
  rollback?: string | null | undefined;
  contradictionReason?: string | null | undefined;
  /** Who says so. Default: `"agent"`. */
  actor?: string | undefined;
}

export interface SkillCandidate {
  skillId: string;
  version: string;
  status: string;
  successCount: number;
  failureCount: number;
  averageSuccessScore: number | null;
  latestCitation: string;
  /** `contradicted`, `deprecated`, `failed_outcomes` or `low_success_score`: to roll it back. */
  reason?: string | null;
  failureModes?: string[];
  rollback?: string | null;
}

export interface SkillEvent {
  sessionId: string;
  seq: number;
  hash: string;
  eventType: string;
  citation: string;
  /** How the skill stands after it; null when the event is not found yet. */
  status: string | null;
  /** The note of the skill. */
  memory?: LearnedMemory | null;
  degraded?: string | null;
}

/** A skill that others may pull. */
export interface SkillListed {
  /** Of its note. */
  id: string;
  name?: string;
  /** As the log of the skill says it. */
  version?: string;
  description?: string;
  /** Of its SKILL.md; who has the same has the same skill. */
  hash?: string;
  owner?: string | null;
  visibility?: string;
  project?: string | null;
  updated?: string;
  /** Its SKILL.md. */
  text: string;
  /** It did not fit whole: `max_tokens` was too small. */
  truncated?: boolean;
}

export interface SkillOutcome {
  time: string;
  task: string | null;
  successScore: number | null;
  feedback: string | null;
  citation: string;
}

export interface SkillProposeBody {
  /** The whole SKILL.md as it should be. */
  text: string;
  /** The `hash` of what was changed. */
  editedFrom: string;
}

export interface SkillProposed {
  /** Of the note of the proposal. */
  id: string;
  name: string;
  /** `noop` when the same was proposed before. */
  status: "proposed" | "noop";
}

export interface SkillPublishBody {
  /** The id of a skill that was validated or revised, or of its note. */
  skillId: string;
  /** What folders are called after; made from the id, unless you say so. */
  name?: string | null | undefined;
  /** By which hosts decide whether it applies; made from the note. */
  description?: string | null | undefined;
  /** For whom it is; a project's for its members, else the team. */
  visibility?: "private" | "project" | "team" | null | undefined;
  /** Its project; that of its note, unless you say so. */
  project?: string | null | undefined;
}

export interface SkillPublished {
  /** Of its note. */
  id: string;
  name: string;
  version: string;
  hash: string;
  /** `noop` when it was published so already. */
  status: "published" | "noop";
  degraded?: string | null;
}

export interface SkillPullBody {
  /** The folder of a project, on the machine of the daemon, from the root; without it the user's own folders are meant. */
  folder?: string | null | undefined;
  /** The names of skills; none means all that are published. */
  names?: string[] | undefined;
  /** The names of harnesses; none means those that have a folder there. */
  harnesses?: string[] | undefined;
  /** Link to one copy in the state folder, and do not write copies. */
  link?: boolean | undefined;
  /** Tell what would change, and change nothing. */
  dryRun?: boolean | undefined;
}

export interface SkillUnpullBody {
  /** The folder of a project, on the machine of the daemon, from the root; without it the user's own folders are meant. */
  folder?: string | null | undefined;
  /** The names of skills; none means all that are published. */
  names?: string[] | undefined;
  /** The names of harnesses; none means those that have a folder there. */
  harnesses?: string[] | undefined;
  /** Tell what would change, and change nothing. */
  dryRun?: boolean | undefined;
}

export interface SkillVersion {
  version: string;
  status: string;
  supersedesVersion: string | null;
  appliedCount: number;
  outcomeCount: number;
  successCount: number;
  failureCount: number;
  contradictionCount: number;
  averageSuccessScore: number | null;
  latestCitation: string;
  /** The last ones; of one skill alone. */
  outcomes?: SkillOutcome[] | null;
}

export interface SkillWithdrawn {
  id: string;
  name: string;
  status: "withdrawn";
}

export interface SkillList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  /** Of all that are listed; on the first page. */
  analytics?: SkillAnalytics | null;
  skills: Skill[];
}

/** Where a memory comes from. */
export interface Source {
  agent?: string | null;
  session?: string | null;
  uri?: string | null;
}

export interface SourceHealth {
  id: string;
  name: string;
  /** Told to the owner of the machine, and to who connected it. */
  folder?: string | null;
  /** Null when it holds everywhere. */
  project: string | null;
  /** Who connected it, in a team. */
  owner?: string | null;
  visibility: "private" | "project" | "team";
  /** `unreachable` when its folder cannot be listed: what was known of it is kept. */
  state: "waiting" | "indexing" | "ready" | "unreachable";
  /** How many are searched. */
  files: number;
  lines: number;
  /** That is checked out, in a repository. */
  commit: string | null;
  /** When everything was looked at last. */
  looked: string | null;
  created: string;
  passages: number;
  /** Files of the look that goes on, or was the last. */
  done: number;
  total: number;
  /** Why the folder cannot be looked at. */
  trouble: string | null;
  /** Why there is more in the folder than is searched. */
  cut: string | null;
  /** Files and folders that git ignores, or that begin with a dot. */
  ignored: number;
  /** Files that hold no text, by the end of their names. */
  leftOut: Record<string, number>;
  /** The first 100; `problem_count` says how many there are. */
  problems: SourceProblem[];
  problemCount: number;
}

export interface SourceList {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  sources: SourceSummary[];
}

export interface SourceProblem {
  path: string;
  reason: string;
}

export interface SourceSummary {
  id: string;
  name: string;
  /** Told to the owner of the machine, and to who connected it. */
  folder?: string | null;
  /** Null when it holds everywhere. */
  project: string | null;
  /** Who connected it, in a team. */
  owner?: string | null;
  visibility: "private" | "project" | "team";
  /** `unreachable` when its folder cannot be listed: what was known of it is kept. */
  state: "waiting" | "indexing" | "ready" | "unreachable";
  /** How many are searched. */
  files: number;
  lines: number;
  /** That is checked out, in a repository. */
  commit: string | null;
  /** When everything was looked at last. */
  looked: string | null;
  created: string;
}

export interface Stats {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  memories: number;
  byStatus: Record<string, number>;
  byScope: Record<string, number>;
  byKind: Record<string, number>;
  byProject: Record<string, number>;
  byTag: Record<string, number>;
}

export interface Status {
  state: "starting" | "ready" | "degraded";
  version: string;
  uptimeSeconds: number;
  routes: RouteFigures[];
  verbs: VerbFigures[];
  /** Who asked lately, the last one first. */
  clients: Client[];
  mcpSessions: number;
  /** Open streams of events. */
  listeners: number;
  embedder: EmbedderState | null;
  watcher: WatcherState;
  /** Measured now and then; null until it was. */
  disk: Disk | null;
  /** Looked at now and then; null until it was. */
  git: Git | null;
  consolidation: Upkeep;
  /** Among daemons that share an index: `keeper`, `standby` or `reader`; absent where nobody does. */
  role?: string;
  /** Why nothing is changed for now; absent when it is. */
  frozen?: FrozenState;
  /** Whom the daemon serves: `team` or `hybrid`; absent in `local`. */
  mode?: string;
  /** How often in a minute one caller may ask for what; 0 for any number. */
  limits?: Record<string, number>;
}

export interface ManifestEntry {
  name: string;
  sha256: string;
  size: number;
  id?: string | null;
  status?: string | null;
  updatedAt?: string | null;
}

/** The first page also says what it is the manifest of. */
export interface Manifest {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  format?: string | null;
  version?: number | null;
  recordFormat?: number | null;
  vault?: string | null;
  createdAt?: string | null;
  embedder?: string | null;
  /** What was selected; empty for the whole vault. */
  selection?: Record<string, unknown> | null;
  counts?: Record<string, number> | null;
  /** Files that could not be read, and so do not travel. */
  leftOut?: FileLeftOut[] | null;
  entries: ManifestEntry[];
}

export interface SyncedFile {
  /** From the folder of the project. */
  file: string;
  /** Who reads it. */
  harnesses: string[];
  /** How its block stands: not there, as the notes say, as they said before, changed by hand, or not to be told from the rest. */
  state: "absent" | "current" | "outdated" | "edited" | "damaged";
  /** What is wrong with it; empty when nothing is. */
  problem: string;
  changed: boolean;
  /** It was made for the block, and is gone. */
  removed: boolean;
  /** What changed, or would change, in lines. */
  diff: string;
}

export interface SyncedFiles {
  folder: string;
  dryRun: boolean;
  files: SyncedFile[];
}

export interface Timeline {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  events: Event[];
}

export interface TombstonedAsset {
  id: string;
  name: string;
  status: "deleted";
}

export interface TourStop {
  path: string;
  lines: number;
  /** How many files import it. */
  importedBy: number;
  /** What it defines: the first ten. */
  symbols: string[];
}

/** What to change; what is left out stays as it is. */
export interface UpdateBody {
  text?: string | null | undefined;
  title?: string | null | undefined;
  kind?: string | null | undefined;
  tags?: string[] | null | undefined;
  importance?: number | null | undefined;
  /** An empty text takes it away. */
  validFrom?: string | null | undefined;
  /** An empty text takes it away. */
  validUntil?: string | null | undefined;
  /** For whom it is beside its owner, who alone may say so. */
  visibility?: "private" | "project" | "team" | null | undefined;
  /** Properties of one's own that are set; null takes one away. */
  extra?: Record<string, unknown> | null | undefined;
  idempotencyKey?: string | null | undefined;
  allowSecrets?: boolean | undefined;
  /** False refuses the change when the file has changed at all since it was read. Default: `true`. */
  merge?: boolean | undefined;
}

export interface UpdateResult {
  id: string;
  status: "updated" | "noop";
  hash: string;
  /** The file had changed since it was read, and the two changes were merged. */
  merged?: boolean;
  degraded?: string | null;
}

export interface Upkeep {
  state: "waiting" | "looking" | "paused";
  runs: number;
  applied: number;
  proposals: number | null;
  error: string | null;
}

export interface VanishedDocument {
  id: string;
  title: string;
  /** The file that is gone. */
  name: string;
}

export interface VerbFigures {
  verb: string;
  answers: number;
  tokensAsked: number;
  tokensServed: number;
}

export interface Verbatim {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  results: VerbatimHit[];
}

export interface VerbatimHit {
  content: string;
  source: "verbatim";
  score: number;
  citation: string;
  sourceKind: "document" | "transcript" | "event";
  metadata: Record<string, unknown>;
  sessionId: string;
  /** The memory that replaced the one this event became. */
  overruledBy?: string | null;
  truncated?: boolean;
}

export interface VerifiedSession {
  ok: boolean;
  totalEvents: number;
  brokenAtSeq: number | null;
  brokenReason: string | null;
  heads: SessionHead[];
  erased: number;
  problems: LogProblem[];
  sessionId: string;
}

export interface Version {
  commit: string;
  time: string;
  author: string;
  subject: string;
  path: string;
}

export interface History {
  /** Whether there is more than is said here. */
  truncated: boolean;
  /** Tokens of this whole answer, in o200k_base. */
  tokensUsed: number;
  /** Leads to the rest; null when this is all. */
  nextCursor?: string | null;
  id: string;
  versions: Version[];
}

export interface WatcherState {
  state: string;
  restarts: number;
  lastScanSeconds: number | null;
  waiting: number;
}

export interface WriteResult {
  id: string;
  status: "created" | "merged" | "superseded" | "noop";
  supersedes: string[];
  similar?: Similar[];
  reason?: string | null;
  /** Of a merge: what was said otherwise than the memory that was there, which stays as it is. */
  notKept?: string[];
  /** Safe on disk, but not found yet, or not compared. */
  degraded?: string | null;
}

/** Memories that fit a question, best first. Nothing is returned to fill a limit. */
export interface RecallQuery {
  /** The whole answer fits in so many tokens. Default: `1500`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
  /** `concise` is the least to act on, `detailed` all there is to know. */
  format?: "concise" | "detailed" | null | undefined;
  /** Another name for `format`. */
  responseFormat?: "concise" | "detailed" | null | undefined;
  /** What is seen: `project` sees project and global, `all` everything. Default: `"project"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
  /** Only memories of this project. */
  project?: string | null | undefined;
  /** Only memories of which nobody has said of which project they are, or none of them. */
  unfiled?: boolean | null | undefined;
  /** Only memories of this kind, such as `decision`. */
  kind?: string | null | undefined;
  /** Only memories with this tag. */
  tag?: string | null | undefined;
  /** Only memories created after this time. */
  after?: string | null | undefined;
  /** Only memories created before this time. */
  before?: string | null | undefined;
  /** Only memories with this status, hidden ones too; without it active ones. */
  status?: "active" | "superseded" | "deleted" | "erased" | null | undefined;
  /** Words, a question, filters: `tag:auth "exact phrase" -word`. */
  q: string;
  /** How many at most. By default, 8, a concise answer has as many as the ranking leaves in doubt. Default: `8`. */
  limit?: number | undefined;
  /** Also deleted and superseded memories. */
  includeDeleted?: boolean | undefined;
  /** Read the best ones again with the finer model; slower. */
  rerank?: boolean | undefined;
}

/** One memory. The `ETag` is the hash of its file, for `If-Match` when it is changed. */
export interface GetMemoryQuery {
  /** A longer text is read on with `next_cursor`. Default: `8000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
  /** `concise` is the least to act on, `detailed` all there is to know. */
  format?: "concise" | "detailed" | null | undefined;
  /** Another name for `format`. */
  responseFormat?: "concise" | "detailed" | null | undefined;
  /** Also when it was forgotten or superseded. */
  includeDeleted?: boolean | undefined;
}

/** Memories by their last change, the latest first. */
export interface RecentQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
  /** `concise` is the least to act on, `detailed` all there is to know. */
  format?: "concise" | "detailed" | null | undefined;
  /** Another name for `format`. */
  responseFormat?: "concise" | "detailed" | null | undefined;
  /** What is seen: `project` sees project and global, `all` everything. Default: `"project"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
  /** Only memories of this project. */
  project?: string | null | undefined;
  /** Only memories of which nobody has said of which project they are, or none of them. */
  unfiled?: boolean | null | undefined;
  /** Only memories of this kind, such as `decision`. */
  kind?: string | null | undefined;
  /** Only memories with this tag. */
  tag?: string | null | undefined;
  /** Only memories created after this time. */
  after?: string | null | undefined;
  /** Only memories created before this time. */
  before?: string | null | undefined;
  /** Only memories with this status, hidden ones too; without it active ones. */
  status?: "active" | "superseded" | "deleted" | "erased" | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
  /** Only what changed since this time. */
  since?: string | null | undefined;
  /** Also deleted and superseded memories. */
  includeDeleted?: boolean | undefined;
}

/** What changed in the last 24 hours. */
export interface TodayQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
  /** `concise` is the least to act on, `detailed` all there is to know. */
  format?: "concise" | "detailed" | null | undefined;
  /** Another name for `format`. */
  responseFormat?: "concise" | "detailed" | null | undefined;
  /** What is seen: `project` sees project and global, `all` everything. Default: `"project"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
  /** Only memories of this project. */
  project?: string | null | undefined;
  /** Only memories of which nobody has said of which project they are, or none of them. */
  unfiled?: boolean | null | undefined;
  /** Only memories of this kind, such as `decision`. */
  kind?: string | null | undefined;
  /** Only memories with this tag. */
  tag?: string | null | undefined;
  /** Only memories created after this time. */
  after?: string | null | undefined;
  /** Only memories created before this time. */
  before?: string | null | undefined;
  /** Only memories with this status, hidden ones too; without it active ones. */
  status?: "active" | "superseded" | "deleted" | "erased" | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/** The versions of a memory in git, newest first, across renames. */
export interface HistoryQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/** What changed in the file of a memory between two revisions of git, or since one. */
export interface DiffQuery {
  /** A longer diff is read on with `next_cursor`. Default: `8000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** A commit, branch or tag, such as one of the history. */
  from: string;
  /** Another one; without it the file as it is. */
  to?: string | null | undefined;
}

/** The memories and the edges between them. */
export interface GraphQuery {
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
  /** Default: `"project"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
  /** Only memories of this project. */
  project?: string | null | undefined;
  /** How many nodes and edges together. Default: `500`. */
  limit?: number | undefined;
  /** Also deleted and superseded memories. */
  includeDeleted?: boolean | undefined;
}

/**
 * The memories on a plane, near in meaning near each other. 503 `index-not-ready` until there is a first map.
 *
 * A map is drawn in the background when memories have changed and somebody looks; points stay about where they
 * were. A cursor leads through one map: when it was drawn again meanwhile the answer is 409 `stale-hash`.
 */
export interface MapQuery {
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `"all"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
  /** Only memories of this project. */
  project?: string | null | undefined;
  /** Default: `500`. */
  limit?: number | undefined;
}

/** The memories around one, nearest first, each with the edge that led to it. */
export interface NeighborsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
  /** How many edges away. Default: `1`. */
  depth?: number | undefined;
  /** Default: `25`. */
  limit?: number | undefined;
  /** Also deleted and superseded memories. */
  includeDeleted?: boolean | undefined;
}

/** How many memories there are, by status, scope, kind, project and tag. */
export interface StatsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The vault as it was at this time (needs git): `2026-06-18` or `2026-06-18T09:12:44Z`. */
  asOf?: string | null | undefined;
  /** The vault as it was at this commit, branch or tag (needs git). */
  ref?: string | null | undefined;
  /** Default: `"all"`. */
  scope?: "project" | "global" | "session" | "all" | undefined;
}

/** The projects of the memories, the one that changed last first, and how many memories are unfiled. */
export interface ProjectsQuery {
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/**
 * What happened to the memories and who did it, the latest first, as far as the journal goes back.
 *
 * Before the journal began it tells what the notes themselves do. A time is that at which Helix saw it happen.
 */
export interface TimelineQuery {
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
  /** Only what happened at this time or after it. */
  since?: string | null | undefined;
  /** Only what happened before this time. */
  until?: string | null | undefined;
  /** Only memories of this project. */
  project?: string | null | undefined;
  /** Only these, with commas between them: `learned`, `changed`, `forgotten`, `restored`, `superseded`, `merged`, `erased`, `moved`, `gone`, `refused`. */
  what?: string | null | undefined;
  /** Only by these, with commas between them: `agent`, `person`, `sync`, `helix`. */
  who?: string | null | undefined;
}

/** What needs a person: files that cannot be read, and ids that stand in several files. */
export interface ConflictsQuery {
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/** What an export of the vault would hold, entry by entry, with its checksums. */
export interface StrandManifestQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
}

/** What could be tidied: doubles, contradictions, what is over. Looks at every memory; nothing is changed. */
export interface ProposalsQuery {
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/**
 * What waits for a person: proposed memories, files that need help, what to tidy, refused secrets.
 *
 * Each item comes with its actions: requests that can be sent as they stand.
 */
export interface InboxQuery {
  /** Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/** The events of a session in their order, and whether its whole log verifies. */
export interface ReplaySessionQuery {
  /** The whole answer fits in so many tokens. Default: `8000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The number of an event. Default: `1`. */
  fromSeq?: number | undefined;
  /** The last one that is wanted. */
  toSeq?: number | null | undefined;
  /** Only events of this type. */
  type?: string | null | undefined;
  /** Up to this point of a session, as it was known then: `HEAD` or `refs/…`. A ref names its own session. */
  ref?: string | null | undefined;
  /** Default: `100`. */
  limit?: number | undefined;
}

/** The sessions that have a log, the one that something happened in last first. */
export interface ListSessionsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** List those that are archived, by name, and no others. */
  archived?: boolean | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
}

/** One event, and the memory that it became. */
export interface GetEventQuery {
  /** Its hash, or the first 12 digits or more of it. */
  hash?: string | null | undefined;
}

/** The event that a citation names. */
export interface CiteQuery {
  /** `eventloom://SESSION/events/SEQ#HASH`. */
  uri: string;
}

/** What was said word for word, with citations; by words in every script, without a model. */
export interface VerbatimQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Words that were said, in any script. */
  query: string;
  /** Only of this session. */
  sessionId?: string | null | undefined;
  /** Up to this point of a session, as it was known then: `HEAD` or `refs/…`. A ref names its own session. */
  ref?: string | null | undefined;
  /** Default: `10`. */
  limit?: number | undefined;
}

/** What happened last in a session and what bears on a question, as one text with its sources. */
export interface AssembleContextQuery {
  /** The question. */
  query: string;
  /** The number of an event. Default: `1`. */
  replayFromSeq?: number | undefined;
  /** How many facts at most. Default: `10`. */
  limit?: number | undefined;
  /** How many of the last events are told. Default: `20`. */
  maxRecentEvents?: number | undefined;
  /** Up to this point of a session, as it was known then: `HEAD` or `refs/…`. A ref names its own session. */
  ref?: string | null | undefined;
  /** The whole answer fits in so many tokens. Default: `4000`. */
  maxTokens?: number | undefined;
}

/** What an agent can do with its memory, and what is known of its session. */
export interface SessionCapabilitiesQuery {
  /** What the agent is about to do. */
  currentTask?: string | null | undefined;
}

/**
 * What the last sessions of a project left: hand-over, open tasks, decisions, first and last words.
 *
 * A session is of the project of the folder that it was started in.
 */
export interface RecapQuery {
  /** The caller's when absent. */
  project?: string | null | undefined;
  /** Leave out this session: the one that asks. */
  without?: string | null | undefined;
  /** The whole answer fits in so many tokens. Default: `400`. */
  maxTokens?: number | undefined;
}

/** The skills that the logs know, the one that something happened to last first, and how they did. */
export interface ListSkillsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Only this one, with its outcomes. */
  skillId?: string | null | undefined;
  /** Only such as stand so. */
  status?: "proposed" | "validated" | "revised" | "deprecated" | "contradicted" | null | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
}

/** The log of a session as one chain of lines, which other tools verify. */
export interface ExportLogQuery {
  /** The number of an event. Default: `1`. */
  fromSeq?: number | undefined;
  /** The hash of the end of the chain; the longest one, unless it is said. */
  head?: string | null | undefined;
  /** How many lines at most; 2 MiB at most too. Default: `1000`. */
  limit?: number | undefined;
}

/** The refs that there are, the one that was set last first. */
export interface ListRefsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Only those that lead into this session. */
  sessionId?: string | null | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
}

/** The event that a ref leads to, or HEAD: the last one of a session. */
export interface ResolveRefQuery {
  /** `HEAD` or `refs/…`. */
  name: string;
  /** Of which session HEAD is meant. */
  sessionId?: string | null | undefined;
}

/** The documents in the vault, by their address, and whether their file is still there. */
export interface ListDocumentsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Only those whose address begins so, such as `file:///home/me/papers/`. */
  under?: string | null | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
}

/** Long work on this machine, the latest first. */
export interface ListJobsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/** The sources that are connected, and how they are. A search with `lane:source` looks into them. */
export interface ListSourcesQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
}

/** Where a symbol is defined, in the sources: the exact name first, then what begins with it or holds it. */
export interface FindSymbolQuery {
  /** `retry`, `Gateway.retry` or `src/pay.py::Gateway.retry`. */
  symbol: string;
  /** Only in this source, by its id or its name. */
  source?: string | null | undefined;
  /** Default: `25`. */
  limit?: number | undefined;
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
}

/** What changing a symbol may break: callers, importers, tests and memories that cite it, by distance. */
export interface SymbolImpactQuery {
  /** `retry`, `Gateway.retry` or `src/pay.py::Gateway.retry`. */
  symbol: string;
  /** Only in this source, by its id or its name. */
  source?: string | null | undefined;
  /** How far it is followed. Default: `3`. */
  depth?: number | undefined;
  /** Default: `100`. */
  limit?: number | undefined;
  /** The whole answer fits in so many tokens. Default: `4000`. */
  maxTokens?: number | undefined;
}

/** What stands beside a symbol, or the symbols of a file: who mentions it, and what it mentions. */
export interface SymbolNeighborhoodQuery {
  /** A symbol, or the path of a file. */
  symbol: string;
  /** Only in this source, by its id or its name. */
  source?: string | null | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
  /** The whole answer fits in so many tokens. Default: `3000`. */
  maxTokens?: number | undefined;
}

/** In which order to read a repository: what others stand on first, as far as a budget goes. */
export interface CodeTourQuery {
  /** Needed when there are several. */
  source?: string | null | undefined;
  /** Default: `100`. */
  limit?: number | undefined;
  /** The whole answer fits in so many tokens. Default: `3000`. */
  maxTokens?: number | undefined;
}

/**
 * The notes that are marked as rules: of kind `rule`, or with the tag `rule`.
 *
 * Those of the project and those that hold everywhere, as far as they are seen.
 */
export interface ListRulesQuery {
  /** The whole answer fits in so many tokens. Default: `8000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The project of the rules, beside those that hold everywhere. */
  project?: string | null | undefined;
  /** Default: `100`. */
  limit?: number | undefined;
}

/** The files of a project that harnesses read at their start, and how the block in each stands. */
export interface ListHarnessFilesQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** The folder of a project, on the machine of the daemon, from the root. */
  folder: string;
  /** The project of the rules, beside those that hold everywhere. */
  project?: string | null | undefined;
  /** Default: `100`. */
  limit?: number | undefined;
}

/** The skills that are published, as far as they are seen, each as its SKILL.md. */
export interface ListPublishedSkillsQuery {
  /** The whole answer fits in so many tokens. Default: `8000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
}

/** The files that are shared, as far as they are seen; not what is in them. */
export interface ListAssetsQuery {
  /** The whole answer fits in so many tokens. Default: `4000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Also deleted and superseded memories. */
  includeDeleted?: boolean | undefined;
  /** Default: `50`. */
  limit?: number | undefined;
}

/** A file with what is in it, unless who asks has that. Of one that was tombstoned only that. */
export interface PullAssetQuery {
  /** The hash of what you have: the same is not sent again. */
  have?: string | null | undefined;
}

/** The names of the secrets of this vault. No route reads a value. */
export interface ListSecretsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `100`. */
  limit?: number | undefined;
}

/** The programs that ran with secrets, the latest first. */
export interface ListRunsQuery {
  /** The whole answer fits in so many tokens. Default: `2000`. */
  maxTokens?: number | undefined;
  /** The `next_cursor` of the answer before. */
  cursor?: string | null | undefined;
  /** Default: `20`. */
  limit?: number | undefined;
}

/** Read every file again and bring the derived data up to date; answered when that is done. */
export interface ReindexQuery {
  /** Files that disappeared are gone on purpose. */
  acceptMissing?: boolean | undefined;
}

/** Every schema of the document by its name. */
export interface Schemas {
  AcceptBody: AcceptBody;
  Accepted: Accepted;
  Action: Action;
  ActivateBody: ActivateBody;
  ActiveProject: ActiveProject;
  AffectedCode: AffectedCode;
  AfterTurnBody: AfterTurnBody;
  AppendBody: AppendBody;
  AppendedEvent: AppendedEvent;
  ArchivedSession: ArchivedSession;
  AskedProgram: AskedProgram;
  AssembledContext: AssembledContext;
  Asset: Asset;
  AssetList: AssetList;
  AssetPublishBody: AssetPublishBody;
  Bootstrap: Bootstrap;
  Capabilities: Capabilities;
  CapabilitiesBody: CapabilitiesBody;
  CaptureBody: CaptureBody;
  CaptureState: CaptureState;
  Checkout: Checkout;
  CheckoutBody: CheckoutBody;
  CheckoutQuality: CheckoutQuality;
  CitedEvent: CitedEvent;
  CitingMemory: CitingMemory;
  Client: Client;
  Cluster: Cluster;
  CodeImpact: CodeImpact;
  CodeNeighbor: CodeNeighbor;
  CodeNeighborhood: CodeNeighborhood;
  CodeSymbol: CodeSymbol;
  CodeSymbols: CodeSymbols;
  CodeTour: CodeTour;
  OpenConflict: OpenConflict;
  Conflicts: Conflicts;
  ConnectSourceBody: ConnectSourceBody;
  ConnectedSource: ConnectedSource;
  ConsolidateBody: ConsolidateBody;
  ConsolidateResult: ConsolidateResult;
  ContextBody: ContextBody;
  CreateProjectBody: CreateProjectBody;
  DeactivateBody: DeactivateBody;
  DeletedProject: DeletedProject;
  DeletedSecret: DeletedSecret;
  Diff: Diff;
  Disk: Disk;
  DismissBody: DismissBody;
  DismissedItem: DismissedItem;
  DistillState: DistillState;
  DocumentDetails: DocumentDetails;
  DocumentList: DocumentList;
  DocumentPart: DocumentPart;
  DocumentProblem: DocumentProblem;
  DocumentSummary: DocumentSummary;
  Edge: Edge;
  EmbedderState: EmbedderState;
  EraseEventBody: EraseEventBody;
  ErasedEvent: ErasedEvent;
  Event: Event;
  EventToIngest: EventToIngest;
  ExplainedPack: ExplainedPack;
  ExportedLog: ExportedLog;
  FactRow: FactRow;
  FactList: FactList;
  FeedbackBody: FeedbackBody;
  GivenFeedback: GivenFeedback;
  FileBody: FileBody;
  FileLeftOut: FileLeftOut;
  FileResult: FileResult;
  ForgetBody: ForgetBody;
  ForgetResult: ForgetResult;
  ForgottenDocument: ForgottenDocument;
  FreezeBody: FreezeBody;
  Freezing: Freezing;
  FrozenState: FrozenState;
  Git: Git;
  Graph: Graph;
  Handover: Handover;
  HandoverBody: HandoverBody;
  HarnessFile: HarnessFile;
  HarnessFiles: HarnessFiles;
  HarnessRemoveBody: HarnessRemoveBody;
  HarnessSyncBody: HarnessSyncBody;
  Health: Health;
  Hit: Hit;
  SearchResult: SearchResult;
  Host: Host;
  HostFiles: HostFiles;
  Hosts: Hosts;
  ImportLogBody: ImportLogBody;
  ImportedLog: ImportedLog;
  Inbox: Inbox;
  InboxItem: InboxItem;
  IndexSourceBody: IndexSourceBody;
  IndexState: IndexState;
  Indexing: Indexing;
  IngestBody: IngestBody;
  IngestCounts: IngestCounts;
  IngestDocumentBody: IngestDocumentBody;
  IngestedEvents: IngestedEvents;
  IngestedDocument: IngestedDocument;
  InvalidateBody: InvalidateBody;
  Invalidation: Invalidation;
  JobDetails: JobDetails;
  JobList: JobList;
  JobSummary: JobSummary;
  Ref: Ref;
  LearnedFrom: LearnedFrom;
  LearnedMemory: LearnedMemory;
  LeftOut: LeftOut;
  GraphLink: GraphLink;
  LogProblem: LogProblem;
  LoggedEvent: LoggedEvent;
  Map: Map;
  MarkedRule: MarkedRule;
  MemberBody: MemberBody;
  Memories: Memories;
  Memory: Memory;
  MemoryPage: MemoryPage;
  NamedSecret: NamedSecret;
  Neighbor: Neighbor;
  Neighbors: Neighbors;
  GraphNode: GraphNode;
  ContextPack: ContextPack;
  Part: Part;
  PhasesBody: PhasesBody;
  Point: Point;
  Problem: Problem;
  ProjectBody: ProjectBody;
  ProjectChange: ProjectChange;
  ProjectSummary: ProjectSummary;
  Projects: Projects;
  Proposal: Proposal;
  Proposals: Proposals;
  ProposedMemory: ProposedMemory;
  PublishedAsset: PublishedAsset;
  PublishedSkillList: PublishedSkillList;
  PulledAsset: PulledAsset;
  PulledFile: PulledFile;
  PulledSkills: PulledSkills;
  PurgedCapture: PurgedCapture;
  PurgedSource: PurgedSource;
  QueryBody: QueryBody;
  Reason: Reason;
  Recap: Recap;
  SetRef: SetRef;
  RefList: RefList;
  RelateBody: RelateBody;
  RelateResult: RelateResult;
  RememberBody: RememberBody;
  Reminder: Reminder;
  ReminderBody: ReminderBody;
  RenderBody: RenderBody;
  Rendered: Rendered;
  Replay: Replay;
  RestoreBody: RestoreBody;
  RestoreResult: RestoreResult;
  RouteFigures: RouteFigures;
  RuleList: RuleList;
  RunBody: RunBody;
  RunDetails: RunDetails;
  RunList: RunList;
  RunSummary: RunSummary;
  SealedEvent: SealedEvent;
  SecretList: SecretList;
  SecretValueBody: SecretValueBody;
  SessionDetails: SessionDetails;
  SessionHead: SessionHead;
  SessionIntegrity: SessionIntegrity;
  SessionSummary: SessionSummary;
  SessionList: SessionList;
  SetRefBody: SetRefBody;
  SettleBody: SettleBody;
  Settled: Settled;
  Similar: Similar;
  Skill: Skill;
  SkillAnalytics: SkillAnalytics;
  SkillBody: SkillBody;
  SkillCandidate: SkillCandidate;
  SkillEvent: SkillEvent;
  SkillListed: SkillListed;
  SkillOutcome: SkillOutcome;
  SkillProposeBody: SkillProposeBody;
  SkillProposed: SkillProposed;
  SkillPublishBody: SkillPublishBody;
  SkillPublished: SkillPublished;
  SkillPullBody: SkillPullBody;
  SkillUnpullBody: SkillUnpullBody;
  SkillVersion: SkillVersion;
  SkillWithdrawn: SkillWithdrawn;
  SkillList: SkillList;
  Source: Source;
  SourceHealth: SourceHealth;
  SourceList: SourceList;
  SourceProblem: SourceProblem;
  SourceSummary: SourceSummary;
  Stats: Stats;
  Status: Status;
  ManifestEntry: ManifestEntry;
  Manifest: Manifest;
  SyncedFile: SyncedFile;
  SyncedFiles: SyncedFiles;
  Timeline: Timeline;
  TombstonedAsset: TombstonedAsset;
  TourStop: TourStop;
  UpdateBody: UpdateBody;
  UpdateResult: UpdateResult;
  Upkeep: Upkeep;
  VanishedDocument: VanishedDocument;
  VerbFigures: VerbFigures;
  Verbatim: Verbatim;
  VerbatimHit: VerbatimHit;
  VerifiedSession: VerifiedSession;
  Version: Version;
  History: History;
  WatcherState: WatcherState;
  WriteResult: WriteResult;
}
