// Health: how the daemon is, what it does, who uses it; and how an agent is connected.

import { askHealth, change, get } from "../api.js";
import { button, fill, h, icon, put } from "../dom.js";
import { failed, loading, toast } from "../feedback.js";
import { bytes, capital, milliseconds, number, plural, span } from "../format.js";
import { live } from "../live.js";
import { connectAgents } from "./hosts.js";
import { clients, latencies, tokens } from "./usage.js";
import { may } from "../who.js";

const EVERY = 5000;

export const health = { name: "health", title: "Health", begin };

function begin(root) {
  const cards = h("div", { class: "health-cards" });
  const hosts = may("connectors") ? connectAgents() : null;
  put(
    root,
    h(
      "div",
      { class: "page" },
      h("header", { class: "page-head" }, h("h1", {}, "Health")),
      cards,
      hosts?.element,
    ),
  );
  let timer = null;
  let isEnded = false;

  async function load() {
    clearTimeout(timer);
    if (!cards.children.length) fill(cards, loading());
    try {
      const [health, status] = await Promise.all([askHealth(), get("/status")]);
      const top = root.firstElementChild.scrollTop;
      const focused = document.activeElement?.dataset?.does;
      fill(cards, draw(health, status, load));
      root.firstElementChild.scrollTop = top;
      if (focused) cards.querySelector(`[data-does="${focused}"]`)?.focus();
    } catch (error) {
      fill(cards, failed(error, load));
    }
    if (!isEnded) timer = setTimeout(load, EVERY);
  }

  const onHealth = () => load();
  live.addEventListener("health", onHealth);
  load();
  return {
    update: () => {},
    refresh: () => {
      load();
      hosts?.load();
    },
    end: () => {
      isEnded = true;
      clearTimeout(timer);
      live.removeEventListener("health", onHealth);
    },
  };
}

const draw = (health, status, again) => [
  state(health, again),
  following(health),
  embedder(health, status),
  care(health, again),
  disk(status),
  latencies(status),
  tokens(status),
  clients(status),
  git(status),
];

function card(title, ...content) {
  return h("section", { class: "card" }, h("h2", {}, title), content);
}

const facts = (pairs) =>
  h(
    "dl",
    { class: "facts" },
    pairs
      .filter(([, value]) => value != null && value !== "" && value !== false)
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );

function state(health, again) {
  const tone = { ready: "good", degraded: "warn" }[health.state] ?? "";
  const counts = Object.entries(health.memories)
    .filter(([, count]) => count)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(", ");
  return h(
    "section",
    { class: ["card", "state-card", tone] },
    h(
      "div",
      { class: "state-line" },
      h(
        "span",
        { class: ["state-mark", tone] },
        icon(health.state === "ready" ? "check" : health.state === "degraded" ? "alert" : "timeline"),
      ),
      h(
        "div",
        {},
        h("h2", {}, capital(health.state)),
        h("p", { class: "hint" }, `Helix ${health.version}, up for ${span(health.uptime_seconds)}`),
      ),
    ),
    health.index?.indexing && progress(health.index.indexing),
    health.reasons.length > 0 &&
      h(
        "ul",
        { class: "reasons" },
        health.reasons.map((reason) =>
          h(
            "li",
            {},
            h("span", {}, reason.message),
            reason.code === "brake-pulled" &&
              may("admin") &&
              button("They are gone on purpose", () => reindex(again, true), { kind: "" }),
          ),
        ),
      ),
    facts([
      ["Vault", health.vault],
      ["Memories", counts || "none yet"],
      ["Files that need you", health.problems > 0 && h("a", { href: "#/inbox" }, number(health.problems))],
    ]),
    may("admin") &&
      h(
        "div",
        { class: "row" },
        button("Read every file again", () => reindex(again, false), { data: { does: "reindex" } }),
      ),
  );
}

