// Who did what, when and from where. No text of a memory is in it.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { failed } from "../feedback.js";
import { ago, plural, whole } from "../format.js";
import { table } from "./people.js";

const LIMIT = 200;

export async function audit() {
  const place = h("div", {});
  const user = h("input", { name: "user", "aria-label": "User", placeholder: "Any user", autocomplete: "off" });
  const verb = h("input", { name: "verb", "aria-label": "What", placeholder: "Any verb", autocomplete: "off" });
  const refused = h("input", { type: "checkbox", name: "refused" });
  const form = h(
    "form",
    {
      class: "row audit-filters",
      onsubmit: (event) => {
        event.preventDefault();
        load();
      },
      onchange: () => load(),
    },
    user,
    verb,
    h("label", { class: "check" }, refused, " Only what was refused"),
  );

  async function load() {
    try {
      const asked = { user: user.value.trim(), verb: verb.value.trim(), refused: refused.checked, limit: LIMIT };
      fill(place, draw(await get("/audit", asked)));
    } catch (error) {
      fill(place, failed(error, load));
    }
  }
  await load();
  return [form, place];
}

const draw = ({ entries, lines, problems }) => [
  h(
    "p",
    { class: problems.length ? "problem" : "hint" },
    problems.length
      ? `The chain does not hold: ${problems[0].file}, line ${problems[0].line}: ${problems[0].problem}`
      : `${plural(lines, "line")}, and the chain holds. The last ${LIMIT} that fit are shown.`,
  ),
  table("Audit", ["When", "Who", "What", "On what", "How it ended", "From"], entries.map(row)),
];

const row = (one) =>
  h(
    "tr",
    {},
    h("td", {}, h("time", { datetime: one.at, title: whole(one.at) }, ago(one.at))),
    h("th", { scope: "row" }, one.user),
    h("td", {}, one.what),
    h("td", {}, h("code", {}, one.ids.join(", ")), one.project && ` in ${one.project}`),
    h(
      "td",
      {},
      h("span", { class: ["badge", one.outcome === "allowed" ? "good" : "warn"] }, one.outcome),
      one.code && ` ${one.code}`,
    ),
    h("td", {}, one.address),
  );
