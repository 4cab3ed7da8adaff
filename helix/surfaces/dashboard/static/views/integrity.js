// Whether a log can be believed, as a mark; and where its chain is broken, if it is.

import { h, icon } from "../dom.js";
import { plural } from "../format.js";
import { spell } from "../route.js";

export function integrityMark(found) {
  if (found.ok)
    return h("span", { class: "badge good", title: "Every line is as it was written" }, "verified");
  const where = found.broken_at_seq === null ? "broken" : `broken at event ${found.broken_at_seq}`;
  return h("span", { class: "badge bad", title: found.broken_reason }, where);
}

/** Every place at which a line is not what it was. */
export function breaks(session, found) {
  if (found.ok) return null;
  return h(
    "section",
    { class: "breaks", "aria-label": "Where the log is broken" },
    icon("alert"),
    h(
      "div",
      {},
      h(
        "p",
        {},
        h("b", {}, "The log is not what was written. "),
        found.broken_at_seq !== null &&
          h(
            "a",
            { href: spell({ name: "session", arg: session, query: { seq: found.broken_at_seq } }) },
            `Event ${found.broken_at_seq}`,
          ),
        ` ${plural(found.problems.length, "place")}:`,
      ),
      h(
        "ul",
        {},
        found.problems.map((one) => h("li", {}, h("code", {}, `${one.path}:${one.line}`), ` ${one.reason}`)),
      ),
    ),
  );
}
