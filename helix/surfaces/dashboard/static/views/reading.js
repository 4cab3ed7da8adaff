// The pane in which one memory is read: its text, what it is connected with, what it was before, what can be done.

import { change, get, memoryPath, readMemory } from "../api.js";
import { citedIn, eventLink } from "../citation.js";
import { fill, h, iconButton } from "../dom.js";
import { empty, failed, loading } from "../feedback.js";
import { ago, whole, words } from "../format.js";
import { live } from "../live.js";
import { agentIn, backward, forward, isUnfiled, kindMark, memoryLink, statusMark } from "../memory-words.js";
import { go, here } from "../route.js";
import { toNodes } from "../sanitize.js";
import { toolbar } from "./actions.js";
import { drafts, editor } from "./editing.js";
import { historyOf } from "./past.js";
import { may } from "../who.js";

const DETAILS = [
  "id",
  "path",
  "scope",
  "owner",
  "visibility",
  "source",
  "created",
  "updated",
  "deleted",
  "valid_from",
  "valid_until",
  "importance",
  "hash",
];
const FOR_WHOM = { private: "for nobody else", project: "for the members of its project", team: "for the team" };
const LONGEST = 100_000; // characters; POST /render takes no more
const TIMES = new Set(["created", "updated", "deleted", "valid_from", "valid_until"]);

export function readingPane({ onChanged }) {
  const content = h("div", { class: "reading-content" });
  const element = h("article", { class: "reading", "aria-label": "Memory", tabindex: "-1" }, content);
  let id; // null when none is open
  let memory = null;
  let editing = null;
  let request = null;

  function show(next) {
    if (next === id) return;
    editing?.leave();
    editing = null;
    id = next;
    memory = null;
    element.scrollTop = 0;
    if (id === null) {
      fill(
        content,
        empty(
          "memories",
          "Choose a memory",
          may("remember") && "Or write one: what an agent should know the next time.",
        ),
      );
      return;
    }
    fill(content, loading());
    refresh();
  }

  /** Reads it anew. What somebody is writing stays; the editor is told. */
  async function refresh() {
    if (id === null) return;
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    try {
      const read = await readMemory(id, { signal });
      if (editing) {
        editing.changed(read);
        return;
      }
      const text = await rendered(read.text);
      if (signal.aborted) return;
      memory = read;
      if (drafts.has(id)) edit();
      else draw(text);
    } catch (error) {
      if (error.name !== "AbortError" && !editing) fill(content, back(), failed(error, refresh));
    }
  }

  function draw(text) {
    const body = h(
      "div",
      { class: "prose" },
      text ??
        h("p", { class: "hint" }, memory.status === "erased" ? "The text was erased for good." : "No text."),
    );
    const links = h("section", { class: "links", "aria-label": "Connections" });
    fill(
      content,
      h(
        "header",
        { class: "reading-head" },
        h(
          "div",
          { class: "reading-top" },
          back(),
          h(
            "p",
            { class: "memory-facts" },
            kindMark(memory.kind),
            memory.project && h("span", { class: "project" }, memory.project),
            isUnfiled(memory) && h("span", { class: "project" }, "unfiled"),
            memory.scope === "global" && h("span", { class: "project" }, "global"),
            statusMark(memory.status),
          ),
        ),
        h("h2", { class: "reading-title" }, memory.title || memory.id),
        h(
          "p",
          { class: "reading-line" },
          memory.owner && h("span", { class: "owner" }, `by ${memory.owner}, ${FOR_WHOM[memory.visibility]}`),
          agentIn(memory.source) && h("span", {}, `from ${agentIn(memory.source)}`),
          citedIn(memory.source) && h("span", {}, "learned from ", eventLink(citedIn(memory.source))),
          memory.updated &&
            h(
              "time",
              { datetime: memory.updated, title: whole(memory.updated) },
              `changed ${ago(memory.updated)}`,
            ),
          h(
            "span",
            { class: "tags" },
            (memory.tags ?? []).map((tag) =>
              h("a", { class: "tag", href: `#/memories?tag=${encodeURIComponent(tag)}` }, `#${tag}`),
            ),
          ),
        ),
        toolbar(memory, { onEdit: edit, onChanged: refreshAll }),
      ),
      body,
      links,
      historyOf(memory, refreshAll),
      details(memory),
    );
    connections(memory, links);
  }

  /** This memory, and the list beside it. */
  function refreshAll() {
    refresh();
    onChanged();
  }

  const back = () =>
    iconButton("back", "Back to the list", () => go({ name: "memories", query: here().query }), {
      class: "icon-button back",
    });

  function edit() {
    if (!memory || editing || memory.status === "erased" || !may("modify")) return false;
    editing = editor(memory, {
      onStale: refresh,
      onDone: () => {
        editing = null;
        refresh();
        onChanged();
        element.focus({ preventScroll: true });
      },
    });
    fill(content, editing.element);
    editing.focus();
  }

  /** Whether there is a memory to go back from; null while the editor asks what shall become of a draft. */
  function leave() {
    if (editing) {
      editing.leave({ ask: true });
      return null;
    }
    return id !== null;
  }

  const onChange = ({ detail }) => detail.id === id && refresh();
  live.addEventListener("change", onChange);

  return {
    element,
    show,
    refresh,
    edit,
    leave,
    end: () => {
      live.removeEventListener("change", onChange);
      request?.abort();
      editing?.leave();
    },
  };
}

