// The memories by what they mean: those that speak of the same thing lie near each other, clusters carry their words.

import { askHealth, pages } from "../api.js";
import { chart, dots } from "../canvas/chart.js";
import { labels, short } from "../canvas/labels.js";
import { colour, kindVariable, projectVariables } from "../canvas/palette.js";
import { legend, listOf } from "../canvas/side.js";
import { fill, h } from "../dom.js";
import { empty, failed, loading } from "../feedback.js";
import { number, plural } from "../format.js";
import { go, here, replace } from "../route.js";

const PAGE = { scope: "all", limit: 500, max_tokens: 200000 };
const CLOSE = 3; // times the whole: titles from here on
const MOST_TITLES = 80;
const FEW = 600; // so many can be left free by every title
const UNPROJECTED = "global";
const AGAIN = 2000;
const MOST_LOOKS = 15;

export const map = { name: "map", title: "Map", begin };

function begin(root, first) {
  let route = first;
  let data = null;
  let pointed = -1;
  let request = null;
  let later = null;
  let looks = 0;
  let coloured = null;
  const hidden = new Set();
  const filter = { words: "" };
  const by = h(
    "select",
    {
      "aria-label": "Colour by",
      onchange: () =>
        replace({ ...here(), query: { ...here().query, by: by.value === "kind" ? "" : by.value } }),
    },
    h("option", { value: "kind" }, "Coloured by kind"),
    h("option", { value: "project" }, "Coloured by project"),
  );
  const at = chart(root, {
    title: "Map",
    label: "Map of memories by meaning; the list beside it says the same in words",
    choices: h("div", { class: "filters-row" }, by),
    draw,
    points: () => data ?? { x: [], y: [], count: 0 },
    describe: (index) => data.points[index],
    onHover: (index) => (pointed = index),
    onOpen: (index) => go({ name: "memory", arg: data.points[index].id }),
  });

  /** Anew; `quiet` keeps what is drawn, and the view, until the new one has come. */
  async function load({ quiet = false } = {}) {
    clearTimeout(later);
    request?.abort();
    request = new AbortController();
    if (!quiet) {
      data = null;
      at.redraw();
      fill(at.note, loading("Drawing the map"));
    }
    try {
      const { points, head } = await read(request.signal);
      if (points.length) take(points, head, quiet && data !== null);
      else fill(at.note, empty("map", "Nothing to draw yet", nothing(head)));
      const { memories } = await askHealth();
      // The map is drawn behind the memories: those of the last moments come with the next one.
      if (head.waiting || (points.length < (memories.active ?? 0) && looks++ < MOST_LOOKS)) comeBack();
    } catch (error) {
      if (error.code === "index-not-ready" && looks++ < MOST_LOOKS) comeBack();
      else if (error.name !== "AbortError" && !quiet) fill(at.note, failed(error, load));
    }
  }

  const comeBack = () => (later = setTimeout(() => load({ quiet: data !== null }), AGAIN));

  async function read(signal) {
    const points = [];
    let head = null;
    for await (const page of pages("/map", PAGE, { signal })) {
      head ??= page;
      points.push(...page.points);
      if (page.next_cursor && !data) fill(at.note, `${number(points.length)} memories …`);
    }
    return { points, head };
  }

  function take(points, head, isQuiet) {
    fill(
      at.note,
      head.waiting > 0 &&
        h("span", { class: "badge" }, `${plural(head.waiting, "memory", "memories")} not embedded yet`),
    );
    data = {
      points,
      clusters: head.clusters ?? [],
      method: head.method,
      count: points.length,
      x: Float32Array.from(points, (one) => one.x),
      y: Float32Array.from(points, (one) => -one.y),
      shown: new Uint8Array(points.length).fill(1),
    };
    pointed = -1;
    paint();
    if (!isQuiet) at.fit();
    at.canvas.dataset.still = "true";
  }

  /** Which colour each point has, and what the legend says. */
  function paint() {
    if (!data) return;
    by.value = route.query.by === "project" ? "project" : "kind";
    if (by.value !== coloured) hidden.clear(); // other groups; a map that is drawn anew leaves the person's choice alone
    coloured = by.value;
    const byProject = by.value === "project";
    const variables = projectVariables(data.points.map((one) => one.project));
    const name = (one) => (byProject ? one.project || UNPROJECTED : one.kind);
    const variable = (one) =>
      byProject ? (variables.get(one.project) ?? "--kind-other") : kindVariable(one.kind);
    data.names = data.points.map(name);
    data.variables = data.points.map(variable);
    showChosen();
    const groups = new Map();
    data.points.forEach((one, index) => {
      const entry = groups.get(data.names[index]) ?? {
        name: data.names[index],
        label: data.names[index],
        variable: data.variables[index],
        count: 0,
      };
      groups.set(entry.name, { ...entry, count: entry.count + 1 });
    });
    fill(
      at.side,
      legend(
        byProject ? "Projects" : "Kinds",
        [...groups.values()].sort((one, other) => other.count - one.count),
        (which, isShown) => {
          if (isShown) hidden.delete(which);
          else hidden.add(which);
          showChosen();
          at.redraw();
        },
        hidden,
      ),
      data.clusters.length > 0 &&
        h(
          "section",
          { class: "side-section" },
          h("h2", {}, "Clusters"),
          h(
            "ul",
            { class: "side-list" },
            data.clusters.map((one) =>
              h(
                "li",
                {},
                h(
                  "button",
                  { type: "button", class: "button link", onclick: () => visit(one) },
                  one.terms.join(" · ") || "no words in common",
                ),
                h("span", { class: "hint" }, one.count),
              ),
            ),
          ),
        ),
      listOf(
        data.points.map((one, index) => ({
          id: one.id,
          title: one.title,
          detail: [one.kind, one.project].filter(Boolean).join(", "),
          index,
        })),
        (index) => {
          pointed = index;
          at.redraw();
        },
        filter,
      ),
      data.method && h("p", { class: "hint" }, `Drawn with ${data.method}.`),
    );
    at.redraw();
  }

  const showChosen = () =>
    data.names.forEach((one, index) => (data.shown[index] = hidden.has(one) ? 0 : 1));

  function visit(cluster) {
    at.fit();
    at.zoom(2.6);
    at.center(cluster.x, -cluster.y);
  }

  function draw(context, view, size) {
    if (!data) return;
    const closeness = view.k / size.unit;
    const [ox, oy] = [-view.x * view.k + size.width / 2, -view.y * view.k + size.height / 2];
    const radius = Math.min(
      7,
      Math.max(1.4, (data.count > 2000 ? 1.7 : data.count > 300 ? 2.6 : 4.5) * Math.sqrt(closeness)),
    );
    const heaps = new Map();
    const seen = [];
    for (let index = 0; index < data.count; index += 1) {
      if (!data.shown[index]) continue;
      const [px, py] = [data.x[index] * view.k + ox, data.y[index] * view.k + oy];
      if (px < -10 || py < -10 || px > size.width + 10 || py > size.height + 10) continue;
      if (!heaps.has(data.variables[index])) heaps.set(data.variables[index], []);
      heaps.get(data.variables[index]).push([px, py]);
      seen.push([index, px, py]);
    }
    context.globalAlpha = 0.85;
    for (const [variable, places] of heaps) dots(context, colour(variable), radius, places);
    context.globalAlpha = 1;
    if (pointed >= 0) {
      context.strokeStyle = colour("--text");
      context.lineWidth = 2;
      context.beginPath();
      context.arc(data.x[pointed] * view.k + ox, data.y[pointed] * view.k + oy, radius + 4, 0, 6.2832);
      context.stroke();
    }
    name(context, view, size, closeness, seen, radius, ox, oy);
  }

  function name(context, view, size, closeness, seen, radius, ox, oy) {
    const put = labels(context, { ground: colour("--surface"), text: colour("--text"), size });
    if (hidden.size === 0)
      for (const one of [...data.clusters].sort((a, b) => b.count - a.count))
        put.place(one.terms.join(" · ") || "no words in common", one.x * view.k + ox, -one.y * view.k + oy, {
          font: "600 13px system-ui, sans-serif",
          align: "center",
          size: 15,
          colour: colour("--text"),
        });
    if (closeness < CLOSE && data.count > 150) return;
    if (seen.length <= FEW) for (const [, px, py] of seen) put.keepFree(px, py, radius);
    let drawn = 0;
    for (const [index, px, py] of seen) {
      if (drawn >= MOST_TITLES) break;
      if (
        put.place(short(data.points[index].title, 36), px + radius + 4, py, {
          font: "11px system-ui, sans-serif",
          size: 11,
          colour: colour("--dim"),
          gap: 2 * radius + 8,
        })
      )
        drawn += 1;
    }
  }

  function update(next) {
    route = next;
    paint();
  }

  load();
  return {
    update,
    refresh: load,
    end: () => {
      clearTimeout(later);
      request?.abort();
      at.end();
    },
  };
}

const nothing = (head) =>
  head.waiting
    ? `${plural(head.waiting, "memory waits", "memories wait")} for the model; they come by themselves.`
    : "Memories appear here once they are embedded. Without a model there is no map.";
