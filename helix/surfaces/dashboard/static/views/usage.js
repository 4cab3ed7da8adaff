// What the daemon did for whom: how long answers took, what they cost, who asked.

import { h } from "../dom.js";
import { ago, milliseconds, number, plural, whole } from "../format.js";

function table(label, heads, rows, figures) {
  return h(
    "div",
    { class: "table-scroll", role: "region", "aria-label": label, tabindex: "0" }, // it scrolls where it is narrow
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((one, at) => h("th", { scope: "col", class: at >= figures && "figure" }, one)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((cell, at) => h("td", { class: at >= figures && "figure" }, cell)),
          ),
        ),
      ),
    ),
  );
}

export function latencies({ routes }) {
  const busy = routes
    .filter((one) => one.route.startsWith("/")) // and not what is no route: the files of this page
    .sort((one, other) => other.requests - one.requests)
    .slice(0, 12);
  return h(
    "section",
    { class: "card wide" },
    h("h2", {}, "Latency"),
    busy.length
      ? table(
          "Latency by route",
          ["Route", "Requests", "Median", "95 of 100"],
          busy.map((one) => [
            h("code", {}, one.route),
            number(one.requests),
            milliseconds(one.p50_ms / 1000),
            milliseconds(one.p95_ms / 1000),
          ]),
          1,
        )
      : h("p", { class: "hint" }, "No request yet."),
  );
}

export function tokens({ verbs }) {
  const reading = verbs.filter((one) => one.tokens_asked > 0);
  return h(
    "section",
    { class: "card wide" },
    h("h2", {}, "Tokens served"),
    reading.length
      ? table(
          "Tokens by verb",
          ["Verb", "Served", "Room there was", "Used"],
          reading.map((one) => [
            one.verb,
            number(one.tokens_served),
            number(one.tokens_asked),
            one.tokens_asked ? `${Math.round((100 * one.tokens_served) / one.tokens_asked)}%` : "",
          ]),
          1,
        )
      : h("p", { class: "hint" }, "Nobody has read yet."),
  );
}

export function clients({ clients: rows, mcp_sessions: sessions }) {
  return h(
    "section",
    { class: "card wide" },
    h("h2", {}, "Clients", h("span", { class: "hint aside" }, ` ${plural(sessions, "open MCP session")}`)),
    rows.length
      ? table(
          "Clients",
          ["Name", "Project", "By", "Sessions", "Seen"],
          rows.map((one) => [
            one.name ?? "not named",
            one.project ?? "",
            one.transport,
            number(one.session_count),
            h("time", { datetime: one.last_seen, title: whole(one.last_seen) }, ago(one.last_seen)),
          ]),
          3,
        )
      : h("p", { class: "hint" }, "Nobody yet. Connect an agent below."),
  );
}
