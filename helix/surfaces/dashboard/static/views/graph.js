// The memories and the edges between them. The layout runs in a worker; the page draws what it says.

import { pages } from "../api.js";
import { chart, dots } from "../canvas/chart.js";
import { labels, short } from "../canvas/labels.js";
import { EDGES, colour, kindVariable } from "../canvas/palette.js";
import { legend, listOf } from "../canvas/side.js";
import { fill, h } from "../dom.js";
import { empty, failed, loading } from "../feedback.js";
import { number, plural, words } from "../format.js";
import { go, here, replace } from "../route.js";
import { layoutWorker } from "../trusted.js";

const PAGE = { scope: "all", limit: 500, max_tokens: 200000 };
const CLOSE = 1.4; // arrows from here on, in world units to pixels
const MOST_LABELS = 160;
const FADED = 0.12;
const FEW = 600; // so many can afford an island under each project, and names that leave every node free
const ISLAND = 30;

export const graph = { name: "graph", title: "Graph", begin };

function begin(root, first) {
  let route = first;
  let data = null;
  let pointed = -1;
  let worker = null;
  let request = null;
  let isTouched = false; // then the view is the person's, and is not moved any more
  const hidden = new Set();
  const filter = { words: "" };
  const project = h(
    "select",
    {
      "aria-label": "Project",
      onchange: () => replace({ ...here(), query: { ...here().query, project: project.value } }),
    },
    h("option", { value: "" }, "Every project"),
  );
  const all = h("input", {
    type: "checkbox",
    onchange: () => replace({ ...here(), query: { ...here().query, all: all.checked ? "1" : "" } }),
  });
  const at = chart(root, {
    title: "Graph",
    label: "Graph of memories; the list beside it says the same in words",
    choices: h(
      "div",
      { class: "filters-row" },
      h("label", { class: "check hint" }, all, "with superseded and forgotten"),
      project,
    ),
    draw,
    points: () => data ?? { x: [], y: [], count: 0 },
    describe: (index) => data.nodes[index],
    onHover: (index) => (pointed = index),
    onOpen: (index) => go({ name: "memory", arg: data.nodes[index].id }),
    onDrag: (index, x, y) => {
      isTouched = true;
      [data.x[index], data.y[index]] = [x, y];
      worker.postMessage({ drag: { index, x, y } });
    },
    onDrop: () => worker.postMessage({ drop: true }),
  });
  for (const kind of ["wheel", "pointerdown"])
    at.canvas.addEventListener(kind, () => (isTouched = true), { passive: true });

  async function load() {
    request?.abort();
    request = new AbortController();
    worker?.terminate();
    data = null;
    isTouched = false;
    at.redraw();
    fill(at.note, loading("Reading the graph"));
    const [nodes, edges] = [[], []];
    try {
      for await (const page of pages(
        "/graph",
        { ...PAGE, project: route.query.project, include_deleted: Boolean(route.query.all) },
        { signal: request.signal },
      )) {
        nodes.push(...page.nodes);
        edges.push(...page.edges);
        if (page.next_cursor) fill(at.note, `${number(nodes.length)} memories …`);
      }
    } catch (error) {
      if (error.name !== "AbortError") fill(at.note, failed(error, load));
      return;
    }
    if (!nodes.length) {
      fill(at.side);
      fill(
        at.note,
        empty("graph", "Nothing to draw yet", "Memories appear here, with the edges between them."),
      );
      return;
    }
    fill(at.note);
    take(nodes, edges);
  }

  function take(nodes, links) {
    const index = new Map(nodes.map((node, place) => [node.id, place]));
    const edges = links
      .filter((edge) => index.has(edge.from) && index.has(edge.to))
      .map((edge) => ({ rel: edge.rel, from: index.get(edge.from), to: index.get(edge.to) }));
    const names = [...new Set(nodes.map((node) => node.project ?? ""))];
    const group = new Map(names.map((name, place) => [name, place]));
    const degree = new Uint32Array(nodes.length);
    for (const { from, to } of edges) [degree[from], degree[to]] = [degree[from] + 1, degree[to] + 1];
    const order = [...nodes.keys()].sort((one, other) => degree[other] - degree[one]);
    data = {
      nodes,
      edges,
      names,
      degree,
      order,
      x: new Float32Array(nodes.length),
      y: new Float32Array(nodes.length),
      count: 0,
      groups: Int32Array.from(nodes, (node) => group.get(node.project ?? "")),
    };
    drawSide(links.length - edges.length);
    drawProjects();
    worker = layoutWorker();
    worker.onmessage = ({ data: layout }) => {
      const isFirst = !data.count;
      Object.assign(data, { x: layout.x, y: layout.y, count: nodes.length });
      if (isFirst || !isTouched) at.fit();
      at.canvas.dataset.still = String(layout.isStill);
      at.redraw();
    };
    worker.onerror = () =>
      fill(
        at.note,
        empty("alert", "The layout could not start", "Helix was probably upgraded: load the page again."),
      );
    worker.postMessage({
      start: {
        count: nodes.length,
        edges: Int32Array.from(edges.flatMap(({ from, to }) => [from, to])),
        groups: data.groups,
        isQuiet: matchMedia("(prefers-reduced-motion: reduce)").matches,
      },
    });
  }

  function drawSide(dangling) {
    const { nodes, edges, degree, order } = data;
    const rels = Object.keys(EDGES)
      .map((rel) => ({
        name: rel,
        label: words(rel),
        variable: EDGES[rel],
        count: edges.filter((edge) => edge.rel === rel).length,
        shape: "line",
      }))
      .filter(({ count }) => count);
    const kinds = [...new Set(nodes.map((node) => node.kind))].sort().map((kind) => ({
      name: kind,
      label: kind,
      variable: kindVariable(kind),
      count: nodes.filter((node) => node.kind === kind).length,
    }));
    fill(
      at.side,
      rels.length > 0 &&
        legend(
          "Edges",
          rels,
          (rel, shown) => (shown ? hidden.delete(rel) : hidden.add(rel), at.redraw()),
          hidden,
        ),
      legend("Kinds", kinds),
      dangling > 0 &&
        h(
          "p",
          { class: "hint" },
          `${plural(dangling, "link leads", "links lead")} to nothing; the inbox names them.`,
        ),
      listOf(
        order.map((place) => ({
          id: nodes[place].id,
          title: nodes[place].title,
          detail: degree[place] ? plural(degree[place], "edge") : "no edge",
          index: place,
        })),
        (position) => {
          pointed = position;
          at.redraw();
        },
        filter,
      ),
    );
  }

  function drawProjects() {
    if (!route.query.project)
      project.replaceChildren(
        h("option", { value: "" }, "Every project"),
        ...data.names
          .filter(Boolean)
          .sort()
          .map((name) => h("option", { value: name }, name)),
      );
    else if (![...project.options].some((one) => one.value === route.query.project))
      project.append(h("option", { value: route.query.project }, route.query.project));
    project.value = route.query.project ?? "";
    all.checked = Boolean(route.query.all);
  }

  function draw(context, view, size) {
    if (!data?.count) return;
    const near = pointed >= 0 ? neighborsOf(data.edges, pointed) : null;
    if (data.count <= FEW && data.names.length > 1) drawIslands(context, view, size);
    drawEdges(context, view, size, near);
    drawNodes(context, view, size, near);
    drawLabels(context, view, size, near);
  }

  const onScreen = (view, size) => [-view.x * view.k + size.width / 2, -view.y * view.k + size.height / 2];
  const radiusOf = (place, k) =>
    (2.2 + Math.sqrt(data.degree[place]) * 1.15) * Math.min(2.2, Math.max(0.55, Math.sqrt(k)));

  /** The ground that the memories of one project stand on. */
  function drawIslands(context, view, size) {
    const { x, y, groups, names, count } = data;
    const [ox, oy] = onScreen(view, size);
    const radius = ISLAND * view.k;
    context.fillStyle = colour("--island");
    for (let group = 0; group < names.length; group += 1) {
      context.beginPath();
      for (let place = 0; place < count; place += 1) {
        if (groups[place] !== group) continue;
        const [px, py] = [x[place] * view.k + ox, y[place] * view.k + oy];
        context.moveTo(px + radius, py);
        context.arc(px, py, radius, 0, 6.2832);
      }
      context.fill();
    }
  }

  function drawEdges(context, view, size, near) {
    const { x, y, edges } = data;
    const [ox, oy] = onScreen(view, size);
    const { k } = view;
    for (const [rel, variable] of Object.entries(EDGES)) {
      if (hidden.has(rel)) continue;
      for (const isNear of near ? [false, true] : [true]) {
        context.strokeStyle = context.fillStyle = colour(variable);
        context.globalAlpha = isNear ? (rel === "relates_to" && !near ? 0.45 : 0.8) : FADED;
        context.lineWidth = isNear && near ? 1.8 : 1.1;
        context.beginPath();
        const heads = [];
        for (const edge of edges) {
          if (edge.rel !== rel || (near && (edge.from === pointed || edge.to === pointed) !== isNear))
            continue;
          const [ax, ay, bx, by] = [
            x[edge.from] * k + ox,
            y[edge.from] * k + oy,
            x[edge.to] * k + ox,
            y[edge.to] * k + oy,
          ];
          if (
            Math.max(ax, bx) < 0 ||
            Math.min(ax, bx) > size.width ||
            Math.max(ay, by) < 0 ||
            Math.min(ay, by) > size.height
          )
            continue;
          context.moveTo(ax, ay);
          context.lineTo(bx, by);
          if (k > CLOSE || (near && isNear)) heads.push([ax, ay, bx, by, radiusOf(edge.to, k)]);
        }
        context.stroke();
        context.beginPath();
        for (const head of heads) arrow(context, ...head);
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }

  function drawNodes(context, view, size, near) {
    const { nodes, x, y } = data;
    const [ox, oy] = onScreen(view, size);
    const heaps = new Map();
    for (let place = 0; place < nodes.length; place += 1) {
      const [px, py] = [x[place] * view.k + ox, y[place] * view.k + oy];
      if (px < -20 || py < -20 || px > size.width + 20 || py > size.height + 20) continue;
      const isFaded = near && !near.has(place);
      const key = `${kindVariable(nodes[place].kind)} ${isFaded ? 1 : 0}`;
      if (!heaps.has(key)) heaps.set(key, []);
      heaps.get(key).push([px, py, radiusOf(place, view.k)]);
    }
    for (const [key, places] of heaps) {
      const [variable, isFaded] = key.split(" ");
      context.globalAlpha = isFaded === "1" ? FADED * 1.6 : 1;
      dots(context, colour(variable), 3, places);
    }
    context.globalAlpha = 1;
  }

  /** The names of projects from afar; titles of the best connected as there is room for them. */
  function drawLabels(context, view, size, near) {
    const { nodes, x, y, order, groups, names } = data;
    const [ox, oy] = onScreen(view, size);
    const put = labels(context, { ground: colour("--surface"), text: colour("--text"), size });
    if (nodes.length <= FEW && !near)
      order.forEach((place) =>
        put.keepFree(x[place] * view.k + ox, y[place] * view.k + oy, radiusOf(place, view.k)),
      );
    const title = (place) =>
      put.place(
        short(nodes[place].title),
        x[place] * view.k + ox + radiusOf(place, view.k) + 4,
        y[place] * view.k + oy,
        { font: "12px system-ui, sans-serif", gap: 2 * radiusOf(place, view.k) + 8 },
      );
    if (near) {
      // The pointed one is named by the tip.
      for (const place of near) if (place !== pointed) title(place);
      return;
    }
    if (view.k < 2.2 && names.length > 1) {
      const sums = names.map(() => [0, 0, 0]);
      for (let place = 0; place < nodes.length; place += 1) {
        const sum = sums[groups[place]];
        [sum[0], sum[1], sum[2]] = [sum[0] + x[place], Math.min(sum[1] || Infinity, y[place]), sum[2] + 1];
      }
      names.forEach((name, group) => {
        const [sx, top, count] = sums[group];
        put.place(name || "global", (sx / count) * view.k + ox, (top - ISLAND) * view.k + oy - 10, {
          font: "600 14px system-ui, sans-serif",
          align: "center",
          size: 16,
          colour: colour("--dim"),
        });
      });
    }
    let drawn = 0;
    const most = Math.min(MOST_LABELS, Math.round(14 * Math.max(1, view.k) ** 2));
    for (const place of order) {
      if (drawn >= most) break;
      const [px, py] = [x[place] * view.k + ox, y[place] * view.k + oy];
      if (px < 0 || py < 0 || px > size.width || py > size.height) continue;
      if (title(place)) drawn += 1;
    }
  }

  function update(next) {
    const isSame = next.query.project === route.query.project && next.query.all === route.query.all;
    route = next;
    if (!isSame) load();
  }

  load();
  return {
    update,
    refresh: load,
    end: () => {
      request?.abort();
      worker?.terminate();
      at.end();
    },
  };
}

function neighborsOf(edges, place) {
  const near = new Set([place]);
  for (const { from, to } of edges) {
    if (from === place) near.add(to);
    if (to === place) near.add(from);
  }
  return near;
}

function arrow(context, ax, ay, bx, by, gap) {
  const length = Math.hypot(bx - ax, by - ay);
  if (length < gap + 12) return;
  const [ux, uy] = [(bx - ax) / length, (by - ay) / length];
  const [tx, ty] = [bx - ux * (gap + 1), by - uy * (gap + 1)];
  context.moveTo(tx, ty);
  context.lineTo(tx - ux * 7 + uy * 3, ty - uy * 7 - ux * 3);
  context.lineTo(tx - ux * 7 - uy * 3, ty - uy * 7 + ux * 3);
  context.closePath();
}
