// Keys without a modifier. They can be switched off, since software that listens to a voice types them by mistake.

import { h } from "./dom.js";
import { present } from "./feedback.js";
import { may } from "./who.js";

const OFF = "helix-keys-off";
const HELP = [
  ["/", "search"],
  ["j  k  or  ↓ ↑", "next, previous in the list"],
  ["Enter", "open"],
  ["e", "edit the memory that is open", "modify"],
  ["n", "write a new memory", "remember"],
  ["Ctrl Enter", "save"],
  ["Esc", "close, or back to the list"],
  ["1 … 8", "go to a view"],
  ["+  −  0", "in graph and map: zoom, fit"],
  ["?", "this help"],
];

let ofView = {};
const ofPage = {};

/** The keys of the view that is shown; a new view brings its own. */
export function useKeys(map) {
  ofView = map;
}

export function pageKeys(map) {
  Object.assign(ofPage, map);
}

export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented ||
      document.querySelector("dialog[open]")
    )
      return;
    const isTyping = event.target.closest("input, textarea, select, [contenteditable]") !== null;
    if (isTyping && event.key !== "Escape") return;
    if (event.key.length === 1 && isOff()) return;
    const act = ofView[event.key] ?? ofPage[event.key];
    if (act && act(event) !== false) event.preventDefault();
  });
}

export function showHelp() {
  const box = h("input", { type: "checkbox", onchange: () => setOff(!box.checked) });
  box.checked = !isOff();
  present(
    "Keys",
    h(
      "dl",
      { class: "keys" },
      HELP.filter(([, , permission]) => !permission || may(permission)).map(([key, what]) => [
        h(
          "dt",
          {},
          key.split("  ").map((one) => h("kbd", {}, one)),
        ),
        h("dd", {}, what),
      ]),
    ),
    h("label", { class: "check" }, box, " Keys of a single letter or sign"),
  );
}

function isOff() {
  try {
    return localStorage.getItem(OFF) !== null;
  } catch {
    return false;
  }
}

function setOff(off) {
  try {
    if (off) localStorage.setItem(OFF, "1");
    else localStorage.removeItem(OFF);
  } catch {
    // Then it is asked again another time.
  }
}
