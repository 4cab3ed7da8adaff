// What can be done with a memory. Each is one request to the API; what can be undone says how.

import { askHealth, change, isTeam } from "../api.js";
import { button, fill, h, icon, iconButton } from "../dom.js";
import { ask, complain, copy, toast } from "../feedback.js";
import { KINDS, RELATIONS, forward, isUnfiled } from "../memory-words.js";
import { picker } from "../picker.js";
import { go, here } from "../route.js";
import { may, projectNames } from "../who.js";

let vault = null;

export function toolbar(memory, { onEdit, onChanged }) {
  const isHere = memory.status === "active" || memory.status === "superseded";
  const acts = {
    forget: () => forget(memory, onChanged),
    restore: () => restore(memory, onChanged),
  };
  return h(
    "div",
    { class: "toolbar", role: "group", "aria-label": "Actions" },
    isHere && may("modify") && button("Edit", onEdit, { symbol: "edit" }),
    isHere && may("modify") && isUnfiled(memory) && button("File", () => file(memory, onChanged), { symbol: "filter" }),
    isHere && may("modify") && button("Relate", () => relate(memory, onChanged), { symbol: "link" }),
    memory.status === "active" && may("remember") && button("Supersede", () => supersede(memory), { symbol: "replace" }),
    memory.status === "deleted" && may("recover") && button("Restore", acts.restore, { kind: "primary", symbol: "restore" }),
    isHere && may("forget") && button("Forget", acts.forget, { symbol: "forget" }),
    menu(memory, onChanged),
  );
}

/** What is done less often, behind three dots. */
function menu(memory, onChanged) {
  const list = h("div", {
    class: "menu",
    role: "group",
    "aria-label": "More",
    popover: "auto",
    id: "more-actions",
  });
  const opener = iconButton("more", "More actions", () => {}, {
    popovertarget: "more-actions",
    id: "more-opener",
  });
  list.addEventListener("beforetoggle", (event) => event.newState === "open" && place());
  const close = (act) => () => {
    list.hidePopover();
    act();
  };
  const item = (symbol, label, act, tone = "") =>
    h("button", { type: "button", class: ["menu-item", tone], onclick: close(act) }, icon(symbol), label);

  function place() {
    const at = opener.getBoundingClientRect();
    list.style.top = `${Math.min(at.bottom + 4, innerHeight - 280)}px`;
    list.style.left = `${Math.max(8, Math.min(at.left, innerWidth - 248))}px`;
  }
  fill(
    list,
    item("quote", "Copy as citation", () => copy(citation(memory), "the citation")),
    item("copy", "Copy its text", () => copy(memory.text, "the text")),
    // The files of a team are on the machine of its daemon.
    !isTeam && item("copy", "Copy its path", () => withVault((root) => copy(`${root}/${memory.path}`, "the path"))),
    !isTeam &&
      h("a", { class: "menu-item", href: "#/", data: { opens: "obsidian" } }, icon("open"), "Open in Obsidian"),
    !isTeam &&
      h("a", { class: "menu-item", href: "#/", data: { opens: "vscode" } }, icon("open"), "Open in VS Code"),
    memory.status !== "erased" &&
      may("forget") &&
      item("forget", "Erase for good …", () => erase(memory, onChanged), "danger"),
  );
  if (isTeam) return [opener, list];
  withVault((root) => {
    const path = `${root.replaceAll("\\", "/")}/${memory.path}`;
    const lead = (app, href) => list.querySelector(`[data-opens="${app}"]`).setAttribute("href", href);
    lead("obsidian", `obsidian://open?path=${encodeURIComponent(path)}`);
    lead("vscode", `vscode://file/${path.split("/").map(encodeURIComponent).join("/").replace(/^\//, "")}`);
  });
  return [opener, list];
}

async function withVault(act) {
  try {
    vault ??= (await askHealth()).vault;
    act(vault);
  } catch (error) {
    complain(error);
  }
}

/** A line to paste into another note: Obsidian follows the link, a person reads the rest. */
function citation(memory) {
  const facts = [memory.kind, memory.project, (memory.updated ?? memory.created)?.slice(0, 10)]
    .filter(Boolean)
    .join(", ");
  return `${memory.title || memory.id} (${facts}) [[${memory.id}]]`;
}

async function forget(memory, onChanged) {
  try {
    await change("POST", "/forget", { id: memory.id });
    const undo = may("recover") && (() => restore(memory, onChanged));
    toast("Forgotten. The file stays, marked as deleted.", { act: undo || null });
    onChanged();
  } catch (error) {
    complain(error);
  }
}

async function restore(memory, onChanged) {
  try {
    await change("POST", "/restore", { id: memory.id });
    toast("Restored");
    onChanged();
  } catch (error) {
    complain(error);
  }
}

function erase(memory, onChanged) {
  const field = h("input", { name: "sure", autocomplete: "off", autofocus: true, placeholder: "erase" });
  ask(
    "Erase for good",
    [
      h(
        "p",
        {},
        "Title, text, tags and origin of ",
        h("b", {}, memory.title || memory.id),
        " are removed from the file. This cannot be undone, and no sync client can bring the text back.",
      ),
      h(
        "p",
        { class: "hint" },
        "Out of reach: the history of git, and the versions that a sync service keeps.",
      ),
      h("label", { class: "field" }, h("span", {}, "Type “erase” to go on"), field),
    ],
    {
      confirm: "Erase",
      tone: "danger",
      done: async () => {
        if (field.value.trim().toLowerCase() !== "erase") throw new Error("Type the word erase, or cancel.");
        await change("POST", "/forget", { id: memory.id, mode: "hard" });
        toast("Erased");
        onChanged();
      },
    },
  );
}

