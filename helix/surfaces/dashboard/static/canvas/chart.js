// The frame of a view that is a canvas: a head with choices, the canvas with its buttons and a tip, the side.

import { fill, h, iconButton, put } from "../dom.js";
import { useKeys } from "../keys.js";
import { kindMark, statusMark } from "../memory-words.js";
import { plane } from "./plane.js";

export function chart(root, { title, choices, ...options }) {
  const tip = h("div", { class: "tip", hidden: true });
  const note = h("p", { class: "chart-note", role: "status" });
  const stage = h("div", { class: "stage" });
  const side = h("aside", {
    class: "chart-side",
    id: "chart-side",
    "aria-label": `${title}: legend and list`,
  });
  const toggle = iconButton(
    "list",
    "Legend and list",
    () => {
      const open = root.classList.toggle("is-listed");
      toggle.setAttribute("aria-expanded", String(open));
    },
    { class: "icon-button chart-toggle", "aria-expanded": "false", "aria-controls": "chart-side" },
  );
  const at = plane({ ...options, onHover });
  put(
    stage,
    at.canvas,
    tip,
    note,
    h(
      "div",
      { class: "chart-buttons", role: "group", "aria-label": "Zoom" },
      iconButton("plus", "Zoom in", () => at.zoom(1.4)),
      iconButton("minus", "Zoom out", () => at.zoom(1 / 1.4)),
      iconButton("fit", "Fit", () => at.fit()),
    ),
  );
  put(
    root,
    h(
      "div",
      { class: "chart" },
      h("header", { class: "chart-head" }, h("h1", {}, title), choices, toggle),
      stage,
      side,
    ),
  );
  useKeys({
    "+": () => at.zoom(1.4),
    "=": () => at.zoom(1.4),
    "-": () => at.zoom(1 / 1.4),
    0: () => at.fit(),
  });

  function onHover(index) {
    const one = index >= 0 ? options.describe(index) : null;
    options.onHover?.(index);
    tip.hidden = !one;
    if (!one) return;
    fill(
      tip,
      h("b", {}, one.title),
      h(
        "span",
        { class: "memory-facts" },
        kindMark(one.kind),
        one.project && h("span", { class: "project" }, one.project),
        statusMark(one.status),
      ),
    );
    const { x, y } = options.points();
    const [left, top] = at.toScreen(x[index], y[index]);
    tip.style.left = `${Math.max(8, Math.min(left + 12, at.size.width - 280))}px`;
    tip.style.top = `${Math.max(8, Math.min(top + 14, at.size.height - 80))}px`;
  }

  return { ...at, side, note, stage };
}

const MANY = 400; // of one colour

/** Fills circles of one colour in one go: a path for each of thousands would cost a frame. */
export function dots(context, colour, radius, places) {
  const square = places.length > MANY ? 2.5 : 1.6; // pixels; up to here nobody sees the corners, and a square is quick
  context.fillStyle = colour;
  context.beginPath();
  for (const [x, y, r = radius] of places) {
    if (r < square) context.rect(x - r, y - r, 2 * r, 2 * r);
    else {
      context.moveTo(x + r, y);
      context.arc(x, y, r, 0, 6.2832);
    }
  }
  context.fill();
}
