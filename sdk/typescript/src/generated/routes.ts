// Made from the daemon's code by `make docs`; do not edit.

import type { Schemas } from "./types.js";

/** `always`: reading, safe to ask again. `with-key`: safe under one idempotency key. `never`: ask once. */
export type Again = "always" | "with-key" | "never";

export const ROUTES = {
  "GET /recall": { answer: "Hits", again: "always" },
  "POST /context": { answer: "Pack", again: "always" },
  "POST /phases": { answer: "Pack", again: "always" },
  "GET /memory/{id}": { answer: "MemoryPage", again: "always" },
  "PATCH /memory/{id}": { answer: "Updated", again: "with-key" },
  "GET /recent": { answer: "Memories", again: "always" },
  "GET /today": { answer: "Memories", again: "always" },
  "GET /memory/{id}/history": { answer: "Versions", again: "always" },
  "GET /graph": { answer: "Graph", again: "always" },
  "GET /memory/{id}/neighbors": { answer: "Neighbors", again: "always" },
  "GET /stats": { answer: "Stats", again: "always" },
  "GET /conflicts": { answer: "Conflicts", again: "always" },
  "GET /strand/manifest": { answer: "StrandManifest", again: "always" },
  "POST /remember": { answer: "Written", again: "with-key" },
  "POST /forget": { answer: "Forgotten", again: "with-key" },
  "POST /restore": { answer: "Restored", again: "with-key" },
  "POST /relate": { answer: "Related", again: "with-key" },
  "GET /healthz": { answer: "Health", again: "always" },
  "POST /reindex": { answer: "Health", again: "never" },
  "GET /consolidate": { answer: "Proposals", again: "always" },
  "POST /consolidate": { answer: "Consolidated", again: "never" },
  "POST /consolidate/pause": { answer: "Upkeep", again: "never" },
  "POST /consolidate/resume": { answer: "Upkeep", again: "never" },
} as const satisfies Record<string, { answer: keyof Schemas; again: Again }>;

/** Fields with schemas in them, by their names on the wire. What is not here is data; its keys stay. */
export const NESTED: Partial<Record<keyof Schemas, Readonly<Record<string, keyof Schemas>>>> = {
  Conflicts: { conflicts: "Conflict" },
  Consolidated: { applied: "Proposal" },
  Graph: { nodes: "Node", edges: "Link" },
  Health: { reasons: "Reason", index: "IndexState", consolidation: "Upkeep" },
  Hit: { edges: "Edge" },
  Hits: { results: "Hit" },
  Memories: { results: "Memory" },
  Memory: { edges: "Edge" },
  MemoryPage: { edges: "Edge" },
  Neighbor: { edge: "Link" },
  Neighbors: { neighbors: "Neighbor" },
  Proposals: { proposals: "Proposal" },
  RememberBody: { source: "Source" },
  StrandManifest: { entries: "StrandEntry" },
  Versions: { versions: "Version" },
  Written: { similar: "Similar" },
};
