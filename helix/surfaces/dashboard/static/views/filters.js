// What narrows the list of memories: each filter is a word of the address, so that a link brings it along.

import { get } from "../api.js";
import { button, fill, h, icon, iconButton, put } from "../dom.js";
import { capital } from "../format.js";
import { KINDS } from "../memory-words.js";
import { may, projectNames } from "../who.js";

const DAYS = { day: 1, week: 7, month: 30, year: 365 };
const SCOPES = [
  ["", "Every scope"],
  ["project", "Projects and global"],
  ["global", "Global only"],
];
const FILINGS = [
  ["", "Filed or not"],
  ["true", "Unfiled"],
  ["false", "Filed, or global"],
];
const STATUSES = [
  ["", "Active"],
  ["all", "Every status"],
  ["superseded", "Superseded"],
  ["deleted", "Forgotten"],
  ["erased", "Erased"],
];
const TIMES = [
  ["", "Any time"],
  ["day", "Last 24 hours"],
  ["week", "Last 7 days"],
  ["month", "Last 30 days"],
  ["year", "Last year"],
  ["between", "Between …"],
];
const NAMES = ["scope", "project", "unfiled", "kind", "tag", "status", "time", "from", "to"];

export const onlyFilters = (query) =>
  Object.fromEntries(NAMES.filter((name) => query[name]).map((name) => [name, query[name]]));

/** The same as the API asks for it. */
export function toAsked(query) {
  const { project, unfiled, kind, tag } = query;
  const asked = { scope: query.scope || "all", project, unfiled, kind, tag };
  if (query.status === "all") asked.include_deleted = true;
  else if (query.status) asked.status = query.status;
  if (query.time in DAYS)
    asked.after = new Date(Date.now() - DAYS[query.time] * 86400e3).toISOString().slice(0, 19) + "Z";
  if (query.time === "between") Object.assign(asked, { after: query.from, before: query.to });
  return asked;
}

/** The panel, and the chips of what is set. `change(part)` is called with what a person chose. */
export function filterBar(change) {
  const chips = h("div", { class: "chips" });
  const panel = h("div", { class: "filters", id: "filters", hidden: true });
  const toggle = iconButton("filter", "Filters", () => show(panel.hidden), {
    "aria-expanded": "false",
    "aria-controls": "filters",
  });
  let counts = null;
  let query = {};

  function show(open) {
    panel.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
    if (open) load();
  }

  async function load() {
    draw();
    counts = await look().catch(() => counts);
    draw();
  }

  /** How many there are is told to those who may ask for figures; which projects there are, to everybody. */
  const look = async () =>
    may("analytics")
      ? get("/stats", { scope: "all", max_tokens: 20000 })
      : { by_project: Object.fromEntries((await projectNames()).map((name) => [name, null])) };

  function draw() {
    drawChips();
    if (panel.hidden) return;
    const known = (part, least = []) =>
      [...new Set([...Object.keys(counts?.[part] ?? {}).filter(Boolean), ...least])].sort();
    const focused = document.activeElement?.name;
    fill(
      panel,
      choice("scope", "Scope", SCOPES),
      choice("project", "Project", [
        ["", "Every project"],
        ...known("by_project").map(counted("by_project")),
      ]),
      choice("unfiled", "Filing", FILINGS),
      choice("kind", "Kind", [["", "Every kind"], ...known("by_kind", KINDS).map(counted("by_kind"))]),
      tagField(known("by_tag")),
      choice("status", "Status", STATUSES),
      choice("time", "Created", TIMES),
      query.time === "between" && [date("from", "From"), date("to", "To")],
    );
    panel.querySelector(`[name="${focused}"]`)?.focus();
  }

  const counted = (part) => (name) => [
    name,
    counts?.[part]?.[name] ? `${name} (${counts[part][name]})` : name,
  ];

  function choice(name, label, options) {
    const missing =
      query[name] && !options.some(([value]) => value === query[name]) ? [[query[name], query[name]]] : [];
    const select = h(
      "select",
      { name, onchange: () => change({ [name]: select.value }) },
      [...options, ...missing].map(([value, text]) => h("option", { value }, text)),
    );
    select.value = query[name] ?? "";
    return h("label", { class: "field" }, h("span", {}, label), select);
  }

  function tagField(tags) {
    const field = h("input", {
      name: "tag",
      list: "known-tags",
      placeholder: "Any tag",
      autocomplete: "off",
      value: query.tag ?? "",
      onchange: () => change({ tag: field.value.trim().replace(/^#/, "") }),
    });
    return h(
      "label",
      { class: "field" },
      h("span", {}, "Tag"),
      field,
      h(
        "datalist",
        { id: "known-tags" },
        tags.slice(0, 500).map((value) => h("option", { value })),
      ),
    );
  }

  function date(name, label) {
    const field = h("input", {
      type: "date",
      name,
      value: query[name] ?? "",
      onchange: () => change({ [name]: field.value }),
    });
    return h("label", { class: "field" }, h("span", {}, label), field);
  }

  function drawChips() {
    const worded = (name, value) =>
      name === "unfiled" ? FILINGS.find(([one]) => one === value)?.[1] : `${capital(name)}: ${value}`;
    const set = Object.entries(onlyFilters(query)).filter(
      ([name, value]) => !(name === "time" && value === "between"),
    );
    toggle.classList.toggle("is-set", set.length > 0);
    fill(
      chips,
      set.map(([name, value]) =>
        h(
          "button",
          {
            type: "button",
            class: "chip",
            "aria-label": `Remove filter ${name}: ${value}`,
            onclick: () => change({ [name]: "" }),
          },
          worded(name, value),
          icon("close"),
        ),
      ),
    );
    if (set.length > 1)
      put(
        chips,
        button("Clear", () => change(Object.fromEntries(NAMES.map((name) => [name, ""]))), { kind: "link" }),
      );
  }

  return {
    toggle,
    panel,
    chips,
    update: (now) => {
      query = now;
      draw();
    },
  };
}