/** The text as nodes; one that is too long to be rendered is shown as it is written. */
async function rendered(text) {
  if (!text.trim()) return null;
  if (text.length > LONGEST) return h("pre", { tabindex: "0" }, text);
  const { html } = await change("POST", "/render", { text }, { keyed: false });
  return toNodes(html);
}

/** What it points to and what points to it, by relation. */
async function connections(memory, place) {
  const found = await get(memoryPath(memory.id, "/neighbors"), {
    include_deleted: true,
    limit: 50,
    max_tokens: 20000,
  }).catch(() => null);
  const near = new Map((found?.neighbors ?? []).map((one) => [one.id, one]));
  const groups = new Map();
  const add = (label, id, one) => groups.set(label, (groups.get(label) ?? new Map()).set(id, one));
  // What it says of others, in its own order, stands before what others say of it.
  for (const { rel, to } of memory.edges ?? []) if (near.has(to)) add(forward(rel), to, near.get(to));
  for (const leaves of [true, false])
    for (const [id, one] of near)
      for (const { from, rel } of [one.edge, ...(one.more_edges ?? [])])
        if ((from === memory.id) === leaves) add(leaves ? forward(rel) : backward(rel), id, one);
  if (!groups.size) return;
  fill(
    place,
    h("h3", {}, "Connections"),
    h(
      "dl",
      { class: "link-groups" },
      [...groups].map(([label, ones]) => [
        h("dt", {}, label),
        h(
          "dd",
          {},
          h(
            "ul",
            {},
            [...ones].map(([id, one]) =>
              h(
                "li",
                {},
                one.edge.dangling
                  ? h("span", { class: "missing", title: "nothing answers to this name" }, id)
                  : [kindDot(one.kind), memoryLink(id, one.title), statusMark(one.status)],
              ),
            ),
          ),
        ),
      ]),
    ),
  );
}

const kindDot = (kind) =>
  h("span", { class: ["dot", `kind-${/^[a-z]+$/.test(kind ?? "") ? kind : "other"}`], title: kind });

function details(memory) {
  const facts = DETAILS.filter((name) => memory[name] != null && memory[name] !== "");
  return h(
    "details",
    { class: "fold" },
    h("summary", {}, "Details"),
    h(
      "dl",
      { class: "facts" },
      facts.map((name) => [
        h("dt", {}, words(name)),
        h(
          "dd",
          {},
          TIMES.has(name) ? h("time", { datetime: memory[name] }, whole(memory[name])) : String(memory[name]),
        ),
      ]),
      Object.entries(memory.extra ?? {}).map(([name, value]) => [
        h("dt", {}, name),
        h("dd", {}, typeof value === "string" ? value : JSON.stringify(value)),
      ]),
    ),
  );
}
