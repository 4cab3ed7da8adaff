// Projects: which there are, whose they are, and who works on them. Who owns one says who else does.

import { change, pages } from "../api.js";
import { button, fill, h, put } from "../dom.js";
import { ask, complain, empty, failed, loading, toast } from "../feedback.js";
import { ago, plural, whole } from "../format.js";
import { live } from "../live.js";
import { spell } from "../route.js";
import { may, who } from "../who.js";

const SETTLED = 400;

export const projects = { name: "projects", title: "Projects", begin };

function begin(root) {
  const list = h("div", { class: "cards" });
  let settling = null;
  put(
    root,
    h(
      "div",
      { class: "page" },
      h(
        "header",
        { class: "page-head" },
        h("h1", {}, "Projects"),
        may("remember") && button("New project", () => create(load), { kind: "primary", symbol: "plus" }),
      ),
      list,
    ),
  );

  async function load() {
    if (!list.children.length) fill(list, loading());
    try {
      const found = [];
      for await (const page of pages("/projects", { limit: 50, max_tokens: 20000 })) found.push(...page.projects);
      fill(
        list,
        found.length
          ? found.map((one) => card(one, load))
          : empty("list", "No projects", "A project is a part of the vault that its members share."),
      );
    } catch (error) {
      fill(list, failed(error, load));
    }
  }
  const onChange = () => {
    clearTimeout(settling);
    settling = setTimeout(load, SETTLED);
  };
  live.addEventListener("change", onChange);
  load();
  return {
    update: () => {},
    refresh: load,
    end: () => {
      clearTimeout(settling);
      live.removeEventListener("change", onChange);
    },
  };
}

function card(one, again) {
  const me = who();
  const members = one.members ?? [];
  const isOwn = members.length > 0 && (me.owner || one.owner === me.user);
  const change_ = may("modify");
  return h(
    "section",
    { class: "card", data: { project: one.project } },
    h(
      "h2",
      {},
      h("a", { href: spell({ name: "memories", query: { project: one.project } }) }, one.project),
      one.is_active && h("span", { class: "badge good" }, "active"),
    ),
    h(
      "p",
      { class: "hint" },
      plural(one.memories, "memory", "memories"),
      one.updated && [", changed ", h("time", { datetime: one.updated, title: whole(one.updated) }, ago(one.updated))],
    ),
    members.length > 0 &&
      h(
        "ul",
        { class: "members", "aria-label": `Members of ${one.project}` },
        members.map((name) =>
          h(
            "li",
            {},
            name,
            name === one.owner && h("span", { class: "hint" }, " owner"),
            isOwn &&
              change_ &&
              name !== one.owner &&
              button("Take out", () => send("unshare", one, again, { user: name }), { kind: "quiet" }),
          ),
        ),
      ),
    h(
      "div",
      { class: "row" },
      isOwn && change_ && button("Share …", () => withUser("Share", "share", one, again)),
      isOwn && change_ && button("Transfer …", () => withUser("Transfer", "transfer", one, again)),
      isOwn && may("forget") && button("Delete …", () => remove(one, again), { kind: "danger" }),
      !isOwn && change_ && members.includes(me.user) && button("Leave", () => send("leave", one, again)),
    ),
  );
}

async function send(what, one, again, more = {}) {
  try {
    await change("POST", `/projects/${what}`, { project: one.project, ...more }, { keyed: false });
    toast({ share: "Shared", unshare: "Taken out", leave: "You left it", transfer: "Transferred" }[what] ?? "Deleted");
    again();
  } catch (error) {
    complain(error);
    throw error;
  }
}

function withUser(title, what, one, again) {
  const user = h("input", { name: "user", required: true, autocomplete: "off", autofocus: true });
  ask(`${title} ${one.project}`, h("label", { class: "field" }, h("span", {}, "User"), user), {
    confirm: title,
    done: () => send(what, one, again, { user: user.value.trim() }),
  });
}

function remove(one, again) {
  ask(
    `Delete ${one.project}?`,
    h("p", {}, "Its memories are forgotten as far as you may change them; each can be restored."),
    { confirm: "Delete", tone: "danger", done: () => send("delete", one, again) },
  );
}

function create(again) {
  const project = h("input", { name: "project", required: true, autocomplete: "off", autofocus: true });
  const members = h("input", { name: "members", autocomplete: "off", placeholder: "ben, cleo" });
  const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);
  ask("New project", [field("Name", project), field("Members besides you", members)], {
    confirm: "Make it",
    done: async () => {
      const names = members.value
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean);
      await change("POST", "/projects", { project: project.value.trim(), members: names });
      toast("Made");
      again();
    },
  });
}
