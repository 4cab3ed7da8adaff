// For admins: users, keys, who did what, limits and freezing. Nobody else has this view.

import { button, fill, h, put } from "../dom.js";
import { failed, loading } from "../feedback.js";
import { capital } from "../format.js";
import { replace } from "../route.js";
import { audit } from "./audit.js";
import { keys, users } from "./people.js";
import { limits } from "./limits.js";

const PARTS = { users, keys, audit, limits };

export const admin = { name: "admin", title: "Admin", begin };

function begin(root, first) {
  const tabs = h("div", { class: "filters-row", role: "group", "aria-label": "Show" });
  const place = h("div", { class: "admin" });
  let shown = null;
  put(root, h("div", { class: "page" }, h("header", { class: "page-head" }, h("h1", {}, "Admin"), tabs), place));

  function update(route) {
    const name = route.arg in PARTS ? route.arg : "users";
    if (name === shown) return;
    shown = name;
    fill(
      tabs,
      Object.keys(PARTS).map((one) =>
        button(capital(one), () => replace({ name: "admin", arg: one }), {
          kind: "pill",
          "aria-pressed": String(one === name),
        }),
      ),
    );
    fill(place);
    load();
  }

  async function load() {
    const name = shown;
    if (!place.children.length) fill(place, loading());
    try {
      const drawn = await PARTS[name](load);
      if (name === shown) fill(place, drawn);
    } catch (error) {
      fill(place, failed(error, load));
    }
  }

  update(first);
  return { update, refresh: load, end: () => {} };
}
