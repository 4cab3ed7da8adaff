// What a memory was before: its versions in git, what each changed, and the way back to one of them.

import { change, get, memoryPath } from "../api.js";
import { button, fill, h } from "../dom.js";
import { ask, failed, loading, toast } from "../feedback.js";
import { ago, whole } from "../format.js";
import { diffLines } from "./editing.js";
import { may } from "../who.js";

export function historyOf(memory, onChanged) {
  const place = h("div", {});
  const fold = h(
    "details",
    { class: "fold", ontoggle: () => fold.open && !place.children.length && load() },
    h("summary", {}, "History"),
    place,
  );

  async function load() {
    fill(place, loading());
    try {
      const { versions, next_cursor: more } = await get(memoryPath(memory.id, "/history"), {
        limit: 50,
        max_tokens: 20000,
      });
      if (!versions.length) {
        fill(
          place,
          h("p", { class: "hint" }, "Not committed yet: its first version comes with the next commit."),
        );
        return;
      }
      fill(
        place,
        h(
          "ol",
          { class: "versions" },
          versions.map((one, at) => version(one, versions[at + 1])),
        ),
        more && h("p", { class: "hint" }, "Older versions: git log in the vault."),
      );
    } catch (error) {
      const isPlain = error.status === 404;
      fill(place, isPlain ? h("p", { class: "hint" }, error.message) : failed(error, load));
    }
  }

  function version(one, before) {
    const shown = h("div", {});
    const look = button("What changed", () => toggle(), { kind: "quiet", "aria-expanded": "false" });
    async function toggle() {
      const open = !shown.children.length;
      look.setAttribute("aria-expanded", String(open));
      if (!open) {
        fill(shown);
        return;
      }
      fill(shown, loading());
      try {
        fill(
          shown,
          before
            ? diff(await get(memoryPath(memory.id, "/diff"), { from: before.commit, to: one.commit }))
            : h("p", { class: "hint" }, "This is where it begins."),
        );
      } catch (error) {
        fill(shown, failed(error, toggle));
      }
    }
    return h(
      "li",
      {},
      h(
        "div",
        { class: "version-line" },
        h("span", { class: "version-subject" }, one.subject),
        h(
          "span",
          { class: "hint" },
          one.author,
          " · ",
          h("time", { datetime: one.time, title: whole(one.time) }, ago(one.time)),
          " · ",
          h("code", {}, one.commit.slice(0, 8)),
        ),
      ),
      h(
        "div",
        { class: "row" },
        look,
        may("recover") && button("Turn back to this", () => turnBack(one), { kind: "quiet" }),
      ),
      shown,
    );
  }

  function turnBack(one) {
    ask(
      "Turn back to this version?",
      [
        h(
          "p",
          {},
          `The text becomes what it was in “${one.subject}”, ${ago(one.time)}. What it says now stays in git's history once it is committed.`,
        ),
      ],
      {
        confirm: "Turn back",
        done: async () => {
          await change("POST", "/restore", { id: memory.id, at: one.commit });
          toast("Turned back");
          onChanged();
        },
      },
    );
  }
  return fold;
}

/** A unified diff without the lines that only git reads. */
export function diff({ diff: text }) {
  const lines = text
    .split("\n")
    .filter((line) => !/^(diff |index |--- |\+\+\+ |@@|\\ No newline)/.test(line));
  return diffLines(
    lines
      .filter((line, at) => line || at < lines.length - 1)
      .map((line) => ({ sign: "+-".includes(line[0]) && line ? line[0] : " ", text: line.slice(1) })),
  );
}
