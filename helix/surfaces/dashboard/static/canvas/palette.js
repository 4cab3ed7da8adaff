// The colours of the style sheet, for a canvas: resolved in the theme that is shown, asked for again when it changes.

import { KINDS } from "../memory-words.js";

const PROJECTS = [
  "--kind-fact",
  "--kind-decision",
  "--kind-skill",
  "--kind-preference",
  "--kind-task",
  "--kind-event",
  "--kind-document",
  "--kind-snippet",
];
export const EDGES = {
  relates_to: "--line-strong",
  depends_on: "--kind-fact",
  refines: "--kind-skill",
  contradicts: "--kind-task",
  supersedes: "--kind-decision",
};

let known = new Map();
const forget = () => (known = new Map());
window.addEventListener("themechange", forget);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forget);

/** What `var(name)` is now. */
export function colour(name) {
  if (!known.has(name)) {
    // A custom property is given back as it was written, `light-dark(…)`; a colour is given back as one.
    const probe = document.createElement("i");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    known.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return known.get(name);
}

export const kindVariable = (kind) => `--kind-${KINDS.includes(kind) ? kind : "other"}`;

/** Names to variables: the most frequent ones get a colour each, the rest share one. */
export function projectVariables(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const ordered = [...counts]
    .filter(([name]) => name)
    .sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  return new Map(ordered.map(([name], at) => [name, PROJECTS[at] ?? "--kind-other"]));
}
