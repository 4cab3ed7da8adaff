// Choosing another memory: type, move with the arrows, Enter.

import { get } from "./api.js";
import { fill, h } from "./dom.js";
import { kindMark } from "./memory-words.js";

const TYPED = 120;

/** `chosen()` is the memory that is marked, or null. */
export function picker(label, { without = null } = {}) {
  const field = h("input", {
    id: "picker",
    type: "text", // in a search field Escape empties the field, and the dialog stays
    autocomplete: "off",
    spellcheck: false,
    placeholder: "Search for the other memory",
    autofocus: true,
    role: "combobox",
    "aria-expanded": "true",
    "aria-controls": "picked",
    "aria-autocomplete": "list",
    oninput: typed,
    onkeydown: onKey,
  });
  const list = h("ul", { class: "picker", id: "picked", role: "listbox", "aria-label": label });
  let found = [];
  let at = 0;
  let timer = null;
  let request = null;

  function typed() {
    clearTimeout(timer);
    timer = setTimeout(look, TYPED);
  }

  async function look() {
    request?.abort();
    request = new AbortController();
    const q = field.value.trim();
    try {
      const page = await get(
        q ? "/recall" : "/recent",
        { ...(q ? { q } : {}), scope: "all", limit: 8, max_tokens: 8000, format: "detailed" },
        { signal: request.signal },
      );
      found = page.results.filter((one) => one.id !== without);
      at = 0;
      draw();
    } catch (error) {
      if (error.name !== "AbortError") fill(list, h("li", { class: "hint" }, error.message));
    }
  }

  function draw() {
    fill(
      list,
      found.length
        ? found.map((one, index) =>
            h(
              "li",
              {
                id: `pick-${index}`,
                role: "option",
                "aria-selected": String(index === at),
                onclick: () => {
                  at = index;
                  draw();
                },
              },
              h("span", { class: "memory-title" }, one.title || one.id),
              h(
                "span",
                { class: "memory-facts" },
                kindMark(one.kind),
                one.project && h("span", { class: "project" }, one.project),
              ),
            ),
          )
        : h("li", { class: "hint" }, "Nothing fits."),
    );
    field.setAttribute("aria-activedescendant", found.length ? `pick-${at}` : "");
  }

  function onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    at = Math.min(found.length - 1, Math.max(0, at + step));
    draw();
    list.children[at]?.scrollIntoView({ block: "nearest" });
  }

  look();
  return {
    element: h("div", { class: "field" }, h("label", { for: "picker" }, label), field, list),
    chosen: () => found[at] ?? null,
  };
}
