// The parts of a memory that every view shows the same way: its kind, its project, its status, a link to it.

import { h } from "./dom.js";
import { spell } from "./route.js";
import { words } from "./format.js";

export const RELATIONS = ["relates_to", "depends_on", "refines", "contradicts", "supersedes"];
export const KINDS = ["fact", "preference", "decision", "snippet", "task", "event", "skill", "document"];
const BACK = {
  supersedes: "superseded by",
  depends_on: "needed by",
  contradicts: "contradicted by",
  refines: "refined by",
  relates_to: "mentioned by",
};

export const forward = (rel) => words(rel);
export const backward = (rel) => BACK[rel] ?? `${words(rel)}, from`;

/** A dot in the colour of its kind, and the word. */
export function kindMark(kind) {
  return h(
    "span",
    { class: "kind" },
    h("span", { class: ["dot", KINDS.includes(kind) ? `kind-${kind}` : "kind-other"] }),
    kind || "memory",
  );
}

export const statusMark = (status) =>
  status && status !== "active" && h("span", { class: ["badge", status] }, status);

/** Of a project, and nobody has said of which: it is seen from all of them. */
export const isUnfiled = (memory) => memory.scope === "project" && !memory.project;

/** Leads to the memory; the list beside it stays where it is (app.js). */
export function memoryLink(id, title, more = {}) {
  return h("a", { href: spell({ name: "memory", arg: id }), data: { memory: id }, ...more }, title || id);
}

/** The agent, session or address a memory comes from, out of `agent=claude-code session=s-81`. */
export const agentIn = (source) => /(?:^|\s)agent=(\S+)/.exec(source ?? "")?.[1] ?? null;
