// Where in the page somebody is: `#/memory/ID?kind=decision`. The hash is the only state that a link carries.

export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...rest] = path.split("/").map(decode);
  return {
    name: name || "memories",
    arg: rest.join("/") || null,
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

export function spell({ name, arg = null, query = {} }) {
  const said = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value != null && value !== ""),
  ).toString();
  return `#/${name}${arg ? `/${encodeURIComponent(arg)}` : ""}${said ? `?${said}` : ""}`;
}

export const here = () => parse(location.hash);
export const go = (route) => (location.hash = spell(route));

/** The same place said otherwise: no step back leads to the old words. */
export function replace(route) {
  const said = spell(route);
  if (said === location.hash) return;
  history.replaceState(null, "", said);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // somebody typed a lone %
  }
}
