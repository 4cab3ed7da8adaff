// What was learned, changed, forgotten and merged, by whom, newest first; and live as it happens.

import { get } from "../api.js";
import { button, fill, h, icon, put } from "../dom.js";
import { empty, failed, loading } from "../feedback.js";
import { capital, clock, day, whole } from "../format.js";
import { live } from "../live.js";
import { kindMark, memoryLink } from "../memory-words.js";
import { here, replace } from "../route.js";
import { projectNames } from "../who.js";

const WHAT = {
  learned: "plus",
  changed: "edit",
  forgotten: "forget",
  restored: "restore",
  superseded: "replace",
  merged: "link",
  erased: "close",
  moved: "open",
  gone: "minus",
  refused: "alert",
};
const WHO = { agent: "agents", person: "people", sync: "sync", helix: "Helix" };
const PAGE = { limit: 50, max_tokens: 16000 };

export const timeline = { name: "timeline", title: "Timeline", begin };

function begin(root, first) {
  let route = first;
  let cursor = null;
  let request = null;
  let newest = 0;
  let arrived = null; // what happens while the list is being read
  const days = h("div", { class: "days" });
  const more = h("div", { class: "list-more" });
  const pulse = h("span", { class: "pulse" });
  const choose = (name, label, options) => {
    const select = h(
      "select",
      {
        "aria-label": label,
        name,
        onchange: () => replace({ ...here(), query: { ...here().query, [name]: select.value } }),
      },
      options.map(([value, text]) => h("option", { value }, text)),
    );
    return select;
  };
  const what = choose("what", "What happened", [
    ["", "Everything"],
    ...Object.keys(WHAT).map((one) => [one, capital(one)]),
  ]);
  const who = choose("who", "By whom", [
    ["", "By anybody"],
    ...Object.entries(WHO).map(([one, label]) => [one, `By ${label}`]),
  ]);
  const project = choose("project", "Project", [["", "Every project"]]);
  const page = h(
    "div",
    { class: "page timeline" },
    h(
      "header",
      { class: "page-head" },
      h("h1", {}, "Timeline"),
      pulse,
      h("div", { class: "filters-row" }, what, who, project),
    ),
    days,
    more,
  );
  put(root, page);
  const seen = new IntersectionObserver(
    (entries) => entries.some((one) => one.isIntersecting) && loadMore(),
    { root: page, rootMargin: "300px" },
  );
  seen.observe(more);

  const asked = () => ({
    ...PAGE,
    what: route.query.what,
    who: route.query.who,
    project: route.query.project,
  });

  async function load() {
    request?.abort();
    request = new AbortController();
    arrived = [];
    if (!days.children.length) fill(more, loading());
    try {
      const answer = await get("/timeline", asked(), { signal: request.signal });
      fill(days);
      newest = 0;
      show(answer);
      const missed = arrived;
      arrived = null;
      missed.forEach(tell);
      if (!answer.events.length)
        fill(
          more,
          empty(
            "timeline",
            "Nothing happened yet",
            Object.values(asked()).length > 2 && (route.query.what || route.query.who || route.query.project)
              ? "Nothing of this kind; take a filter away."
              : "As soon as a memory is written, changed or forgotten it stands here.",
          ),
        );
    } catch (error) {
      if (error.name !== "AbortError") fill(more, failed(error, load));
    }
  }

  async function loadMore() {
    if (!cursor) return;
    const from = cursor;
    cursor = null;
    try {
      show(await get("/timeline", { ...asked(), cursor: from }, { signal: request.signal }));
    } catch (error) {
      if (error.name !== "AbortError")
        fill(
          more,
          failed(error, () => {
            cursor = from;
            loadMore();
          }),
        );
    }
  }

  function show(answer) {
    for (const event of answer.events) add(event, "append");
    cursor = answer.next_cursor;
    fill(more, cursor && button("Show more", loadMore, { kind: "quiet" }));
  }

  function add(event, where) {
    newest = Math.max(newest, event.seq ?? 0);
    const name = day(event.time);
    const edge = where === "append" ? days.lastElementChild : days.firstElementChild;
    let section = edge?.dataset.day === name ? edge : null;
    if (!section) {
      section = h("section", { data: { day: name } }, h("h2", {}, name), h("ol", { class: "events" }));
      days[where](section);
    }
    section.lastElementChild[where](row(event));
  }

  function tell(event) {
    if (arrived) {
      arrived.push(event);
      return;
    }
    if (event.seq <= newest || !fits(event, route.query)) return;
    if (!days.children.length) fill(more);
    add(event, "prepend");
    days.querySelector("li").classList.add("is-new");
  }

  const onChange = ({ detail }) => tell(detail);
  const onState = () => {
    pulse.className = live.isOpen ? "pulse is-live" : "pulse";
    pulse.textContent = live.isOpen ? "live" : "not live";
  };
  live.addEventListener("change", onChange);
  live.addEventListener("state", onState);
  onState();

  function update(next) {
    route = next;
    [what.value, who.value] = [route.query.what ?? "", route.query.who ?? ""];
    days.replaceChildren();
    load();
  }

  async function loadProjects() {
    const names = await projectNames().catch(() => []);
    fill(
      project,
      h("option", { value: "" }, "Every project"),
      names.map((value) => h("option", { value }, value)),
    );
    project.value = route.query.project ?? "";
  }

  loadProjects();
  update(first);
  return {
    update,
    refresh: () => update(route),
    end: () => {
      request?.abort();
      seen.disconnect();
      live.removeEventListener("change", onChange);
      live.removeEventListener("state", onState);
    },
  };
}

const fits = (event, query) =>
  ["what", "who", "project"].every((name) => !query[name] || event[name] === query[name]);

function row(event) {
  const title = event.title || event.path || event.id || "a memory";
  return h(
    "li",
    { class: "event", data: { what: event.what } },
    h("time", { datetime: event.time, title: whole(event.time) }, clock(event.time)),
    h(
      "span",
      { class: ["event-mark", `what-${event.what in WHAT ? event.what : "changed"}`] },
      icon(WHAT[event.what] ?? "edit"),
    ),
    h(
      "div",
      { class: "event-body" },
      h(
        "p",
        { class: "event-line" },
        h("span", { class: "event-what" }, event.what),
        " ",
        event.id && event.what !== "erased" ? memoryLink(event.id, title) : h("span", {}, title),
      ),
      h(
        "p",
        { class: "memory-facts" },
        byWhom(event),
        event.kind && kindMark(event.kind),
        event.project && h("span", { class: "project" }, event.project),
        event.detail && h("span", { class: "event-detail" }, event.detail),
      ),
    ),
  );
}

const byWhom = (event) =>
  event.who &&
  h(
    "span",
    { class: ["who", `who-${event.who in WHO ? event.who : "helix"}`] },
    event.name ||
      { agent: "an agent", person: "a person", sync: "sync", helix: "Helix" }[event.who] ||
      event.who,
  );
