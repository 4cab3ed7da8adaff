// Memories: the list on the left, found as somebody types, and the memory that is open on the right.

import { get } from "../api.js";
import { citationIn, placeOf } from "../citation.js";
import { button, fill, h, icon, put } from "../dom.js";
import { empty, failed, loading, say } from "../feedback.js";
import { ago, plural, snippet, whole } from "../format.js";
import { useKeys } from "../keys.js";
import { live } from "../live.js";
import { isUnfiled, kindMark, statusMark } from "../memory-words.js";
import { go, here, replace, spell } from "../route.js";
import { writeNew } from "./actions.js";
import { filterBar, onlyFilters, toAsked } from "./filters.js";
import { readingPane } from "./reading.js";
import { rankingOf } from "./ranking.js";
import { may } from "../who.js";

const TYPED = 120; // after the last key
const SETTLED = 250; // after the last change of the vault
const FOUND = { limit: 30, max_tokens: 24000, format: "detailed" };
const LISTED = { limit: 50, max_tokens: 24000, format: "detailed" };

export const memories = { name: "memories", title: "Memories", begin };

function begin(root, first) {
  const search = h("input", {
    type: "search",
    class: "search-field",
    placeholder: "Search memories",
    "aria-label": "Search memories",
    autocomplete: "off",
    spellcheck: false,
    enterkeyhint: "search",
    oninput: onTyped,
    onkeydown: onSearchKey,
  });
  const filters = filterBar((part) => replace({ ...here(), query: tidy({ ...here().query, ...part }) }));
  const note = h("p", { class: "list-note", role: "status" });
  const list = h("ol", { class: "memory-list", "aria-label": "Memories" });
  const more = h("div", { class: "list-more" });
  const scroll = h("div", { class: "list-scroll", tabindex: "-1" }, list, more);
  const pane = readingPane({ onChanged: () => load() });
  put(
    root,
    h("h1", { class: "unseen" }, "Memories"),
    h(
      "div",
      { class: "split" },
      h(
        "section",
        { class: "list-column", "aria-label": "Find" },
        h(
          "div",
          { class: "search" },
          icon("search"),
          search,
          filters.toggle,
          may("remember") && button("New", () => writeNew(), { kind: "primary", symbol: "plus" }),
        ),
        filters.panel,
        filters.chips,
        note,
        scroll,
      ),
      pane.element,
    ),
  );
  const seen = new IntersectionObserver(
    (entries) => !isNear && entries.some((one) => one.isIntersecting) && loadMore(),
    { root: scroll, rootMargin: "400px" },
  );
  seen.observe(more);

  let route = first;
  let asked = null; // what the list shows, as one string
  let cursor = null;
  let isNear = false; // nothing fits: the rest of what is merely near comes when somebody asks for it
  let request = null;
  let busy = null; // the request whose next page is on its way
  let typing = null;
  let settling = null;

  function onTyped() {
    clearTimeout(typing);
    const cited = citationIn(search.value);
    // Typed by hand it may go on: the hash of a citation has 12 digits or more.
    if (cited?.hash) {
      go(placeOf(cited));
      return;
    }
    typing = setTimeout(
      () => replace({ ...here(), query: tidy({ ...here().query, q: search.value.trim() }) }),
      TYPED,
    );
  }

  function onSearchKey(event) {
    const cited = event.key === "Enter" && citationIn(search.value);
    if (cited) {
      go(placeOf(cited));
      event.preventDefault();
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      const link = list.querySelector("a");
      if (event.key === "Enter" && link) link.click();
      else link?.focus();
      event.preventDefault();
    } else if (event.key === "Escape" && search.value) {
      search.value = "";
      onTyped();
      event.stopPropagation();
    }
  }

  function update(next) {
    route = next;
    const q = route.query.q ?? "";
    if (document.activeElement !== search) search.value = q;
    filters.update(route.query);
    root.classList.toggle("is-reading", route.name === "memory");
    pane.show(route.name === "memory" ? route.arg : null);
    const wanted = JSON.stringify([q, onlyFilters(route.query)]);
    if (wanted !== asked) {
      asked = wanted;
      scroll.scrollTop = 0;
      load();
    }
    markOpen();
  }

  /** The first page anew; rows that are there stay until it has come. */
  async function load() {
    request?.abort();
    request = new AbortController();
    const { signal } = request;
    if (!list.children.length) fill(more, loading("Looking"));
    try {
      const page = await ask(null, signal);
      const focused = list.contains(document.activeElement) ? document.activeElement.dataset.memory : null;
      fill(list);
      show(page);
      describe(page);
      list.dataset.shows = asked;
      if (focused) list.querySelector(`[data-memory="${CSS.escape(focused)}"]`)?.focus();
    } catch (error) {
      if (error.name !== "AbortError") fill(more, failed(error, load));
    }
  }

  async function loadMore() {
    if (!cursor || (busy !== null && busy === request)) return;
    request ??= new AbortController();
    const mine = request;
    busy = mine;
    try {
      show(await ask(cursor, mine.signal));
    } catch (error) {
      if (error.name !== "AbortError") fill(more, failed(error, loadMore));
    } finally {
      if (busy === mine) busy = null;
    }
  }

  function ask(from, signal) {
    const { q } = route.query;
    const query = { ...toAsked(route.query), ...(q ? { q, ...FOUND } : LISTED), cursor: from };
    return get(q ? "/recall" : "/recent", query, { signal });
  }

  function show(page) {
    put(
      list,
      page.results.map((memory) => row(memory, route)),
    );
    cursor = page.next_cursor;
    isNear = page.results.some((memory) => memory.nearest);
    fill(more, cursor && button("Show more", loadMore, { kind: "quiet" }));
    markOpen();
  }

  function describe(page) {
    const { q } = route.query;
    const isNarrowed = Object.keys(onlyFilters(route.query)).length > 0;
    const count = `${plural(page.results.length, "memory", "memories")}${page.next_cursor ? " and more" : ""}`;
    fill(
      note,
      q ? (page.results.length && !isNear ? `${count} found` : page.note) : "",
      page.degraded && h("span", { class: "hint" }, ` ${page.degraded}`),
    );
    say(isNear ? page.note : q || isNarrowed ? count : "");
    if (page.results.length) return;
    if (q || isNarrowed) {
      const tries = (page.suggestions ?? []).map((word) =>
        button(word, () => replace({ ...here(), query: { ...here().query, q: word } }), { kind: "quiet" }),
      );
      fill(
        more,
        empty(
          "search",
          "Nothing fits",
          isNarrowed
            ? "Take a filter away, or ask in other words."
            : "Nothing in the vault is close enough. Ask in other words.",
          tries.length > 0 && h("p", { class: "row" }, "Did you mean ", tries),
        ),
      );
    } else
      fill(
        more,
        empty(
          "memories",
          "No memories yet",
          may("remember") ? "Write the first one, connect an agent, or put markdown files into the vault." : null,
          may("remember") && button("Write a memory", () => writeNew(), { kind: "primary" }),
          may("connectors") && h("a", { class: "button", href: "#/health" }, "Connect an agent"),
        ),
      );
  }

  function markOpen() {
    for (const link of list.querySelectorAll("a")) {
      if (link.dataset.memory === route.arg) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  function move(step) {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((link) => link === document.activeElement);
    const from = at >= 0 ? at : links.findIndex((link) => link.dataset.memory === route.arg);
    const next = links[Math.min(links.length - 1, Math.max(0, from + step))];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  const onChange = () => {
    clearTimeout(settling);
    // Somebody who has scrolled down reads; the list under their eyes stays.
    settling = setTimeout(() => scroll.scrollTop < 200 && load(), SETTLED);
  };
  live.addEventListener("change", onChange);

  const next = () => move(1);
  const before = () => move(-1);
  useKeys({
    "/": () => {
      search.focus();
      search.select();
    },
    j: next,
    k: before,
    ArrowDown: next,
    ArrowUp: before,
    e: () => pane.edit(),
    n: () => may("remember") && writeNew(),
    Escape: () =>
      document.activeElement === search
        ? search.blur()
        : pane.leave() && go({ name: "memories", query: here().query }),
  });
  if (first.name === "memories" && matchMedia("(min-width: 60rem) and (hover: hover)").matches)
    search.focus();
  update(first);
  return {
    update,
    refresh: () => {
      load();
      pane.refresh();
    },
    end: () => {
      live.removeEventListener("change", onChange);
      seen.disconnect();
      request?.abort();
      clearTimeout(typing);
      clearTimeout(settling);
      pane.end();
    },
  };
}

function row(memory, route) {
  const title = memory.title || snippet(memory.text) || memory.id;
  return h(
    "li",
    {},
    h(
      "a",
      {
        class: "memory-row",
        href: spell({ name: "memory", arg: memory.id, query: route.query }),
        data: { memory: memory.id },
      },
      h("span", { class: "memory-title" }, title),
      h("span", { class: "memory-snippet" }, snippet(memory.text, memory.title)),
      h(
        "span",
        { class: "memory-facts" },
        kindMark(memory.kind),
        memory.project && h("span", { class: "project" }, memory.project),
        memory.owner && h("span", { class: "owner" }, memory.owner),
        isUnfiled(memory) && h("span", { class: "project" }, "unfiled"),
        statusMark(memory.status),
        memory.updated &&
          h("time", { datetime: memory.updated, title: whole(memory.updated) }, ago(memory.updated)),
      ),
      memory.reasons && rankingOf(memory),
    ),
  );
}

const tidy = (query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value));
