// What needs a person: each thing with the reason, and a remedy that is one click.

import { change, get, pages } from "../api.js";
import { button, fill, h, put } from "../dom.js";
import { complain, empty, failed, loading, toast } from "../feedback.js";
import { capital, words } from "../format.js";
import { live } from "../live.js";
import { memoryLink } from "../memory-words.js";
import { here, replace } from "../route.js";
import { proposalForm, proposalWords } from "./proposal.js";
import { may } from "../who.js";

const ABOUT = {
  proposed: "Proposed memories",
  unreadable: "Notes that cannot be read",
  unmerged: "Merges that kept both texts",
  "skill-edit": "Edits of skills",
  "waiting-to-merge": "Copies that wait to be merged",
  "secret-refused": "Secrets that were refused",
  contradiction: "Contradictions",
  duplicate: "Likely duplicates",
  expired: "No longer valid",
  "stale-task": "Old open tasks",
  "dangling-link": "Links that lead to nothing",
};
const SETTLED = 400;
const AGAIN = 20_000; // a finished look for doubles tells nobody
const STILL_LOOKING = 3000; // what is proposed comes when every memory has been compared

export const inbox = { name: "inbox", title: "Inbox", begin };

function begin(root, first, count) {
  let route = first;
  let request = null;
  let settling = null;
  let items = [];
  const kinds = h("div", { class: "filters-row", role: "group", "aria-label": "Show" });
  const list = h("div", { class: "inbox" });
  put(
    root,
    h("div", { class: "page" }, h("header", { class: "page-head" }, h("h1", {}, "Inbox"), kinds), list),
  );

  async function load() {
    clearTimeout(settling);
    request?.abort();
    request = new AbortController();
    if (!list.children.length) fill(list, loading("Looking for what needs you"));
    try {
      const found = [];
      let isLooking = false;
      for await (const page of pages(
        "/inbox",
        { limit: 50, max_tokens: 40000 },
        { signal: request.signal },
      )) {
        found.push(...page.items);
        isLooking ||= page.looking === true;
      }
      items = found;
      // What somebody is writing is not drawn anew below their hands.
      if (!list.querySelector(".proposal-form")) draw();
      settling = setTimeout(load, isLooking ? STILL_LOOKING : AGAIN);
    } catch (error) {
      if (error.name !== "AbortError") fill(list, failed(error, load));
    }
  }

  function draw() {
    const groups = new Map();
    for (const item of items) groups.set(item.what, [...(groups.get(item.what) ?? []), item]);
    const order = [...Object.keys(ABOUT), ...groups.keys()];
    const shown = [...new Set(order)].filter((what) => groups.has(what));
    const wanted = shown.includes(route.query.what) ? route.query.what : null;
    fill(
      kinds,
      shown.length > 1 &&
        [null, ...shown].map((what) =>
          h(
            "button",
            {
              type: "button",
              class: ["pill", what === wanted && "is-on"],
              "aria-pressed": String(what === wanted),
              onclick: () => replace({ name: "inbox", query: { what: what ?? "" } }),
            },
            what ? capital(words(what)) : "All",
            h("span", { class: "pill-count" }, what ? groups.get(what).length : items.length),
          ),
        ),
    );
    count(items.length);
    if (!items.length) {
      fill(
        list,
        empty(
          "check",
          "Nothing needs you",
          "What sessions propose to remember, files that cannot be read, doubles and refused secrets come here.",
        ),
      );
      return;
    }
    fill(
      list,
      shown
        .filter((what) => !wanted || what === wanted)
        .map((what) =>
          h(
            "section",
            { class: "inbox-group" },
            h(
              "h2",
              {},
              ABOUT[what] ?? capital(words(what)),
              h("span", { class: "hint" }, groups.get(what).length),
            ),
            h("ul", {}, groups.get(what).map(card)),
          ),
        ),
    );
  }

  function card(item) {
    const at = h(
      "li",
      { class: "card inbox-item", data: { key: item.key } },
      h(
        "div",
        { class: "inbox-words" },
        h("p", { class: "inbox-reason" }, capital(item.reason)),
        item.proposal && proposalWords(item),
        (item.id || item.other) &&
          h(
            "p",
            { class: "inbox-memories" },
            item.id && memoryLink(item.id, item.title),
            item.other && [
              h("span", { class: "hint" }, item.what === "dangling-link" ? " leads to " : " and "),
              item.other_title ? memoryLink(item.other, item.other_title) : h("code", {}, item.other),
            ],
          ),
        item.path &&
          h("p", { class: "hint" }, h("code", {}, `${item.path}${item.line ? `:${item.line}` : ""}`)),
        item.remedy && !item.proposal && h("p", { class: "hint" }, capital(item.remedy)),
        item.detail &&
          h(
            "details",
            {},
            h("summary", {}, "More"),
            h("pre", { class: "detail", tabindex: "0" }, item.detail),
          ),
      ),
      h(
        "div",
        { class: "inbox-actions" },
        item.actions.filter(isAllowed).flatMap((action, position) => [
          button(action.label, (event) => act(action, event.currentTarget), {
            kind: position === 0 && action.name !== "dismiss" ? "primary" : "",
          }),
          item.proposal && action.name === "accept" && button("Edit", () => edit(action)),
        ]),
      ),
    );

    function edit(action) {
      const { form, focus } = proposalForm(item, {
        onLeave: draw,
        onAccept: async (words) => {
          const body = { ...action.body, ...words };
          await act({ ...action, body }, form.querySelector("[type=submit]"));
        },
      });
      fill(at, form);
      focus();
    }

    /** Exactly what the daemon said is to be sent, or that with a person's words. */
    async function act(action, pressed) {
      pressed.disabled = true;
      try {
        await change(action.method, action.route, action.body ?? undefined, {
          keyed: action.name !== "dismiss" && action.name !== "accept",
        });
        toast(
          action.name === "dismiss"
            ? item.proposal
              ? "Dismissed; it is not proposed again"
              : "Dismissed; it comes back if it changes"
            : `Done: ${action.label.toLowerCase()}`,
        );
        items = items.filter((one) => one.key !== item.key);
        draw();
      } catch (error) {
        complain(error); // a note of the page: the card itself may be drawn anew at any moment
        pressed.disabled = false;
      }
    }
    return at;
  }

  const onChange = () => {
    clearTimeout(settling);
    settling = setTimeout(load, SETTLED);
  };
  live.addEventListener("change", onChange);
  live.addEventListener("health", onChange);
  load();
  return {
    update: (next) => {
      route = next;
      draw();
    },
    refresh: load,
    end: () => {
      request?.abort();
      clearTimeout(settling);
      live.removeEventListener("change", onChange);
      live.removeEventListener("health", onChange);
    },
  };
}

const PERMISSIONS = {
  "/inbox/accept": "remember",
  "/inbox/dismiss": "diagnostics",
  "/forget": "forget",
  "/restore": "recover",
};

/** Whatever else changes a memory. */
const isAllowed = (action) => may(PERMISSIONS[action.route] ?? "modify");

/** How many things need somebody, for the navigation of a page that shows another view. */
export async function countInbox() {
  const page = await get("/inbox", { limit: 1, max_tokens: 4000 }).catch(() => null);
  return Object.values(page?.counts ?? {}).reduce((sum, number) => sum + number, 0);
}
