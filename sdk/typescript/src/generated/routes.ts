// Made from the daemon's code by `make docs`; do not edit.

import type { Schemas } from "./types.js";

/** `always`: reading, safe to ask again. `with-key`: safe under one idempotency key. `never`: ask once. */
export type Again = "always" | "with-key" | "never";

export const ROUTES = {
  "GET /recall": { answer: "SearchResult", again: "always" },
  "POST /context": { answer: "ExplainedPack", again: "always" },
  "POST /phases": { answer: "ContextPack", again: "always" },
  "GET /memory/{id}": { answer: "MemoryPage", again: "always" },
  "PATCH /memory/{id}": { answer: "UpdateResult", again: "with-key" },
  "GET /recent": { answer: "Memories", again: "always" },
  "GET /today": { answer: "Memories", again: "always" },
  "GET /memory/{id}/history": { answer: "History", again: "always" },
  "GET /memory/{id}/diff": { answer: "Diff", again: "always" },
  "POST /render": { answer: "Rendered", again: "always" },
  "GET /graph": { answer: "Graph", again: "always" },
  "GET /map": { answer: "Map", again: "always" },
  "GET /memory/{id}/neighbors": { answer: "Neighbors", again: "always" },
  "GET /stats": { answer: "Stats", again: "always" },
  "GET /projects": { answer: "Projects", again: "always" },
  "GET /timeline": { answer: "Timeline", again: "always" },
  "GET /conflicts": { answer: "Conflicts", again: "always" },
  "GET /strand/manifest": { answer: "Manifest", again: "always" },
  "POST /remember": { answer: "WriteResult", again: "with-key" },
  "POST /file": { answer: "FileResult", again: "with-key" },
  "POST /forget": { answer: "ForgetResult", again: "with-key" },
  "POST /restore": { answer: "RestoreResult", again: "with-key" },
  "POST /relate": { answer: "RelateResult", again: "with-key" },
  "GET /consolidate": { answer: "Proposals", again: "always" },
  "POST /consolidate": { answer: "ConsolidateResult", again: "never" },
  "POST /consolidate/pause": { answer: "Upkeep", again: "never" },
  "POST /consolidate/resume": { answer: "Upkeep", again: "never" },
  "GET /inbox": { answer: "Inbox", again: "always" },
  "POST /inbox/dismiss": { answer: "DismissedItem", again: "never" },
  "POST /inbox/keep-both": { answer: "Settled", again: "never" },
  "POST /inbox/merge": { answer: "Settled", again: "never" },
  "GET /healthz": { answer: "Health", again: "always" },
  "POST /reindex": { answer: "Health", again: "never" },
  "GET /status": { answer: "Status", again: "always" },
  "GET /hosts": { answer: "Hosts", again: "always" },
} as const satisfies Record<string, { answer: keyof Schemas; again: Again }>;

/** Fields with schemas in them, by their names on the wire. What is not here is data; its keys stay. */
export const NESTED: Partial<Record<keyof Schemas, Readonly<Record<string, keyof Schemas>>>> = {
  Conflicts: { conflicts: "OpenConflict" },
  ConsolidateResult: { applied: "Proposal" },
  ExplainedPack: { parts: "Part", left_out: "LeftOut" },
  Graph: { nodes: "GraphNode", edges: "GraphLink" },
  Health: { reasons: "Reason", index: "IndexState", consolidation: "Upkeep" },
  Hit: { edges: "Edge" },
  SearchResult: { results: "Hit" },
  Host: { files: "HostFiles" },
  Hosts: { hosts: "Host" },
  Inbox: { items: "InboxItem" },
  InboxItem: { actions: "Action" },
  IndexState: { indexing: "Indexing" },
  Map: { points: "Point", clusters: "Cluster" },
  Memories: { results: "Memory" },
  Memory: { edges: "Edge" },
  MemoryPage: { edges: "Edge" },
  Neighbor: { edge: "GraphLink", more_edges: "GraphLink" },
  Neighbors: { neighbors: "Neighbor" },
  Projects: { projects: "ProjectSummary" },
  Proposals: { proposals: "Proposal" },
  RememberBody: { source: "Source" },
  Status: { routes: "RouteFigures", verbs: "VerbFigures", clients: "Client", embedder: "EmbedderState", watcher: "WatcherState", disk: "Disk", git: "Git", consolidation: "Upkeep" },
  Manifest: { left_out: "FileLeftOut", entries: "ManifestEntry" },
  Timeline: { events: "Event" },
  History: { versions: "Version" },
  WriteResult: { similar: "Similar" },
};

/** What memories are narrowed down by: parameters of their own in an address. */
export const FILTERS = ["project", "kind", "tag", "status", "after", "before"] as const;
