// How often one user may ask, and whether anything may be changed at all.

import { change, get } from "../api.js";
import { button, h } from "../dom.js";
import { ask, toast } from "../feedback.js";
import { ago, number, words } from "../format.js";

export async function limits(again) {
  const status = await get("/status");
  return [freezing(status.frozen, again), figures(status)];
}

function freezing(frozen, again) {
  return h(
    "section",
    { class: "card" },
    h("h2", {}, frozen ? "Frozen" : "Changes are taken"),
    h(
      "p",
      {},
      frozen
        ? `${frozen.by} froze the vault ${ago(frozen.since)}: ${frozen.reason}. Reading goes on.`
        : "Freezing refuses every change, with your reason, until somebody thaws it. Reading goes on.",
    ),
    h(
      "div",
      { class: "row" },
      frozen
        ? button("Thaw", () => thaw(again), { kind: "primary" })
        : button("Freeze …", () => freeze(again), { kind: "danger" }),
    ),
  );
}

async function thaw(again) {
  await change("POST", "/thaw", {}, { keyed: false });
  toast("Changes are taken again");
  again();
}

function freeze(again) {
  const reason = h("input", { name: "reason", required: true, autocomplete: "off", autofocus: true });
  ask("Freeze the vault", h("label", { class: "field" }, h("span", {}, "Why"), reason), {
    confirm: "Freeze",
    tone: "danger",
    done: async () => {
      await change("POST", "/freeze", { reason: reason.value.trim() }, { keyed: false });
      toast("Frozen");
      again();
    },
  });
}

function figures({ mode, limits: most = {} }) {
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "In a minute"),
    h("p", { class: "hint" }, `Mode ${mode}. Set in [limits] of the settings; the daemon reads them when it starts.`),
    h(
      "dl",
      { class: "facts" },
      Object.entries(most).map(([name, figure]) => [
        h("dt", {}, words(name)),
        h("dd", {}, figure ? number(figure) : "any number"),
      ]),
    ),
  );
}
