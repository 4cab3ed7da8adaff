// The pane in which one session is read: what was learned from it, whether its log holds, and what happened, by turn.

import { change, get, pages } from "../api.js";
import { button, fill, h, iconButton, put } from "../dom.js";
import { ask, empty, failed, loading, toast } from "../feedback.js";
import { ago, plural, whole } from "../format.js";
import { kindMark, memoryLink, statusMark } from "../memory-words.js";
import { go } from "../route.js";
import { breaks, integrityMark } from "./integrity.js";
import { eventRow } from "./session-event.js";
import { drawTurns, turnsOf } from "./turns.js";

const SPAN = 200; // events that are shown at first, and with every step further
const BEFORE = 40; // of them before an event that was asked for
const MOST_PAGES = 20;
const WAITS = [2000, 2000, 2000, 4000, 8000, 15000]; // a session in which nothing happens is asked less often

export function sessionPane({ onChanged }) {
  const content = h("div", { class: "reading-content session" });
  const element = h("article", { class: "reading", "aria-label": "Session", tabindex: "-1" }, content);
  let id; // null when none is open
  let wanted = {}; // the event that the address names
  let request = null;
  let details = null;
  let integrity = null;
  let events = [];
  let isAtEnd = true;
  let timer = null;
  let quiet = 0; // times in a row that nothing had happened

  function show(next, query) {
    const isSame = next === id;
    if (isSame && query.seq === wanted.seq && query.hash === wanted.hash) return;
    id = next;
    wanted = query;
    if (id === null) {
      stop();
      fill(content, empty("sessions", "Choose a session", "What an agent did, from start to end."));
      return;
    }
    if (isSame && wantedEvent()) {
      draw();
      return;
    }
    element.scrollTop = 0;
    fill(content, loading());
    refresh();
  }

  const wantedEvent = () =>
    events.find((one) => String(one.seq) === wanted.seq && one.hash.startsWith(wanted.hash ?? ""));
  const path = (rest = "") => `/sessions/${encodeURIComponent(id)}${rest}`;
  const newest = () => Math.max(1, ...details.heads.map((head) => head.seq));

  async function refresh() {
    if (id === null) return;
    stop();
    request = new AbortController();
    const { signal } = request;
    try {
      details = await get(path(), undefined, { signal });
      const seq = Number(wanted.seq) || newest();
      const from = Math.max(1, wanted.seq ? seq - BEFORE : seq - SPAN + 1);
      integrity = null;
      events = await read(from, from + SPAN - 1, signal);
      isAtEnd = from + SPAN > newest();
      draw();
      watch();
    } catch (error) {
      if (error.name !== "AbortError") fill(content, back(), failed(error, refresh));
    }
  }

  async function read(from, to, signal) {
    const found = [];
    let count = 0;
    const asked = { from_seq: from, to_seq: to, limit: 1000, max_tokens: 60000 };
    for await (const page of pages(path("/events"), asked, { signal })) {
      integrity = page.integrity ?? integrity;
      found.push(...page.events);
      count += 1;
      if (count === MOST_PAGES) break;
    }
    return found;
  }

  /** Asks whether something happened, while the page can be seen. */
  function watch() {
    clearTimeout(timer);
    timer = setTimeout(follow, WAITS[Math.min(quiet, WAITS.length - 1)]);
  }

  async function follow() {
    const { signal } = request;
    try {
      if (!document.hidden) {
        const now = await get(path(), undefined, { signal });
        const isMore = now.events !== details.events;
        quiet = isMore ? 0 : quiet + 1;
        const hasNews = isMore || JSON.stringify(now.learned) !== JSON.stringify(details.learned);
        // Of two chains either may have grown, in the middle of what is shown.
        const isForked = now.heads.length > 1;
        const last = events.at(-1)?.seq ?? 0;
        details = now;
        if (hasNews && isAtEnd) {
          const first = isForked ? (events[0]?.seq ?? 1) : last + 1;
          const arrived = await read(first, undefined, signal);
          const known = new Set(events.map((one) => one.hash));
          events = isForked ? arrived : [...events, ...arrived];
          draw(new Set(arrived.map((one) => one.hash).filter((hash) => !known.has(hash))));
        } else if (hasNews) draw();
      }
    } catch (error) {
      if (error.name === "AbortError") return; // and a daemon that is away is said elsewhere
    }
    if (!signal.aborted) watch();
  }

  async function further(from, to) {
    try {
      const found = await read(from, to, request.signal);
      events = from < (events[0]?.seq ?? 0) ? [...found, ...events] : [...events, ...found];
      isAtEnd = (events.at(-1)?.seq ?? 0) >= newest();
      draw();
    } catch (error) {
      if (error.name !== "AbortError") toast(error.message, { tone: "bad" });
    }
  }

  function draw(arrived = new Set()) {
    const isFollowing = element.scrollTop + element.clientHeight >= element.scrollHeight - 80;
    const open = new Set([...content.querySelectorAll("details[open]")].map((one) => one.dataset.key));
    const shut = new Set([...content.querySelectorAll("details.turn:not([open])")].map((one) => one.dataset.key));
    const focused = content.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const at = wantedEvent();
    const first = events[0]?.seq ?? 1;
    const last = events.at(-1)?.seq ?? 0;
    fill(
      content,
      head(),
      integrity && breaks(id, integrity),
      learned(),
      wanted.seq && !at && h("p", { class: "problem", role: "alert" }, `There is no such event: ${wanted.seq} ${wanted.hash ?? ""}`),
      h("h3", { class: "session-part" }, "What happened"),
      first > 1 &&
        button(`Show earlier events`, () => further(Math.max(1, first - SPAN), first - 1), { kind: "quiet" }),
      drawTurns(turnsOf(events), {
        isOpen: (turn, isLast) =>
          open.has(turn.key) || turn.events.includes(at) || (!shut.has(turn.key) && (isLast || events.length <= SPAN / 4)),
        row: (event) =>
          eventRow(id, event, {
            isCited: event === at,
            isNew: arrived.has(event.hash),
            isOpen: open.has(event.hash) || event === at,
            isBroken: integrity?.broken_at_seq === event.seq,
            onErase: () => erase(event),
          }),
      }),
      !isAtEnd && button("Show later events", () => further(last + 1, last + SPAN), { kind: "quiet" }),
    );
    if (focused) content.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    if (at && element.dataset.at !== at.hash) content.querySelector(".log-event.is-cited")?.scrollIntoView({ block: "center" });
    else if (arrived.size && isFollowing) element.scrollTop = element.scrollHeight;
    element.dataset.at = at?.hash ?? "";
  }

  const head = () =>
    h(
      "header",
      { class: "reading-head" },
      h(
        "div",
        { class: "reading-top" },
        back(),
        h("p", { class: "memory-facts" }, integrity && integrityMark(integrity), h("span", { class: "pulse is-live" }, "following")),
      ),
      h("h2", { class: "reading-title" }, id),
      h(
        "p",
        { class: "reading-line" },
        h("span", {}, plural(details.events, "event")),
        integrity?.erased > 0 && h("span", {}, `${integrity.erased} erased`),
        details.actors.length > 0 && h("span", {}, `by ${details.actors.join(", ")}`),
        h("time", { datetime: details.last, title: whole(details.last) }, `last ${ago(details.last)}`),
        details.heads.length > 1 && h("span", { class: "badge warn" }, `${details.heads.length} ends`),
      ),
    );

  const learned = () =>
    h(
      "section",
      { class: "learned", "aria-label": "What was learned" },
      h("h3", { class: "session-part" }, "What was learned"),
      details.learned.length
        ? h(
            "ul",
            {},
            details.learned.map((one) =>
              h("li", {}, kindMark(one.kind), memoryLink(one.id, one.title), statusMark(one.status)),
            ),
          )
        : h("p", { class: "hint" }, "No memory names this session as its source."),
    );

  function erase(event) {
    const field = h("input", { name: "sure", autocomplete: "off", autofocus: true, placeholder: "erase" });
    ask(
      "Erase for good",
      [
        h(
          "p",
          {},
          "The content of ",
          h("b", {}, `event ${event.seq} (${event.type})`),
          " is removed from the log, also on other machines. Its hash stays, so that the chain still verifies.",
        ),
        h("p", { class: "hint" }, "A memory that was made of it stays; forget or erase it by itself."),
        h("label", { class: "field" }, h("span", {}, "Type “erase” to go on"), field),
      ],
      {
        confirm: "Erase",
        tone: "danger",
        done: async () => {
          if (field.value.trim().toLowerCase() !== "erase") throw new Error("Type the word erase, or cancel.");
          const body = { seq: event.seq, hash: event.hash };
          const done = await change("POST", path("/erase"), body, { keyed: false });
          toast(
            "Erased",
            done.memory_id
              ? { label: "Show its memory", act: () => go({ name: "memory", arg: done.memory_id }) }
              : {},
          );
          refresh();
          onChanged();
        },
      },
    );
  }

  const back = () =>
    iconButton("back", "Back to the list", () => go({ name: "sessions" }), { class: "icon-button back" });

  function stop() {
    clearTimeout(timer);
    request?.abort();
    quiet = 0;
  }

  return { element, show, refresh, end: stop };
}