/** How far the embedding is; everything is found by its words meanwhile. */
const progress = ({ done, total, message }) =>
  h(
    "p",
    { class: "hint indexing" },
    h("progress", { max: total, value: done, "aria-label": "Indexing" }),
    ` ${capital(message)}. Everything is found by its words meanwhile.`,
  );

async function reindex(again, acceptMissing) {
  toast("Reading every file again …");
  try {
    await change("POST", acceptMissing ? "/reindex?accept_missing=true" : "/reindex", undefined, {
      keyed: false,
    });
    toast("Every file was read again");
  } catch (error) {
    toast(error.message, { tone: "bad" });
  }
  again();
}

function following(health) {
  const isGood = health.watcher === "watching";
  return card(
    "Following the folder",
    facts([
      ["Watcher", h("span", { class: ["badge", isGood ? "good" : "warn"] }, health.watcher)],
      ["Changes waiting", number(health.waiting)],
      ["Copies to merge", number(health.conflicts)],
      ["Last full scan", health.last_scan_seconds != null && `took ${milliseconds(health.last_scan_seconds)}`],
      ["Watcher restarts", health.watcher_restarts > 0 && number(health.watcher_restarts)],
      ["Autocommit", health.autocommit_error],
    ]),
  );
}

function embedder(health, status) {
  const index = health.index;
  if (!index) return card("Searching", h("p", { class: "hint" }, "The index is being opened."));
  const asked = index.cache_hits + index.cache_misses;
  return card(
    "Searching by meaning",
    facts([
      ["Model", index.model ?? h("span", { class: "badge warn" }, "none: by words only")],
      ["Dimensions", status.embedder?.dimensions && number(status.embedder.dimensions)],
      ["In the index", plural(index.memories, "memory", "memories")],
      [
        "Lag",
        index.index_lag
          ? h(
              "span",
              { class: ["badge", index.indexing ? "" : "warn"] },
              plural(index.index_lag, "memory waits", "memories wait"),
            )
          : h("span", { class: "badge good" }, "none"),
      ],
      [
        "Known from the cache",
        asked > 0 && `${Math.round((100 * index.cache_hits) / asked)}% of ${number(asked)}`,
      ],
    ]),
    index.degraded && h("p", { class: "hint" }, index.degraded),
  );
}

function care({ consolidation }, again) {
  const isPaused = consolidation.state === "paused";
  const flip = async () => {
    try {
      await change("POST", isPaused ? "/consolidate/resume" : "/consolidate/pause", undefined, {
        keyed: false,
      });
    } catch (error) {
      toast(error.message, { tone: "bad" });
    }
    again();
  };
  return card(
    "Looking for doubles",
    facts([
      ["State", consolidation.state],
      ["Looks finished", number(consolidation.runs)],
      ["Superseded", number(consolidation.applied)],
      [
        "Proposals",
        consolidation.proposals != null && h("a", { href: "#/inbox" }, number(consolidation.proposals)),
      ],
      ["Error", consolidation.error],
    ]),
    may("admin") && h("div", { class: "row" }, button(isPaused ? "Resume" : "Pause", flip, { data: { does: "pause" } })),
  );
}

function disk({ disk: sizes }) {
  return (
    sizes &&
    card(
      "Disk",
      facts([
        ["Vault", bytes(sizes.vault_bytes)],
        ["Derived data", bytes(sizes.state_bytes)],
        ["Free", bytes(sizes.free_bytes)],
      ]),
    )
  );
}

function git({ git: repository }) {
  if (!repository) return card("Git", h("p", { class: "hint" }, "Git is still being asked."));
  return card(
    "Git",
    facts([
      ["Branch", repository.branch],
      ["Not committed", repository.dirty != null && number(repository.dirty)],
      ["Ahead", repository.ahead != null && number(repository.ahead)],
      ["Behind", repository.behind != null && number(repository.behind)],
      ["Commits by itself", repository.autocommit != null && (repository.autocommit ? "yes" : "no")],
      ["Error", repository.error],
    ]),
  );
}
