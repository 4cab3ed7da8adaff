// Why a memory was found: what each part of the ranking added, as a bar and in words.

import { h } from "../dom.js";

const PARTS = {
  words: "words",
  vector: "meaning",
  title: "title",
  session: "same session",
  day: "same day",
  brevity: "says little",
  link: "linked",
  time: "time asked for",
  recency: "recent",
  importance: "important",
  rerank: "read again",
  validity: "not valid now",
};
const LEAST = 0.02; // of the whole; less does not help anybody to understand

export function rankingOf(memory) {
  const whole = Object.values(memory.reasons).reduce((sum, value) => sum + Math.max(0, value), 0);
  if (!whole) return null;
  const parts = Object.entries(memory.reasons)
    .map(([name, value]) => ({ name, label: PARTS[name] ?? name, share: value / whole }))
    .filter((part) => Math.abs(part.share) >= LEAST)
    .sort((one, other) => other.share - one.share);
  const shares = parts.map((part) => `${part.label} ${Math.round(part.share * 100)}%`);
  return h(
    "span",
    { class: "ranking", title: `score ${memory.score?.toFixed(2)}` },
    h(
      "span",
      { class: "bar", "aria-hidden": "true" },
      parts
        .filter((part) => part.share > 0)
        .map((part) => sized(h("span", { class: `part-${part.name}` }), part.share)),
    ),
    h(
      "span",
      { class: "ranking-words" },
      h("span", { class: "unseen" }, "Found by "),
      shares.slice(0, 3).join(" · "),
    ),
  );
}

function sized(element, share) {
  element.style.flexGrow = share.toFixed(3); // set by script: the policy of the page allows no style in markup
  return element;
}
