// @ts-check

// The one place that makes elements. A text is always a text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";
const SCHEMES = new Set(["http:", "https:", "mailto:", "obsidian:", "vscode:"]);

/** @typedef {Record<string, any>} Properties */
/** @typedef {Node | string | number | false | null | undefined | Child[]} Child */

/**
 * An element. `on…` are listeners, `class` may be a list, false and null are left out.
 *
 * @template {string} Tag
 * @param {Tag} tag
 * @param {Properties | null} properties
 * @param {...Child} children
 * @returns {Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) set(element, name, value);
  return put(/** @type {any} */ (element), ...children);
}

/**
 * @template {Element | DocumentFragment} Target
 * @param {Target} element
 * @param {...Child} children
 */
export function put(element, ...children) {
  const all = /** @type {any[]} */ (children).flat(Infinity);
  element.append(...all.filter((one) => one != null && one !== false));
  return element;
}

/**
 * @template {Element | DocumentFragment} Target
 * @param {Target} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren();
  return put(element, ...children);
}

/**
 * @param {any} element
 * @param {string} name
 * @param {any} value
 */
function set(element, name, value) {
  if (value == null || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "class") element.className = [value].flat().filter(Boolean).join(" ");
  else if (name === "data") Object.assign(element.dataset, value);
  else if (name === "value") element.value = value;
  else if (name === "href") element.setAttribute("href", safeHref(value) ?? "#/");
  else element.setAttribute(name, value === true ? "" : String(value));
}

/**
 * The address, if it is one a person may be led to; null for `javascript:` and whatever else.
 *
 * @param {unknown} text
 */
export function safeHref(text) {
  const address = String(text);
  if (address.startsWith("#")) return address;
  try {
    const url = new URL(address);
    return SCHEMES.has(url.protocol) ? address : null;
  } catch {
    return null; // relative, or no address at all
  }
}

/**
 * A drawing of our own, of one path on a 24 by 24 grid.
 *
 * @param {string} name
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/**
 * @param {Child} label
 * @param {(event: MouseEvent & { currentTarget: HTMLButtonElement }) => void} act
 * @param {Properties & { kind?: string, symbol?: string | null }} [more]
 */
export function button(label, act, { kind = "", symbol = null, ...more } = {}) {
  return h(
    "button",
    { type: "button", class: ["button", kind], onclick: act, ...more },
    symbol && icon(symbol),
    h("span", {}, label),
  );
}

/**
 * A button that shows its drawing only.
 *
 * @param {string} symbol
 * @param {string} label
 * @param {(event: MouseEvent) => void} act
 * @param {Properties} more
 */
export function iconButton(symbol, label, act, more = {}) {
  return h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, onclick: act, ...more },
    icon(symbol),
  );
}

/** @type {Record<string, string>} */
const PATHS = {
  memories: "M5 4h11l3 3v13H5zM9 9h6M9 13h6M9 17h4",
  graph:
    "M6 6.5a2.2 2.2 0 1 0 .01 0M18 5.5a2.2 2.2 0 1 0 .01 0M16 19.5a2.2 2.2 0 1 0 .01 0M8 7.6l7.8-.8M7.4 9.9l7 9M17.6 9.9l-1 8.6",
  map: "M4 18V6M4 18h16M8.5 13.5h.01M12 9.5h.01M15.5 14h.01M17 7.5h.01M11 15.5h.01M14.5 11h.01",
  timeline: "M12 7v5l3.5 2M12 3.5a8.5 8.5 0 1 0 .01 0",
  sessions: "M4 5h16v11H10l-4 3.5V16H4zM8 9h8M8 12.5h5",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h4.5l1.5 2.5h4L15.5 13H20",
  lab: "M9.5 3.5v6L4.5 19a1.2 1.2 0 0 0 1 1.5h13a1.2 1.2 0 0 0 1-1.5l-5-9.5v-6M8 3.5h8M7.5 14.5h9",
  health: "M3.5 12.5h4l2.5-7 4 13 2.5-6h4",
  search: "M10.5 4a6.5 6.5 0 1 0 .01 0M15.3 15.3L20 20",
  filter: "M4 6h16M7 12h10M10 18h4",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  close: "M6 6l12 12M18 6L6 18",
  back: "M14.5 5.5L8 12l6.5 6.5",
  edit: "M5 19l.8-3.6L16.4 4.8l2.8 2.8L8.6 18.2zM14.3 6.9l2.8 2.8",
  link: "M10 14a3.6 3.6 0 0 0 5.2 0l3-3a3.7 3.7 0 0 0-5.2-5.2l-1 1M14 10a3.6 3.6 0 0 0-5.2 0l-3 3a3.7 3.7 0 0 0 5.2 5.2l1-1",
  replace: "M5 9h12l-3-3.5M19 15H7l3 3.5",
  quote: "M9 7H5v5h4v1a4 4 0 0 1-3 4M18 7h-4v5h4v1a4 4 0 0 1-3 4",
  forget: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7M10.5 10.5v6M13.5 10.5v6",
  restore: "M5 5v5h5M5.5 10a7.2 7.2 0 1 1-.6 4.5",
  more: "M4.8 12a1.2 1.2 0 1 0 2.4 0 1.2 1.2 0 1 0-2.4 0M10.8 12a1.2 1.2 0 1 0 2.4 0 1.2 1.2 0 1 0-2.4 0M16.8 12a1.2 1.2 0 1 0 2.4 0 1.2 1.2 0 1 0-2.4 0",
  open: "M13 5h6v6M19 5l-8.5 8.5M16 14v5H5V8h5",
  copy: "M9 9h10v10H9zM6 15H5V5h10v1",
  check: "M5 12.5l4.5 4.5L19 7.5",
  alert: "M12 4.5L21 19.5H3zM12 10v4.5M12 17v.01",
  sun: "M12 8.2a3.8 3.8 0 1 0 .01 0M12 2.8v1.8M12 19.4v1.8M2.8 12h1.8M19.4 12h1.8M5.5 5.5l1.3 1.3M17.2 17.2l1.3 1.3M18.5 5.5l-1.3 1.3M6.8 17.2l-1.3 1.3",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  screen: "M4 5.5h16v10.5H4zM9 20h6M12 16v4",
  help: "M9 9.3a3 3 0 1 1 4.3 2.6c-.9.5-1.3 1-1.3 2M12 17v.01M12 3.5a8.5 8.5 0 1 0 .01 0",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  projects: "M4 7.5V18h16V7.5zM4 7.5l2-2h5l2 2",
  admin: "M12 3.5l7 2.5v5c0 4.5-3 7.8-7 9.5-4-1.7-7-5-7-9.5V6zM9 12l2.2 2.2L15.2 10",
  list: "M9 6h11M9 12h11M9 18h11M5 6h.01M5 12h.01M5 18h.01",
};
