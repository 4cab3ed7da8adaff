// The people of a team and their keys, for admins. What is secret is shown once, or never.

import { change, get } from "../api.js";
import { button, h } from "../dom.js";
import { ask, copy, empty, present, toast } from "../feedback.js";
import { ago, plural, whole } from "../format.js";

const ROLES = ["agent", "readonly", "operator", "admin"];

export async function users(again) {
  const { users: found } = await get("/users");
  const act = (path, told) => async () => {
    const done = await change("POST", path, {}, { keyed: false });
    toast(told(done));
    again();
  };
  const row = (one) =>
    h(
      "tr",
      { data: { user: one.user } },
      h("th", { scope: "row" }, one.user),
      h("td", {}, one.role),
      h("td", {}, plural(one.keys, "key")),
      h("td", {}, one.has_password ? "has a password" : "no password"),
      h("td", {}, one.browsers ? plural(one.browsers, "browser") : "not signed in"),
      h(
        "td",
        { class: "acts" },
        button("Password …", () => setPassword(one, again), { kind: "quiet" }),
        button("New key …", () => createKey(one.user, again), { kind: "quiet" }),
        one.browsers > 0 &&
          button(
            "Sign out",
            () =>
              sure(`Sign ${one.user} out everywhere?`, "Their keys stay good.", "Sign out", act(
                `/users/${encodeURIComponent(one.user)}/sign-out`,
                (done) => `Signed out of ${plural(done.signed_out, "browser")}`,
              )),
            { kind: "quiet" },
          ),
        button(
          "Remove …",
          () =>
            sure(
              `Remove ${one.user}?`,
              "Their keys and their password open nothing any more. What they wrote stays.",
              "Remove",
              act(
                `/users/${encodeURIComponent(one.user)}/remove`,
                (done) => `Removed; ${plural(done.revoked_keys, "key")} revoked`,
              ),
            ),
          { kind: "quiet" },
        ),
      ),
    );
  return [
    h("div", { class: "row" }, button("New user", () => addUser(again), { kind: "primary", symbol: "plus" })),
    table("Users", ["User", "Role", "Keys", "Password", "Signed in", ""], found.map(row)),
  ];
}

export async function keys(again) {
  const { keys: found } = await get("/keys");
  const valid = found.filter((key) => !key.revoked_at).reverse();
  const row = (key) =>
    h(
      "tr",
      { data: { key: key.id } },
      h("th", { scope: "row" }, key.user),
      h("td", {}, key.name || h("code", {}, key.id)),
      h("td", {}, key.role, only(key) && h("span", { class: "hint" }, ` ${only(key)}`)),
      h("td", {}, key.expires_at ? time("until ", key.expires_at) : "does not expire"),
      h("td", {}, key.last_used_at ? time("used ", key.last_used_at) : "never used"),
      h(
        "td",
        { class: "acts" },
        button(
          "Revoke …",
          () =>
            sure(
              `Revoke the key ${key.name || key.id} of ${key.user}?`,
              "It opens nothing from the next request on.",
              "Revoke",
              async () => {
                await change("POST", `/keys/${encodeURIComponent(key.id)}/revoke`, {}, { keyed: false });
                toast("Revoked");
                again();
              },
            ),
          { kind: "quiet" },
        ),
      ),
    );
  return [
    h("div", { class: "row" }, button("New key", () => createKey("", again), { kind: "primary", symbol: "plus" })),
    valid.length
      ? table("Keys", ["User", "Name", "Good for", "Expires", "Last use", ""], valid.map(row))
      : empty("list", "No keys", "A key is what programs and agents come in with."),
  ];
}

/** A table that scrolls by itself where the window is narrow. */
export function table(label, heads, rows) {
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, heads.map((text) => (text ? h("th", { scope: "col" }, text) : h("td", {}))))),
      h("tbody", {}, rows),
    ),
  );
}

const time = (word, at) => h("time", { datetime: at, title: whole(at) }, word === "until " ? `${word}${at.slice(0, 10)}` : `${word}${ago(at)}`);

const only = (key) =>
  [
    key.permissions && `may ${key.permissions.join(", ")}`,
    key.projects && `in ${key.projects.join(", ")}`,
    key.agent && `agent ${key.agent}`,
    key.connector && `connector ${key.connector}`,
    key.harness && `program ${key.harness}`,
  ]
    .filter(Boolean)
    .join("; ");

const sure = (title, text, confirm, done) => ask(title, h("p", {}, text), { confirm, tone: "danger", done });

const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);
const roleChoice = (empty) =>
  h(
    "select",
    { name: "role" },
    empty && h("option", { value: "" }, empty),
    ROLES.map((value) => h("option", { value }, value)),
  );

function addUser(again) {
  const user = h("input", { name: "user", required: true, autocomplete: "off", autofocus: true });
  const role = roleChoice(null);
  ask("New user", [field("Name", user), field("Role", role)], {
    confirm: "Add",
    done: async () => {
      const name = user.value.trim();
      await change("POST", "/users", { user: name, role: role.value }, { keyed: false });
      toast(`Added ${name}. Now give them a password, or a key.`);
      again();
    },
  });
}

function setPassword(one, again) {
  const password = h("input", { type: "password", name: "password", required: true, autocomplete: "new-password", autofocus: true });
  ask(
    `Password of ${one.user}`,
    [
      field("The new one, 12 characters or more", password),
      h("p", { class: "hint" }, "They sign in anew everywhere, and can change it themselves."),
    ],
    {
      confirm: "Set",
      done: async () => {
        await change("POST", `/users/${encodeURIComponent(one.user)}/password`, { password: password.value }, { keyed: false });
        toast(`${one.user} has a new password`);
        again();
      },
    },
  );
}

function createKey(of, again) {
  const user = h("input", { name: "user", required: true, autocomplete: "off", value: of });
  const name = h("input", { name: "name", autocomplete: "off", placeholder: "laptop" });
  const role = roleChoice("All that the user may");
  const projects = h("input", { name: "projects", autocomplete: "off", placeholder: "All of the user's" });
  const agent = h("input", { name: "agent", autocomplete: "off", placeholder: "Any" });
  const expires = h("input", { name: "expires", autocomplete: "off", placeholder: "Never, or 30d" });
  ask(
    "New key",
    h(
      "div",
      { class: "form-grid" },
      field("User", user),
      field("Name of the key", name),
      field("Role", role),
      field("Only these projects", projects),
      field("Only this agent", agent),
      field("Expires after", expires),
    ),
    {
      confirm: "Make it",
      wide: true,
      done: async () => {
        const some = projects.value
          .split(",")
          .map((one) => one.trim())
          .filter(Boolean);
        const made = await change(
          "POST",
          "/keys",
          {
            user: user.value.trim(),
            name: name.value.trim(),
            role: role.value || null,
            projects: some.length ? some : null,
            agent: agent.value.trim() || null,
            expires: expires.value.trim() || null,
          },
          { keyed: false },
        );
        again();
        showOnce(made);
      },
    },
  );
}

function showOnce(made) {
  present(
    `A key for ${made.user}`,
    h("p", {}, "This is the only time that it is shown. Programs take it as HELIX_TOKEN."),
    h("p", {}, h("code", { class: "secret-once" }, made.key)),
    h("div", { class: "row" }, button("Copy", () => copy(made.key, "the key"), { kind: "primary", symbol: "copy" })),
  );
}
