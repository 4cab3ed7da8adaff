// Sessions: the list on the left, the one that something happened in last first, and the session that is open beside it.

import { get } from "../api.js";
import { citationIn, placeOf } from "../citation.js";
import { button, fill, h, put } from "../dom.js";
import { empty, failed, loading } from "../feedback.js";
import { ago, plural, whole } from "../format.js";
import { useKeys } from "../keys.js";
import { go, replace, spell } from "../route.js";
import { captureSwitch } from "./capture.js";
import { integrityMark } from "./integrity.js";
import { sessionPane } from "./session.js";
import { may } from "../who.js";

const LISTED = { limit: 50, max_tokens: 8000 };
const OFTEN = 5000; // logs are not part of the stream of changes, so the list is asked for anew

export const sessions = { name: "sessions", title: "Sessions", begin };

function begin(root, first) {
  const list = h("ol", { class: "memory-list session-list", "aria-label": "Sessions" });
  const more = h("div", { class: "list-more" });
  const scroll = h("div", { class: "list-scroll", tabindex: "-1" }, list, more);
  const capture = may("diagnostics") ? captureSwitch({ onChanged: () => load() }) : null;
  const pane = sessionPane({ onChanged: () => load() });
  put(
    root,
    h(
      "div",
      { class: "split" },
      h(
        "section",
        { class: "list-column", "aria-label": "All sessions" },
        h("h1", { class: "list-title" }, "Sessions"),
        capture?.element,
        scroll,
      ),
      pane.element,
    ),
  );

  let route = first;
  let request = null;
  let cursor = null;
  let drawn = ""; // the rows that are on the screen, as one string
  let isBeyond = false; // somebody asked for more than the first page: that one stays
  const marks = new Map(); // of a session as it was: a log is verified again when it has grown

  function update(next) {
    route = next;
    if (route.name === "cite") {
      const place = citationIn(route.arg ?? "");
      replace(place ? placeOf(place) : { name: "sessions" });
      return;
    }
    const open = route.name === "session" ? route.arg : null;
    root.classList.toggle("is-reading", open !== null);
    pane.show(open, route.query);
    markOpen();
  }

  async function load() {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    if (!list.children.length) fill(more, loading());
    try {
      const page = await get("/sessions", LISTED, { signal });
      const rows = JSON.stringify(page.sessions);
      if (rows === drawn) return;
      drawn = rows;
      const focused = list.contains(document.activeElement) ? document.activeElement.dataset.session : null;
      fill(list);
      show(page);
      if (focused) list.querySelector(`[data-session="${CSS.escape(focused)}"]`)?.focus();
      if (!page.sessions.length)
        fill(
          more,
          empty(
            "sessions",
            "No sessions yet",
            "A session is what one agent did from start to end. As soon as one appends an event, it stands here.",
          ),
        );
    } catch (error) {
      if (error.name !== "AbortError" && !list.children.length) fill(more, failed(error, load));
    }
  }

  async function loadMore() {
    isBeyond = true;
    try {
      show(await get("/sessions", { ...LISTED, cursor }, { signal: request?.signal }));
    } catch (error) {
      if (error.name !== "AbortError") fill(more, failed(error, loadMore));
    }
  }

  function show(page) {
    const rows = page.sessions.map((session) => [session, row(session)]);
    put(
      list,
      rows.map(([, element]) => element),
    );
    cursor = page.next_cursor;
    fill(more, cursor && button("Show more", loadMore, { kind: "quiet" }));
    markOpen();
    verifyAll(rows, request.signal);
  }

  /** One after the other: a log is read whole to be verified, and somebody may be waiting for something else. */
  async function verifyAll(rows, signal) {
    for (const [session, element] of rows) {
      const key = `${session.session_id} ${session.events} ${session.last}`;
      try {
        if (!marks.has(key)) marks.set(key, (await readIntegrity(session.session_id, signal)) ?? null);
      } catch (error) {
        if (error.name === "AbortError") return;
        continue; // its page says why
      }
      const found = marks.get(key);
      if (found) fill(element.querySelector(".session-mark"), integrityMark(found));
    }
  }

  function markOpen() {
    for (const link of list.querySelectorAll("a")) {
      if (link.dataset.session === route.arg) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  function move(step) {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    const from = at >= 0 ? at : links.findIndex((link) => link.dataset.session === route.arg);
    const next = links[Math.min(links.length - 1, Math.max(0, from + step))];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  const next = () => move(1);
  const before = () => move(-1);
  useKeys({
    j: next,
    k: before,
    ArrowDown: next,
    ArrowUp: before,
    Escape: () => route.name === "session" && go({ name: "sessions" }),
  });
  const timer = setInterval(() => !document.hidden && !isBeyond && load(), OFTEN);
  load();
  update(first);
  return {
    update,
    refresh: () => {
      load();
      capture?.load();
      pane.refresh();
    },
    end: () => {
      clearInterval(timer);
      request?.abort();
      pane.end();
    },
  };
}

/** What a replay says of the whole log; of files that nobody touched it is known already. */
const readIntegrity = async (id, signal) =>
  (await get(`/sessions/${encodeURIComponent(id)}/events`, { limit: 1 }, { signal })).integrity;

function row(session) {
  return h(
    "li",
    {},
    h(
      "a",
      {
        class: "memory-row",
        href: spell({ name: "session", arg: session.session_id }),
        data: { session: session.session_id },
      },
      h("span", { class: "memory-title" }, session.session_id),
      h(
        "span",
        { class: "memory-facts" },
        h("span", {}, plural(session.events, "event")),
        h("span", { class: "session-mark" }),
        h("time", { datetime: session.last, title: whole(session.last) }, ago(session.last)),
      ),
    ),
  );
}
