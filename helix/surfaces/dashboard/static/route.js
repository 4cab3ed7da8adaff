// @ts-check

// Where in the page somebody is: `#/memory/ID?kind=decision`. The hash is the only state that a link carries.

/** @typedef {{ name: string, arg: string | null, query: Record<string, string> }} Route */
/** @typedef {{ name: string, arg?: string | null, query?: Record<string, any> }} Target Where a link leads. */

/**
 * @param {string} hash
 * @returns {Route}
 */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...rest] = path.split("/").map(decode);
  return {
    name: name || "memories",
    arg: rest.join("/") || null,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** @param {Target} route */
export function spell({ name, arg = null, query = {} }) {
  const search = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value != null && value !== ""),
  ).toString();
  return `#/${name}${arg ? `/${encodeURIComponent(arg)}` : ""}${search ? `?${search}` : ""}`;
}

export const here = () => parse(location.hash);
/** @param {Target} route */
export function go(route) {
  location.hash = spell(route);
}

/**
 * The same place said otherwise: no step back leads to the old words.
 *
 * @param {Target} route
 */
export function replace(route) {
  const hash = spell(route);
  if (hash === location.hash) return;
  history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // somebody typed a lone %
  }
}
