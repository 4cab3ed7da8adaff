// Health: how the daemon is, what it does, who uses it; and how an agent is connected.

import { change, get } from "../api.js";
import { button, fill, h, icon, put } from "../dom.js";
import { copy, failed, loading, toast } from "../feedback.js";
import { ago, bytes, capital, milliseconds, number, plural, span, whole, words } from "../format.js";
import { live } from "../live.js";

const EVERY = 5000;

export const health = { name: "health", title: "Health", begin };

function begin(root) {
  const cards = h("div", { class: "health-cards" });
  const hosts = h(
    "section",
    { class: "card hosts", "aria-label": "Connect an agent" },
    h("h2", {}, "Connect an agent"),
    loading(),
  );
  put(
    root,
    h("div", { class: "page" }, h("header", { class: "page-head" }, h("h1", {}, "Health")), cards, hosts),
  );
  let timer = null;
  let isEnded = false;

  async function load() {
    clearTimeout(timer);
    if (!cards.children.length) fill(cards, loading());
    try {
      const [said, status] = await Promise.all([get("/healthz"), get("/status")]);
      const top = root.firstElementChild.scrollTop;
      const focused = document.activeElement?.dataset?.does;
      fill(cards, draw(said, status, load));
      root.firstElementChild.scrollTop = top;
      if (focused) cards.querySelector(`[data-does="${focused}"]`)?.focus();
    } catch (error) {
      fill(cards, failed(error, load));
    }
    if (!isEnded) timer = setTimeout(load, EVERY);
  }

  async function loadHosts() {
    try {
      const said = await get("/hosts");
      fill(hosts, h("h2", {}, "Connect an agent"), setUp(said.hosts));
    } catch (error) {
      fill(hosts, h("h2", {}, "Connect an agent"), failed(error, loadHosts));
    }
  }

  const onHealth = () => load();
  live.addEventListener("health", onHealth);
  load();
  loadHosts();
  return {
    update: () => {},
    refresh: () => (load(), loadHosts()),
    end: () => {
      isEnded = true;
      clearTimeout(timer);
      live.removeEventListener("health", onHealth);
    },
  };
}

function draw(said, status, again) {
  return [
    state(said, again),
    following(said),
    embedder(said, status),
    care(said, again),
    disk(status),
    git(status),
    latencies(status),
    tokens(status),
    clients(status),
  ];
}

function card(title, ...content) {
  return h("section", { class: "card" }, h("h2", {}, title), content);
}

const facts = (pairs) =>
  h(
    "dl",
    { class: "facts" },
    pairs
      .filter(([, value]) => value != null && value !== "")
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );

function state(said, again) {
  const tone = { ready: "good", degraded: "warn" }[said.state] ?? "";
  const counts = Object.entries(said.memories)
    .filter(([, count]) => count)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(", ");
  return h(
    "section",
    { class: ["card", "state-card", tone] },
    h(
      "div",
      { class: "state-line" },
      h(
        "span",
        { class: ["state-mark", tone] },
        icon(said.state === "ready" ? "check" : said.state === "degraded" ? "alert" : "timeline"),
      ),
      h(
        "div",
        {},
        h("h2", {}, capital(said.state)),
        h("p", { class: "hint" }, `Helix ${said.version}, up for ${span(said.uptime_seconds)}`),
      ),
    ),
    said.reasons.length > 0 &&
      h(
        "ul",
        { class: "reasons" },
        said.reasons.map((reason) =>
          h(
            "li",
            {},
            h("span", {}, reason.message),
            reason.code === "brake-pulled" &&
              button("They are gone on purpose", () => reindex(again, true), { kind: "" }),
          ),
        ),
      ),
    facts([
      ["Vault", said.vault],
      ["Memories", counts || "none yet"],
      ["Files that need you", said.problems > 0 && h("a", { href: "#/inbox" }, number(said.problems))],
    ]),
    h(
      "div",
      { class: "row" },
      button("Read every file again", () => reindex(again, false), { data: { does: "reindex" } }),
    ),
  );
}

async function reindex(again, acceptMissing) {
  toast("Reading every file again …");
  try {
    await change("POST", acceptMissing ? "/reindex?accept_missing=true" : "/reindex", undefined, {
      keyed: false,
    });
    toast("Every file was read again");
  } catch (error) {
    toast(error.message, { tone: "bad" });
  }
  again();
}

function following(said) {
  const isGood = said.watcher === "watching";
  return card(
    "Following the folder",
    facts([
      ["Watcher", h("span", { class: ["badge", isGood ? "good" : "warn"] }, said.watcher)],
      ["Changes waiting", number(said.waiting)],
      ["Copies to merge", number(said.conflicts)],
      ["Last full scan", said.last_scan_seconds != null && `took ${milliseconds(said.last_scan_seconds)}`],
      ["Watcher restarts", said.watcher_restarts > 0 && number(said.watcher_restarts)],
      ["Autocommit", said.autocommit_error],
    ]),
  );
}

function embedder(said, status) {
  const index = said.index;
  if (!index) return card("Searching", h("p", { class: "hint" }, "The index is being opened."));
  const asked = index.cache_hits + index.cache_misses;
  return card(
    "Searching by meaning",
    facts([
      ["Model", index.model ?? h("span", { class: "badge warn" }, "none: by words only")],
      ["Dimensions", status.embedder?.dimensions && number(status.embedder.dimensions)],
      ["In the index", plural(index.memories, "memory", "memories")],
      [
        "Lag",
        index.index_lag
          ? h("span", { class: "badge warn" }, `${plural(index.index_lag, "memory waits", "memories wait")}`)
          : h("span", { class: "badge good" }, "none"),
      ],
      [
        "Embeddings known",
        asked > 0 && `${Math.round((100 * index.cache_hits) / asked)}% of ${number(asked)}`,
      ],
    ]),
    index.degraded && h("p", { class: "hint" }, index.degraded),
  );
}

