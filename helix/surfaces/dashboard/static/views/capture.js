// The switch of capture: what agents write down of their sessions, taken into the logs.

import { change, get } from "../api.js";
import { button, fill, h } from "../dom.js";
import { ask, complain, toast } from "../feedback.js";
import { plural } from "../format.js";
import { may } from "../who.js";

/** One line with a button; `onChanged` is told when sessions may come or go. */
export function captureSwitch({ onChanged }) {
  const words = h("span", { class: "hint" });
  const element = h(
    "div",
    { class: "capture-line" },
    words,
    may("admin") && button("Capture…", () => open(), { kind: "quiet" }),
  );
  let state = null;

  async function load() {
    try {
      show(await get("/capture"));
    } catch (error) {
      fill(words, error.message);
    }
  }

  function show(now) {
    state = now;
    fill(words, now.on ? `Capture is on for ${folders(now)}` : "Capture is off");
  }

  const send = async (path, body) => {
    show(await change("POST", path, body, { keyed: false }));
    onChanged();
  };

  function open() {
    const folder = h("input", { name: "folder", autocomplete: "off", placeholder: "/home/me/work/project" });
    const dialog = ask(
      "Capture",
      [
        h(
          "p",
          {},
          "Takes what Claude Code, Codex and Gemini CLI write down of their sessions on this machine into logs: turns, " +
            "commands, names of edited files; never contents of files. Only of folders that you name.",
        ),
        state?.on && h("p", {}, `It is on for ${folders(state)}.`),
        h("label", { class: "field" }, h("span", {}, "Whole path of a folder"), folder),
        state?.distill?.last && h("p", { class: "hint" }, program(state.distill)),
        h(
          "div",
          { class: "row" },
          state?.on && button("Turn off", () => settle("/capture/off", "Capture is off")),
          button("Erase what was taken in…", () => purge()),
        ),
      ],
      {
        confirm: "Turn on for this folder",
        done: () => {
          if (!folder.value.trim()) throw new Error("Give the folder that your agents work in");
          return send("/capture/on", { folder: folder.value.trim() });
        },
      },
    );

    async function settle(path, told) {
      try {
        await send(path);
        dialog.close();
        toast(told);
      } catch (error) {
        complain(error);
      }
    }

    function purge() {
      dialog.close();
      ask(
        "Erase everything that was captured?",
        h(
          "p",
          {},
          "Capture is turned off, and the content of every event that was taken from a transcript is erased for good, " +
            "also on other machines that share the vault. The transcripts of your agents stay as they are.",
        ),
        {
          confirm: "Erase for good",
          tone: "danger",
          done: async () => {
            const done = await change("POST", "/capture/purge", undefined, { keyed: false });
            toast(`Erased ${plural(done.events, "event")} of ${plural(done.sessions, "session")}`);
            await load();
            onChanged();
          },
        },
      );
    }
  }

  load();
  return { element, load };
}

const folders = (state) => (state.all ? "every folder" : state.folders.join(", "));
const program = ({ last, today, per_day }) =>
  `The program that proposes memories was asked ${today} of ${per_day} times today; last about ${last.session}: ${last.outcome}.`;
