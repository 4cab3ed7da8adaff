// What the page says on its own account: a note at the foot, a dialog, a word for a screen reader, an empty place.

import { button, fill, h, icon, iconButton, put } from "./dom.js";

const SHOWN = 7000;

/** A note that goes by itself; with something to do it stays a little longer. */
export function toast(text, { act = null, label = "Undo", tone = "" } = {}) {
  const gone = () => note.remove();
  const note = h("div", { class: ["toast", tone] }, h("span", {}, text));
  if (act) {
    const take = () => {
      gone();
      act();
    };
    put(note, button(label, take, { kind: "quiet" }));
  }
  put(note, iconButton("close", "Dismiss", gone));
  document.getElementById("toasts").append(note);
  let timer = setTimeout(gone, act ? SHOWN * 1.5 : SHOWN);
  note.addEventListener("mouseenter", () => clearTimeout(timer));
  note.addEventListener("mouseleave", () => {
    timer = setTimeout(gone, SHOWN);
  });
  return note;
}

export const complain = (error) => error.name !== "AbortError" && toast(error.message, { tone: "bad" });

/** For who does not see what changed. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

/** A dialog with a form in it. `fields` are nodes; `done` gets the form and may throw to keep it open. */
export function ask(title, fields, { confirm = "OK", tone = "primary", done = () => {}, wide = false } = {}) {
  const problem = h("p", { class: "problem", role: "alert" });
  const sure = h("button", { type: "submit", class: ["button", tone] }, confirm);
  const form = h(
    "form",
    { method: "dialog" },
    h(
      "header",
      {},
      h("h2", {}, title),
      iconButton("close", "Close", () => dialog.close()),
    ),
    h("div", { class: "dialog-body" }, fields),
    problem,
    h(
      "footer",
      {},
      button("Cancel", () => dialog.close()),
      sure,
    ),
  );
  const dialog = h("dialog", { class: ["dialog", wide && "wide"], "aria-label": title }, form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    sure.disabled = true;
    problem.textContent = "";
    try {
      await done(form);
      dialog.close();
    } catch (error) {
      problem.textContent = error.message;
      sure.disabled = false;
    }
  });
  return show(dialog);
}

/** A dialog that shows something and is closed. */
export function present(title, ...content) {
  const dialog = h(
    "dialog",
    { class: "dialog", "aria-label": title },
    h(
      "header",
      {},
      h("h2", {}, title),
      iconButton("close", "Close", () => dialog.close()),
    ),
    h("div", { class: "dialog-body" }, content),
  );
  return show(dialog);
}

function show(dialog) {
  const before = document.activeElement;
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before?.isConnected) before.focus();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("[autofocus], input, textarea, select")?.focus();
  return dialog;
}

/** A place with nothing in it says why, and what to do. */
export function empty(symbol, title, text, ...more) {
  return h(
    "div",
    { class: "empty" },
    icon(symbol),
    h("p", { class: "empty-title" }, title),
    text && h("p", {}, text),
    more,
  );
}

export function failed(error, again) {
  return empty("alert", "That did not work", error.message, again && button("Try again", again));
}

export const loading = (what = "Loading") =>
  h("div", { class: "loading", role: "status" }, h("span", { class: "unseen" }, `${what}…`));

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied ${what}`);
  } catch {
    const area = h("textarea", { readonly: true, rows: 5, "aria-label": what, value: text });
    present(`Copy ${what}`, area); // a browser that does not let a page write to the clipboard
    area.select();
  }
}

/** Shows `make()` in `place` once it is there; an error is said in its stead. */
export async function into(place, make, again) {
  fill(place, loading());
  try {
    fill(place, await make());
  } catch (error) {
    if (error.name !== "AbortError") fill(place, failed(error, again));
  }
}
