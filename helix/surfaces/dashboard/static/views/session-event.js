// One event of a log: who did what, in words; the whole of it, its citation and its memory when it is opened.

import { get } from "../api.js";
import { placeOf } from "../citation.js";
import { button, fill, h, put } from "../dom.js";
import { copy } from "../feedback.js";
import { clock, whole } from "../format.js";
import { memoryLink } from "../memory-words.js";
import { spell } from "../route.js";
import { may } from "../who.js";

// Where the payloads of the known types say what happened.
const TELLING = ["content", "decision", "title", "summary", "text", "key", "issue", "command", "task", "source"];
const LONGEST = 600;

export function eventRow(session, event, { isCited, isNew, isOpen, isBroken, onErase }) {
  const memory = h("span", { class: "event-memory" });
  const everything = h("pre", { tabindex: "0", "aria-label": `Event ${event.seq}, whole` });
  const fold = h(
    "details",
    { class: "event-fold", data: { key: event.hash }, ontoggle: () => fold.open && tell() },
    h("summary", { data: { focus: event.hash } }, `Event ${event.seq}`),
    everything,
    h(
      "div",
      { class: "row" },
      button("Copy citation", () => copy(event.citation, "the citation"), { symbol: "quote", data: { focus: `copy ${event.hash}` } }),
      button("Copy link for a note", () => copy(noteLink(session, event), "the link"), { symbol: "link", data: { focus: `link ${event.hash}` } }),
      !event.erased_at &&
        may("forget") &&
        button("Erase …", onErase, { symbol: "forget", kind: "danger", data: { focus: `erase ${event.hash}` } }),
      memory,
    ),
  );
  let isTold = false;

  /** The memory that it became is asked for when somebody looks. */
  async function tell() {
    if (isTold) return;
    isTold = true;
    const { payload, prev_hash, hash } = event;
    fill(everything, JSON.stringify({ payload, prev_hash, hash }, null, 2));
    try {
      const path = `/sessions/${encodeURIComponent(session)}/events/${event.seq}`;
      const { memory_id } = await get(path, { hash: event.hash });
      if (memory_id) put(memory, "became ", memoryLink(memory_id, "a memory"));
    } catch {
      isTold = false; // then it is asked again when it is opened again
    }
  }

  fold.open = isOpen;
  return h(
    "li",
    {
      class: ["log-event", isCited && "is-cited", isNew && "is-new", isBroken && "is-broken"],
      data: { seq: event.seq },
      "aria-current": isCited && "true",
    },
    h("time", { datetime: event.timestamp, title: whole(event.timestamp) }, clock(event.timestamp)),
    h(
      "div",
      { class: "log-body" },
      h(
        "p",
        { class: "memory-facts" },
        h("span", { class: "log-type" }, event.type),
        h("span", { class: "who" }, event.payload.role ? `${event.actor}, ${event.payload.role}` : event.actor),
        event.erased_at && h("span", { class: "badge erased" }, "erased"),
        isBroken && h("span", { class: "badge bad" }, "the chain breaks here"),
      ),
      h("p", { class: "log-text" }, event.erased_at ? "The content was erased for good." : told(event.payload)),
      fold,
    ),
  );
}

/** As a note in Obsidian or anywhere else has it; a click there opens the event here. */
function noteLink(session, event) {
  const place = placeOf({ session, seq: String(event.seq), hash: event.hash.slice(0, 12) });
  return `[event ${event.seq} of ${session}](${location.origin}${location.pathname}${spell(place)})`;
}

function told(payload) {
  const name = TELLING.find((key) => typeof payload[key] === "string" && payload[key].trim());
  const text = name ? payload[name].trim() : Object.keys(payload).length ? JSON.stringify(payload) : "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
