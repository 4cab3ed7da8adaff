// How an agent is connected: the entry of each host's file, ready to paste, and the command that writes it.

import { get } from "../api.js";
import { button, fill, h } from "../dom.js";
import { copy, failed, loading } from "../feedback.js";
import { words } from "../format.js";

export function connectAgents() {
  const place = h("div", {}, loading());
  const element = h(
    "section",
    { class: "card hosts", "aria-label": "Connect an agent" },
    h("h2", {}, "Connect an agent"),
    place,
  );

  async function load() {
    try {
      fill(place, setUp((await get("/hosts")).hosts));
    } catch (error) {
      fill(place, failed(error, load));
    }
  }
  load();
  return { element, load };
}

function setUp(hosts) {
  const place = h("div", { class: "host-shown" });
  const show = (host, pressed) => {
    for (const one of tabs.children) one.setAttribute("aria-pressed", String(one === pressed));
    fill(
      place,
      h(
        "p",
        { class: "row" },
        "Run ",
        h("code", {}, host.command),
        " ",
        button("Copy", () => copy(host.command, "the command"), {
          symbol: "copy",
          "aria-label": "Copy the command",
        }),
      ),
      h(
        "p",
        { class: "hint" },
        "Or put this into ",
        Object.entries(host.files ?? {})
          .filter(([, file]) => file)
          .map(([scope, file], at) => [at > 0 && " or ", h("code", {}, file), ` (${words(scope)})`]),
        ":",
      ),
      h(
        "div",
        { class: "fragment" },
        h("pre", { tabindex: "0", "aria-label": `Entry for ${host.title}` }, host.fragment),
        button("Copy", () => copy(host.fragment, "the entry"), {
          symbol: "copy",
          "aria-label": "Copy the entry",
        }),
      ),
    );
  };
  const tabs = h(
    "div",
    { class: "pills", role: "group", "aria-label": "Host" },
    hosts.map((host) =>
      h(
        "button",
        {
          type: "button",
          class: "pill",
          "aria-pressed": "false",
          onclick: (event) => show(host, event.currentTarget),
        },
        host.title,
      ),
    ),
  );
  if (hosts.length) show(hosts[0], tabs.firstElementChild);
  return [tabs, place];
}
