// Editing in place, guarded by the hash of the file that was read. If it changed meanwhile, both are shown, and the
// person is asked: nothing is saved that was not in the fields when Save was pressed.

import { change, memoryPath } from "../api.js";
import { button, fill, h } from "../dom.js";
import { ask, say, toast } from "../feedback.js";
import { compare, merge } from "../merge.js";
import { KINDS } from "../memory-words.js";

/** What was begun and not saved, by memory: leaving the pane loses nothing. */
export const drafts = new Map();
window.addEventListener("beforeunload", (event) => drafts.size && event.preventDefault());

const editable = (memory) => ({
  title: memory.title ?? "",
  kind: memory.kind ?? "",
  tags: (memory.tags ?? []).join(", "),
  text: memory.text,
});

export function editor(memory, { onDone, onStale }) {
  let base = drafts.get(memory.id)?.base ?? memory;
  let isSaving = false; // from the press of Save until its answer, and for good when it was saved
  let mixture = null; // the text with two versions of the same lines, until the person has said something to it
  const fields = {
    title: h("input", { name: "title", autocomplete: "off" }),
    kind: h("input", { name: "kind", list: "known-kinds", autocomplete: "off" }),
    tags: h("input", { name: "tags", autocomplete: "off", placeholder: "auth, retries" }),
    text: h("textarea", { name: "text", spellcheck: true, rows: 14 }),
  };
  const beside = h("div", { class: "beside", "aria-live": "polite" });
  const problem = h("p", { class: "problem", role: "alert" });
  const save = h("button", { type: "submit", class: "button primary" }, "Save");
  const element = h(
    "form",
    { class: "editor", onsubmit: onSubmit, onkeydown: onKey, oninput: keep },
    h("h2", { class: "unseen" }, "Edit this memory"),
    field("Title", fields.title, "grow"),
    h(
      "div",
      { class: "editor-row" },
      field("Kind", fields.kind),
      field("Tags", fields.tags, "grow"),
      h(
        "datalist",
        { id: "known-kinds" },
        KINDS.map((value) => h("option", { value })),
      ),
    ),
    beside,
    field("Text, in markdown", fields.text, "grow"),
    problem,
    h(
      "footer",
      { class: "editor-foot" },
      save,
      button("Cancel", () => leave({ ask: true })),
      h("span", { class: "hint" }, "Ctrl Enter saves, Esc leaves"),
    ),
  );
  const start = drafts.get(memory.id)?.now ?? editable(memory);
  for (const [name, value] of Object.entries(start)) fields[name].value = value;

  const now = () => Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one.value]));
  const changes = () => Object.entries(now()).filter(([name, value]) => value !== editable(base)[name]);

  function keep() {
    if (changes().length) drafts.set(memory.id, { base, now: now() });
    else drafts.delete(memory.id);
    save.textContent = "Save";
  }

  /** The file changed under our hands: show theirs beside ours, and put the merged text into the field. */
  function changed(theirs) {
    if (isSaving || theirs.tag === base.tag) return; // while it is saved, the answer says whether it was changed
    problem.textContent = "";
    const [was, came] = [editable(base), editable(theirs)];
    const mine = now();
    const merged = merge(was.text, mine.text, came.text);
    const isTextMine = mine.text !== was.text;
    const panel = [
      h(
        "p",
        {},
        h("b", {}, "It was changed meanwhile. "),
        !isTextMine
          ? "Your text was untouched: the new one is in the field."
          : merged.collisions
            ? "Both changed the same lines: both stand below, one after the other. Keep what is right."
            : "The two changes fit together: the merged text is in the field.",
      ),
    ];
    if (isTextMine)
      panel.push(
        h(
          "div",
          { class: "both" },
          version("On disk now", was.text, came.text),
          version("Yours", was.text, mine.text),
        ),
      );
    for (const name of ["title", "kind", "tags"]) {
      if (mine[name] === was[name]) fields[name].value = came[name];
      else if (came[name] !== was[name] && came[name] !== mine[name])
        panel.push(h("p", {}, `Both changed the ${name}. On disk it is now: ${came[name] || "none"}`));
    }
    fill(beside, h("section", { class: "conflict", "aria-label": "Two versions" }, panel));
    fields.text.value = isTextMine ? merged.text : came.text;
    mixture = isTextMine && merged.collisions ? merged.text : null;
    base = theirs;
    keep();
    save.textContent = "Save the merged text";
    say("The memory was changed meanwhile; both versions are shown");
  }

  async function onSubmit(event) {
    event.preventDefault();
    if (isSaving) return;
    // The two may have met in the very moment of the press: what nobody has looked at is not saved by it.
    if (mixture !== null && fields.text.value === mixture) {
      mixture = null;
      problem.textContent = "Both versions stand in the text. Keep what is right, or save again to keep both.";
      return;
    }
    hold(true);
    problem.textContent = "";
    try {
      await store();
    } catch (error) {
      hold(false);
      problem.textContent = error.code === "stale-hash" ? "It was changed meanwhile." : error.message;
      if (error.code === "stale-hash") onStale();
    }
  }

  /** What is typed while it is saved would be neither in the file nor in a draft. */
  function hold(isHeld) {
    isSaving = isHeld;
    save.disabled = isHeld;
    for (const one of Object.values(fields)) one.readOnly = isHeld;
  }

  async function store() {
    const body = Object.fromEntries(changes());
    if (!Object.keys(body).length) {
      finish();
      return;
    }
    if ("tags" in body)
      body.tags = body.tags
        .split(",")
        .map((tag) => tag.trim().replace(/^#/, ""))
        .filter(Boolean);
    const headers = { "If-Match": `"${base.tag}"` };
    await change("PATCH", memoryPath(memory.id), { ...body, merge: false }, { headers });
    toast("Saved");
    finish();
  }

  function finish() {
    drafts.delete(memory.id);
    onDone();
  }

  function onKey(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) element.requestSubmit();
    else if (event.key === "Escape") leave({ ask: true });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Going elsewhere keeps the draft; closing the editor asks what shall become of it. */
  function leave({ ask: asks = false } = {}) {
    const isDraft = drafts.has(memory.id);
    if (!asks) {
      if (isDraft) toast("Your draft is kept: open the memory again to go on");
      return;
    }
    if (!isDraft) {
      onDone();
      return;
    }
    ask("Discard what you wrote?", [h("p", {}, "The memory stays as it is on disk.")], {
      confirm: "Discard",
      tone: "danger",
      done: finish,
    });
  }

  if (base.tag !== memory.tag) changed(memory); // a draft, of a file that has changed since
  return { element, changed, leave, focus: () => fields.text.focus() };
}

const field = (label, input, more = "") =>
  h("label", { class: ["field", more] }, h("span", {}, label), input);

function version(label, before, after) {
  return h("div", { class: "version" }, h("h3", {}, label), diffLines(compare(before, after)));
}

/** Lines with their signs; unchanged ones far from a change are left out. */
export function diffLines(lines) {
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - 2), at + 3).some((line) => line.sign !== " "),
  );
  const shown = lines.filter((_, at) => near[at]);
  return h(
    "pre",
    { class: "diff", tabindex: "0" },
    shown.length
      ? shown.map((line) =>
          h(
            "span",
            { class: { "+": "added", "-": "removed" }[line.sign] ?? "same" },
            `${line.sign} ${line.text}\n`,
          ),
        )
      : "no difference",
  );
}
