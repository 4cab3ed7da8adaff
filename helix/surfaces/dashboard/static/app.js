// The frame around the views: navigation, what the connection is like, the theme, the way in.

import { askHealth, connection, isSignedIn, isTeam, signIn } from "./api.js";
import { fill, h, icon, iconButton, put } from "./dom.js";
import { ask } from "./feedback.js";
import { plural } from "./format.js";
import { listenToKeys, pageKeys, showHelp, useKeys } from "./keys.js";
import { listen, live, start } from "./live.js";
import { go, here, spell } from "./route.js";
import { graph } from "./views/graph.js";
import { health } from "./views/health.js";
import { countInbox, inbox } from "./views/inbox.js";
import { lab } from "./views/lab.js";
import { map } from "./views/map.js";
import { memories } from "./views/memories.js";
import { sessions } from "./views/sessions.js";
import { timeline } from "./views/timeline.js";
import { enter, may, startAnew } from "./who.js";

const inside = await enter().catch(() => !isTeam);
// What only a team has is loaded for a team.
const team = isTeam && inside ? await Promise.all(["account", "projects", "admin"].map((name) => import(`./views/${name}.js`))) : [];
const [account, projects, admin] = team;
/** @type {import("./view.js").View[]} */
const VIEWS = !inside
  ? []
  : [
      memories,
      graph,
      map,
      timeline,
      sessions,
      may("diagnostics") && inbox,
      lab,
      may("diagnostics") && health,
      projects?.projects,
      isTeam && may("admin") && admin?.admin,
    ].filter(Boolean);
// A memory is read beside the list, and so is a session; a citation leads to the session it names.
const ALSO = { memory: "memories", session: "sessions", cite: "sessions" };
const THEMES = ["system", "light", "dark"];
const THEME_ICONS = { system: "screen", light: "sun", dark: "moon" };

const main = document.getElementById("main");
const nav = document.getElementById("nav");
let shown = null;

function render() {
  const route = here();
  const view = VIEWS.find((one) => one.name === (ALSO[route.name] ?? route.name));
  if (!view) {
    go({ name: "memories" });
    return;
  }
  for (const link of nav.children) {
    if (link.dataset.view === view.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (shown?.view === view) {
    shown.life.update(route);
    return;
  }
  shown?.life.end();
  useKeys({});
  fill(main);
  document.title = `${view.title} · Helix`;
  main.dataset.view = view.name;
  const life = view.begin(main, route, (number) => drawCount(view.name, number));
  shown = { view, life };
}

function drawNavigation() {
  VIEWS.forEach((view, index) => {
    if (index < 9) pageKeys({ [index + 1]: () => go({ name: view.name }) });
    put(
      nav,
      h(
        "a",
        { href: spell({ name: view.name }), data: { view: view.name } },
        icon(view.name),
        h("span", { class: "nav-label" }, view.title),
        h("span", { class: "nav-count" }),
      ),
    );
  });
  const theme = iconButton("screen", "", nextTheme, { id: "theme" });
  const state = h(
    may("diagnostics") && inside ? "a" : "span",
    { ...(may("diagnostics") && inside ? { href: "#/health" } : {}), id: "state", class: "state" },
    h("span", { class: "dot" }),
    h("span", { class: "state-word" }, "connecting"),
  );
  put(
    document.getElementById("rail-foot"),
    account?.account(),
    state,
    theme,
    inside && iconButton("help", "Keys and help", showHelp, { id: "help" }),
  );
  drawTheme();
}

/** How many things of a view need somebody. */
function drawCount(name, number) {
  const count = nav.querySelector(`[data-view="${name}"] .nav-count`);
  count.textContent = number ? String(number) : "";
  count.title = number ? `${plural(number, "thing needs", "things need")} you` : "";
}

function nextTheme() {
  const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
  try {
    if (next === "system") localStorage.removeItem("helix-theme");
    else localStorage.setItem("helix-theme", next);
  } catch {
    // Then it holds until the page is closed.
  }
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  drawTheme();
  window.dispatchEvent(new Event("themechange"));
}

const theme = () => document.documentElement.dataset.theme ?? "system";

function drawTheme() {
  const at = document.getElementById("theme");
  const label = `Theme: ${theme()}`;
  at.setAttribute("aria-label", label);
  at.title = label;
  fill(at, icon(THEME_ICONS[theme()]));
}

/** A dot in the rail: how the daemon is, as it said last. */
function drawState(state, reasons = []) {
  const at = document.getElementById("state");
  at.dataset.state = state;
  at.title = reasons.map((one) => one.message).join("; ") || `Helix is ${state}`;
  at.querySelector(".state-word").textContent = state;
}

async function look() {
  try {
    const answer = await askHealth();
    drawState(answer.state, answer.reasons);
  } catch {
    drawState("gone");
  }
}

function drawBanner(lost) {
  fill(
    document.getElementById("banner"),
    lost &&
      h(
        "div",
        { class: "banner" },
        icon("alert"),
        h("span", {}, "Helix does not answer. Your files are safe; the page goes on as soon as it is back."),
      ),
  );
  if (lost) drawState("gone");
}

let asking = null;
let isLeaving = false;

/** What was good a moment ago is not any more: ended elsewhere, or after a long pause. */
async function askWhoAgain() {
  if (isLeaving || !inside) return;
  isLeaving = true;
  if (await enter().catch(() => true)) isLeaving = false;
  else startAnew();
}

function askForToken() {
  if (asking?.open) return;
  const wrong = isSignedIn();
  signIn(null);
  const field = h("input", {
    type: "password",
    name: "token",
    required: true,
    autocomplete: "off",
    autofocus: true,
    spellcheck: false,
  });
  asking = ask(
    "Sign in",
    [
      h(
        "p",
        {},
        wrong ? "That token is not the one in force. " : "This daemon asks for its token. ",
        "Print it with ",
        h("code", {}, "helix token"),
        ".",
      ),
      h("label", { class: "field" }, h("span", {}, "Token"), field),
      h("p", { class: "hint" }, "Kept in this tab until it is closed, and sent to this daemon only."),
    ],
    {
      confirm: "Sign in",
      done: () => {
        signIn(field.value.trim());
        start();
        shown.life.refresh();
      },
    },
  );
}

connection.addEventListener("lost", () => drawBanner(true));
connection.addEventListener("back", () => {
  drawBanner(false);
  look();
  shown?.life.refresh(); // reads anew, and leaves alone what somebody is writing
});
connection.addEventListener("token", isTeam ? askWhoAgain : askForToken);
live.addEventListener("health", ({ detail }) => drawState(detail.state, detail.reasons));
// A link in a memory's text leads to another memory: the list beside it stays as it is.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-memory]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const { name, query } = here();
  go({ name: "memory", arg: link.dataset.memory, query: (ALSO[name] ?? name) === "memories" ? query : {} });
});
// The hash is the router's: the skip link moves the focus itself.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

drawNavigation();
look();
if (inside) {
  window.addEventListener("hashchange", render);
  pageKeys({ "?": showHelp, "/": () => go({ name: "memories" }) });
  listenToKeys();
  render();
  if (may("diagnostics")) countInbox().then((number) => drawCount(inbox.name, number));
  listen();
} else {
  const { askWhoItIs } = await import("./views/sign-in.js");
  askWhoItIs(main);
}
