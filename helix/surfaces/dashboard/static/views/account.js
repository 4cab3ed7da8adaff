// Whoever signed in: their name at the foot of the navigation, the project they work in, their password, the way out.

import { change, get, isTeam, signIn } from "../api.js";
import { button, fill, h } from "../dom.js";
import { ask, complain, present, toast } from "../feedback.js";
import { plural } from "../format.js";
import { go } from "../route.js";
import { startAnew, who } from "../who.js";

const EVERY = "";

/** For the rail; nothing for one person at their own machine. */
export function account() {
  const me = who();
  if (!isTeam || !me) return null;
  const name = me.user ?? "owner";
  return h(
    "div",
    { class: "account" },
    projectSwitch({ id: "project-switch" }),
    button(name, () => open(me), { kind: "quiet", id: "account", title: `${name}, ${me.role ?? "of this machine"}` }),
  );
}

function open(me) {
  const leave = async (path) => {
    try {
      await change("POST", path, {}, { keyed: false });
      startAnew("");
    } catch (error) {
      complain(error);
    }
  };
  const forgetToken = () => {
    signIn(null);
    startAnew("");
  };
  const dialog = present(
    me.user ?? "The owner of this machine",
    h(
      "p",
      {},
      me.owner ? "May and sees everything." : `${me.role}: may ${me.permissions.join(", ")}.`,
    ),
    // In a narrow window the one in the rail has no room.
    h("label", { class: "field" }, h("span", {}, "Project you work in"), projectSwitch({})),
    h(
      "div",
      { class: "row" },
      me.signed_in === "password" && button("Change password …", () => changePassword(dialog)),
      me.signed_in && button("Sign out", () => leave("/sign-out"), { kind: "primary" }),
      me.signed_in && button("Sign out everywhere", () => leave("/sign-out/everywhere")),
      !me.signed_in && me.owner && button("Forget the token of this tab", forgetToken),
    ),
  );
}

function changePassword(before) {
  before.close();
  const field = (label, name, autocomplete) =>
    h(
      "label",
      { class: "field" },
      h("span", {}, label),
      h("input", { type: "password", name, required: true, autocomplete }),
    );
  ask(
    "Change your password",
    [
      field("The one you have", "before", "current-password"),
      field("The new one, 12 characters or more", "password", "new-password"),
      field("The same again", "again", "new-password"),
    ],
    {
      confirm: "Change",
      done: async (form) => {
        if (form.password.value !== form.again.value) throw new Error("The two are not the same.");
        const given = { before: form.before.value, password: form.password.value };
        const { signed_out: ended } = await change("POST", "/password", given, { keyed: false });
        toast(ended ? `Changed; signed out of ${plural(ended, "other browser")}` : "Changed");
      },
    },
  );
}

/** What names no project is asked and written in the one that is chosen; and the list shows that one. */
function projectSwitch(more) {
  const choice = h("select", { ...more, "aria-label": "Project you work in", onchange: turn });
  load();

  async function load() {
    try {
      const { projects } = await get("/projects", { limit: 50, max_tokens: 20000 });
      fill(
        choice,
        h("option", { value: EVERY }, "Every project"),
        projects.map(({ project }) => h("option", { value: project }, project)),
      );
      choice.value = projects.find((one) => one.is_active)?.project ?? EVERY;
    } catch {
      choice.hidden = true; // nothing to choose from, and it is said elsewhere
    }
  }

  async function turn() {
    const project = choice.value;
    try {
      if (project) await change("POST", "/projects/activate", { project }, { keyed: false });
      else await change("POST", "/projects/deactivate", {}, { keyed: false });
      for (const other of document.querySelectorAll("#project-switch")) other.value = project;
      choice.closest("dialog")?.close();
      go({ name: "memories", query: project ? { project } : {} });
    } catch (error) {
      complain(error);
      load();
    }
  }
  return choice;
}
