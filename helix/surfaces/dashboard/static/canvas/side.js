// Beside a canvas: what the colours mean, and everything on it as a list, for who does not point with a mouse.

import { button, fill, h, put } from "../dom.js";
import { plural } from "../format.js";
import { memoryLink } from "../memory-words.js";

const AT_ONCE = 100;

/**
 * `entries` are `{name, label, variable, count, shape}`; `toggle(name, shown)` where a person may hide them, and
 * `hidden` says what they have hidden already.
 */
export function legend(title, entries, toggle = null, hidden = new Set()) {
  return h(
    "fieldset",
    { class: "legend" },
    h("legend", {}, title),
    entries.map(({ name, label, variable, count, shape = "dot" }) => {
      const mark = h("span", { class: ["mark", shape] });
      mark.style.background = `var(${variable})`;
      const words = [
        mark,
        h("span", { class: "legend-label" }, label),
        count != null && h("span", { class: "legend-count" }, count),
      ];
      if (!toggle) return h("div", { class: "legend-entry" }, words);
      const box = h("input", { type: "checkbox", onchange: () => toggle(name, box.checked) });
      box.checked = !hidden.has(name);
      return h("label", { class: "legend-entry" }, box, words);
    }),
  );
}

/** `items` are `{id, title, detail}`; `onPoint(index)` while one has the focus or the mouse. */
export function listOf(items, onPoint, filter = { words: "" }) {
  const field = h("input", {
    type: "search",
    placeholder: "Filter the list",
    "aria-label": "Filter the list",
    autocomplete: "off",
    value: filter.words,
    oninput: () => ((filter.words = field.value), draw(AT_ONCE)),
  });
  const note = h("p", { class: "hint", role: "status" });
  const list = h("ul", { class: "side-list" });

  function draw(most) {
    const words = field.value.trim().toLowerCase();
    const found = items.filter(
      ({ title, detail }) => !words || `${title} ${detail}`.toLowerCase().includes(words),
    );
    note.textContent = plural(found.length, "memory", "memories");
    fill(
      list,
      found.slice(0, most).map((one) =>
        h(
          "li",
          {},
          memoryLink(one.id, one.title, {
            onfocus: () => onPoint(one.index),
            onmouseenter: () => onPoint(one.index),
            onblur: () => onPoint(-1),
            onmouseleave: () => onPoint(-1),
          }),
          h("span", { class: "hint" }, one.detail),
        ),
      ),
    );
    if (found.length > most)
      put(
        list,
        h(
          "li",
          {},
          button("Show more", () => draw(most + AT_ONCE), { kind: "quiet" }),
        ),
      );
  }
  draw(AT_ONCE);
  return h(
    "section",
    { class: "side-section", "aria-label": "As a list" },
    h("h2", {}, "As a list"),
    field,
    note,
    list,
  );
}
