// @ts-check

// The rendered text of a memory, taken over piece by piece: what is not on these lists is not there.
//
// The daemon sanitizes what POST /render answers. This is the second look, in case the first one is ever wrong: the
// markup is parsed into a document that runs and loads nothing, and rebuilt from tags and attributes that are known.

import { safeHref } from "./dom.js";
import { toParse } from "./trusted.js";

const TAGS = new Set(
  (
    "p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong b i s del ins mark sub sup a span table thead tbody tr th td " +
    "dl dt dd kbd abbr input"
  ).split(" "),
);
// Their text is a program, a style or a form of somebody else's: it goes too.
const DROPPED = new Set(
  "script style template iframe object embed svg math noscript textarea select option title xmp plaintext".split(
    " ",
  ),
);
const CLASSES = new Set([
  "task",
  "dangling",
  "hidden-memory",
  "picture",
  "align-left",
  "align-center",
  "align-right",
]);
/** @type {Record<string, string[]>} */
const ATTRIBUTES = { ol: ["start"] };
const SCHEMES = /^(https?|mailto|obsidian):/i;

/** @param {string} html */
export function toNodes(html) {
  const parsed = new DOMParser().parseFromString(toParse(html), "text/html");
  const kept = document.createDocumentFragment();
  copyChildren(parsed.body, kept);
  return kept;
}

/**
 * @param {Element} from
 * @param {Element | DocumentFragment} to
 */
function copyChildren(from, to) {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) to.append(/** @type {Text} */ (child).data);
    else if (child.nodeType === Node.ELEMENT_NODE) copyElement(/** @type {any} */ (child), to);
  }
}

/**
 * @param {any} element Whatever was parsed; what it may have is looked up by name.
 * @param {Element | DocumentFragment} to
 */
function copyElement(element, to) {
  const tag = element.localName;
  if (DROPPED.has(tag)) return;
  if (!TAGS.has(tag)) {
    copyChildren(element, to); // its words stay
    return;
  }
  if (tag === "input" && element.type !== "checkbox") return;
  /** @type {any} */
  const copy = document.createElement(level(tag));
  for (const name of ATTRIBUTES[tag] ?? [])
    if (element.hasAttribute(name)) copy.setAttribute(name, element.getAttribute(name));
  for (const name of element.classList) if (CLASSES.has(name)) copy.classList.add(name);
  if (tag === "input") tick(copy, element);
  if (tag === "a") lead(copy, element);
  copyChildren(element, copy);
  to.append(copy);
}

/**
 * Headings of a memory come below its title.
 *
 * @param {string} tag
 */
const level = (tag) => (/^h[1-6]$/.test(tag) ? `h${Math.min(6, Number(tag[1]) + 2)}` : tag);

/**
 * @param {HTMLInputElement} copy
 * @param {Element} element
 */
function tick(copy, element) {
  copy.type = "checkbox";
  copy.disabled = true;
  copy.checked = element.hasAttribute("checked");
  copy.setAttribute("aria-label", copy.checked ? "done" : "to do");
}

/**
 * @param {HTMLAnchorElement} copy
 * @param {HTMLElement} element
 */
function lead(copy, element) {
  const memory = element.dataset.memory;
  const href = memory
    ? `#/memory/${encodeURIComponent(memory)}`
    : safeHref(element.getAttribute("href") ?? "");
  if (href === null || (!memory && !SCHEMES.test(href))) return;
  copy.setAttribute("href", href);
  if (memory) copy.dataset.memory = memory;
  else copy.rel = "noopener noreferrer";
  if (!memory && /^https?:/.test(href)) copy.target = "_blank";
}