function relate(memory, onChanged) {
  const rel = h(
    "select",
    { name: "rel" },
    RELATIONS.map((one) => h("option", { value: one }, forward(one))),
  );
  const other = picker("The other memory", { without: memory.id });
  ask(
    "Relate",
    [
      h("p", { class: "relating" }, h("b", {}, memory.title || memory.id)),
      h("label", { class: "field" }, h("span", {}, "Relation"), rel),
      other.element,
      h("p", { class: "hint" }, "“supersedes” takes the other one out of the answers."),
    ],
    {
      confirm: "Relate",
      done: async () => {
        const to = other.chosen();
        if (!to) throw new Error("Choose the other memory.");
        const answer = await change("POST", "/relate", { from: memory.id, to: to.id, rel: rel.value });
        toast(answer.status === "noop" ? "They were related already" : "Related");
        onChanged();
      },
    },
  );
}

/** Say of which project it is; until then it is seen from all of them. */
function file(memory, onChanged) {
  const [project, projects] = projectField({ required: true, autofocus: true });
  ask(
    "File",
    [
      h("p", {}, "Nobody has said of which project ", h("b", {}, memory.title || memory.id), " is."),
      h("label", { class: "field" }, h("span", {}, "Project"), project),
      projects,
      h("p", { class: "hint" }, "From then on it is seen from this project only. The file stays where it lies."),
    ],
    {
      confirm: "File",
      done: async () => {
        const name = project.value.trim();
        if (!name) throw new Error("Name the project.");
        await change("POST", "/file", { ids: [memory.id], project: name });
        toast(`Filed under ${name}`);
        onChanged();
      },
    },
  );
}

/** A new memory that takes the place of this one; the old one stays as a file, linked. */
function supersede(memory) {
  compose(
    "Supersede",
    {
      text: memory.text,
      title: memory.title,
      kind: memory.kind,
      tags: memory.tags,
      project: memory.project,
      scope: memory.scope,
    },
    {
      intro: "Write what holds now. The old memory stays on disk, marked as superseded and linked.",
      confirm: "Supersede",
      more: { supersede_hint: memory.id, force: true },
    },
  );
}

export function writeNew() {
  compose(
    "New memory",
    { text: "", kind: "fact", tags: [], project: here().query.project ?? "" },
    { confirm: "Remember" },
  );
}

/** A field for the name of a project, and the names that there are. */
function projectField(more) {
  const field = h("input", { name: "project", list: "all-projects", autocomplete: "off", ...more });
  const names = h("datalist", { id: "all-projects" });
  projectNames()
    .then((found) =>
      fill(
        names,
        found.map((value) => h("option", { value })),
      ),
    )
    .catch(() => {});
  return [field, names];
}

function compose(title, start, { intro = null, confirm, more = {} }) {
  const text = h("textarea", { name: "text", rows: 8, required: true, autofocus: true, value: start.text });
  const name = h("input", {
    name: "title",
    autocomplete: "off",
    placeholder: "Made from the text",
    value: start.title ?? "",
  });
  const kind = h("input", {
    name: "kind",
    list: "all-kinds",
    autocomplete: "off",
    value: start.kind ?? "fact",
  });
  const [project, projects] = projectField({
    placeholder: isUnfiled(start) ? "None: it stays unfiled" : "None: it holds everywhere",
    value: start.project ?? "",
  });
  const tags = h("input", {
    name: "tags",
    autocomplete: "off",
    placeholder: "auth, retries",
    value: (start.tags ?? []).join(", "),
  });
  const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);
  ask(
    title,
    [
      intro && h("p", {}, intro),
      field("Text, in markdown", text),
      h(
        "div",
        { class: "form-grid" },
        field("Title", name),
        field("Kind", kind),
        field("Project", project),
        field("Tags", tags),
      ),
      h(
        "datalist",
        { id: "all-kinds" },
        KINDS.map((value) => h("option", { value })),
      ),
      projects,
    ],
    {
      confirm,
      wide: true,
      done: async () => {
        const where = project.value.trim();
        const answer = await change("POST", "/remember", {
          text: text.value,
          kind: kind.value.trim() || "fact",
          ...(name.value.trim() ? { title: name.value.trim() } : {}),
          ...(where
            ? { scope: "project", project: where }
            : { scope: start.scope === "session" || isUnfiled(start) ? start.scope : "global" }),
          tags: tags.value
            .split(",")
            .map((tag) => tag.trim().replace(/^#/, ""))
            .filter(Boolean),
          ...more,
        });
        toast(
          {
            created: "Remembered",
            merged: "It was there already: merged into it",
            superseded: "Remembered; the old one is superseded",
            noop: "It was there already",
          }[answer.status] ?? answer.status,
        );
        go({ name: "memory", arg: answer.id, query: here().query });
      },
    },
  );
}