function care({ consolidation: said }, again) {
  const isPaused = said.state === "paused";
  const flip = async () => {
    try {
      await change("POST", isPaused ? "/consolidate/resume" : "/consolidate/pause", undefined, {
        keyed: false,
      });
    } catch (error) {
      toast(error.message, { tone: "bad" });
    }
    again();
  };
  return card(
    "Looking for doubles",
    facts([
      ["State", said.state],
      ["Looks finished", number(said.runs)],
      ["Superseded", number(said.applied)],
      ["Proposals", said.proposals != null && h("a", { href: "#/inbox" }, number(said.proposals))],
      ["Error", said.error],
    ]),
    h("div", { class: "row" }, button(isPaused ? "Resume" : "Pause", flip, { data: { does: "pause" } })),
  );
}

function disk({ disk: said }) {
  return (
    said &&
    card(
      "Disk",
      facts([
        ["Vault", bytes(said.vault_bytes)],
        ["Derived data", bytes(said.state_bytes)],
        ["Free", bytes(said.free_bytes)],
      ]),
    )
  );
}

function git({ git: said }) {
  if (!said)
    return card(
      "Git",
      h(
        "p",
        { class: "hint" },
        "The vault is not in a git repository; `helix init --git` makes it one, and memories get a history.",
      ),
    );
  return card(
    "Git",
    facts([
      ["Branch", said.branch],
      [
        "Not committed",
        said.dirty === true
          ? "yes"
          : said.dirty === false
            ? "nothing"
            : said.dirty != null && number(said.dirty),
      ],
      ["Ahead", said.ahead != null && number(said.ahead)],
      ["Behind", said.behind != null && number(said.behind)],
      ["Commits by itself", said.autocommit != null && (said.autocommit ? "yes" : "no")],
      ["Error", said.error],
    ]),
  );
}

function table(heads, rows, figures) {
  return h(
    "div",
    { class: "table-scroll" },
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map((one, at) => h("th", { scope: "col", class: at >= figures && "figure" }, one)),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h(
            "tr",
            {},
            row.map((cell, at) => h("td", { class: at >= figures && "figure" }, cell)),
          ),
        ),
      ),
    ),
  );
}

function latencies({ routes }) {
  const busy = [...(routes ?? [])].sort((one, other) => other.requests - one.requests).slice(0, 12);
  return h(
    "section",
    { class: "card wide" },
    h("h2", {}, "Latency"),
    busy.length
      ? table(
          ["Route", "Requests", "Median", "95 of 100"],
          busy.map((one) => [
            h("code", {}, one.route),
            number(one.requests),
            milliseconds(one.p50),
            milliseconds(one.p95),
          ]),
          1,
        )
      : h("p", { class: "hint" }, "No request yet."),
  );
}

function tokens({ tokens: said }) {
  const verbs = Object.entries(said ?? {});
  return h(
    "section",
    { class: "card wide" },
    h("h2", {}, "Tokens served"),
    verbs.length
      ? table(
          ["Verb", "Served", "Room there was", "Used"],
          verbs.map(([verb, one]) => [
            verb,
            number(one.served),
            number(one.asked),
            one.asked ? `${Math.round((100 * one.served) / one.asked)}%` : "",
          ]),
          1,
        )
      : h("p", { class: "hint" }, "Nobody has read yet."),
  );
}

function clients({ clients: said = [], sessions }) {
  return h(
    "section",
    { class: "card wide" },
    h(
      "h2",
      {},
      "Clients",
      sessions != null && h("span", { class: "hint" }, ` ${plural(sessions, "open MCP session")}`),
    ),
    said.length
      ? table(
          ["Name", "Project", "By", "Sessions", "Seen"],
          said.map((one) => [
            one.name,
            one.project ?? "",
            one.transport,
            number(one.session_count),
            h("time", { datetime: one.last_seen, title: whole(one.last_seen) }, ago(one.last_seen)),
          ]),
          3,
        )
      : h("p", { class: "hint" }, "Nobody yet. Connect an agent below."),
  );
}

/** The entry of each host's file, ready to paste, and the command that writes it. */
function setUp(hosts) {
  const place = h("div", { class: "host-shown" });
  const show = (host, pressed) => {
    for (const one of tabs.children) one.setAttribute("aria-pressed", String(one === pressed));
    fill(
      place,
      h(
        "p",
        {},
        "Run ",
        h("code", {}, host.command),
        " ",
        button("Copy", () => copy(host.command, "the command"), {
          symbol: "copy",
          "aria-label": "Copy the command",
        }),
      ),
      h(
        "p",
        { class: "hint" },
        "Or put this into ",
        Object.entries(host.files ?? {})
          .filter(([, file]) => file)
          .map(([scope, file], at) => [at > 0 && " or ", h("code", {}, file), ` (${words(scope)})`]),
        ":",
      ),
      h(
        "div",
        { class: "fragment" },
        h("pre", { tabindex: "0", "aria-label": `Entry for ${host.title}` }, host.fragment),
        button("Copy", () => copy(host.fragment, "the entry"), {
          symbol: "copy",
          "aria-label": "Copy the entry",
        }),
      ),
    );
  };
  const tabs = h(
    "div",
    { class: "pills", role: "group", "aria-label": "Host" },
    hosts.map((host) =>
      h(
        "button",
        {
          type: "button",
          class: "pill",
          "aria-pressed": "false",
          onclick: (event) => show(host, event.currentTarget),
        },
        host.title,
      ),
    ),
  );
  if (hosts.length) show(hosts[0], tabs.firstElementChild);
  return [tabs, place];
}
