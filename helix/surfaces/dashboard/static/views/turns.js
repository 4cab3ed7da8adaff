// Events folded by turn: what a person said, and everything that happened until they spoke again.

import { h } from "../dom.js";
import { plural, snippet } from "../format.js";

const isSpoken = (event) => event.type === "transcript.turn" && event.payload.role === "user";

export function turnsOf(events) {
  const turns = [];
  for (const event of events) {
    if (!turns.length || isSpoken(event)) turns.push({ key: `turn ${event.hash}`, events: [] });
    turns.at(-1).events.push(event);
  }
  return turns;
}

export function drawTurns(turns, { isOpen, row }) {
  return h(
    "div",
    { class: "turns" },
    turns.map((turn, index) => {
      const [first] = turn.events;
      const title = isSpoken(first) && first.payload.content ? snippet(first.payload.content) : "Without a question";
      const fold = h(
        "details",
        { class: "turn", data: { key: turn.key } },
        h(
          "summary",
          { data: { focus: turn.key } },
          h("span", { class: "turn-title" }, title),
          h("span", { class: "turn-count" }, plural(turn.events.length, "event")),
        ),
        h("ol", { class: "log-events" }, turn.events.map(row)),
      );
      fold.open = isOpen(turn, index === turns.length - 1);
      return fold;
    }),
  );
}
