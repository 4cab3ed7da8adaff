// A proposed memory in the inbox: what was said, where, and a form to put it into other words first.

import { citedIn, eventLink } from "../citation.js";
import { button, h } from "../dom.js";
import { ago } from "../format.js";
import { KINDS } from "../memory-words.js";

/** What would be remembered, and the event that says it. */
export function proposalWords({ title, proposal }) {
  const place = citedIn(proposal.uri);
  return [
    title && h("p", { class: "proposal-title" }, title),
    h("blockquote", { class: "proposal-text" }, proposal.text),
    h(
      "p",
      { class: "hint" },
      `${proposal.said_by}, `,
      h("time", { datetime: proposal.said_at }, ago(proposal.said_at)),
      ", ",
      place && eventLink(place),
      proposal.project && ` · ${proposal.project}`,
      proposal.times > 1 && ` · said ${proposal.times} times`,
    ),
  ];
}

/** The same to be edited. `onAccept` gets the fields of the request, `onLeave` is told that nothing is wanted. */
export function proposalForm({ title, proposal }, { onAccept, onLeave }) {
  const text = h("textarea", { name: "text", rows: 4, spellcheck: true, value: proposal.text });
  const name = h("input", {
    name: "title",
    autocomplete: "off",
    value: title ?? "",
    placeholder: "From the text",
  });
  const kind = h(
    "select",
    { name: "kind" },
    [...new Set([proposal.kind, ...KINDS])].map((value) => h("option", { value }, value)),
  );
  const field = (label, input) => h("label", { class: "field grow" }, h("span", {}, label), input);
  const form = h(
    "form",
    { class: "proposal-form", onsubmit, onkeydown },
    field("Text", text),
    h("div", { class: "editor-row" }, field("Title", name), field("Kind", kind)),
    h(
      "div",
      { class: "inbox-actions" },
      h("button", { type: "submit", class: "button primary" }, "Accept these words"),
      button("Cancel", onLeave),
    ),
  );
  function onsubmit(event) {
    event.preventDefault();
    if (!text.value.trim()) return;
    onAccept({ text: text.value, title: name.value.trim() || null, kind: kind.value });
  }
  function onkeydown(event) {
    if (event.key === "Escape") onLeave();
  }
  return { form, focus: () => text.focus() };
}
