// A canvas that is dragged, zoomed and pointed at, with the mouse, with fingers and with keys.

import { h } from "../dom.js";

const CLOSEST = 12;
const FARTHEST = 0.01;
const REACH = 12; // pixels around the pointer
const CLICK = 5; // pixels; a longer way is a drag
const MARGIN = { left: 40, right: 130, top: 64, bottom: 40 }; // names stand above and to the right

/**
 * `draw(context, view, size)` paints the world; `points()` gives `{x, y, count}` to point at. Calls `onHover(index)`,
 * `onOpen(index)` and, where a node can be moved, `onDrag(index, x, y)` and `onDrop(index)`.
 */
export function plane({ label, draw, points, onHover, onOpen, onDrag = null, onDrop = null }) {
  const canvas = h("canvas", { class: "plane", tabindex: "0", role: "img", "aria-label": label });
  const context = canvas.getContext("2d");
  const view = { x: 0, y: 0, k: 1 };
  const size = { width: 0, height: 0 };
  const fingers = new Map();
  let asked = 0;
  let moved = 0;
  let held = -1;
  let hovered = -1;

  const redraw = () => (asked ||= requestAnimationFrame(paint));

  function paint() {
    asked = 0;
    const dots = devicePixelRatio || 1;
    context.setTransform(dots, 0, 0, dots, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    draw(context, view, size);
  }

  const toScreen = (x, y) => [
    (x - view.x) * view.k + size.width / 2,
    (y - view.y) * view.k + size.height / 2,
  ];
  const toWorld = (x, y) => [(x - size.width / 2) / view.k + view.x, (y - size.height / 2) / view.k + view.y];

  /** The point nearest to a place on the screen. Ten thousand are looked through in microseconds. */
  function pick(x, y) {
    const { x: xs, y: ys, count, shown } = points();
    const [wx, wy] = toWorld(x, y);
    let best = (REACH / view.k) ** 2;
    let found = -1;
    for (let at = 0; at < count; at += 1) {
      const distance = (xs[at] - wx) ** 2 + (ys[at] - wy) ** 2;
      if (distance < best && (!shown || shown[at])) [best, found] = [distance, at];
    }
    return found;
  }

  function zoom(factor, x = size.width / 2, y = size.height / 2) {
    const [wx, wy] = toWorld(x, y);
    view.k = Math.min(CLOSEST * size.unit, Math.max(FARTHEST * size.unit, view.k * factor));
    view.x = wx - (x - size.width / 2) / view.k;
    view.y = wy - (y - size.height / 2) / view.k;
    redraw();
  }

  /** Everything in sight, with a margin. */
  function fit() {
    const { x, y, count } = points();
    if (!count || !size.width) return;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < count; at += 1) {
      [left, right] = [Math.min(left, x[at]), Math.max(right, x[at])];
      [top, bottom] = [Math.min(top, y[at]), Math.max(bottom, y[at])];
    }
    const aside = Math.min(MARGIN.right, size.width / 5);
    size.unit = Math.min(
      (size.width - MARGIN.left - aside) / (right - left || 1),
      (size.height - MARGIN.top - MARGIN.bottom) / (bottom - top || 1),
    );
    Object.assign(view, {
      x: (left + right + (aside - MARGIN.left) / size.unit) / 2,
      y: (top + bottom - (MARGIN.top - MARGIN.bottom) / size.unit) / 2,
      k: size.unit,
    });
    redraw();
  }

  function hover(index) {
    if (index === hovered) return;
    hovered = index;
    canvas.classList.toggle("is-pointing", index >= 0);
    onHover(index);
    redraw();
  }

  const place = (event) => [event.offsetX, event.offsetY];

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event));
    moved = 0;
    held = fingers.size === 1 ? pick(...place(event)) : -1;
  });
  canvas.addEventListener("pointermove", (event) => {
    const now = place(event);
    const before = fingers.get(event.pointerId);
    if (!before) return hover(pick(...now));
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    fingers.set(event.pointerId, now);
    moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (others.length) {
      const [other] = others;
      const middle = [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2];
      zoom(
        Math.hypot(now[0] - other[0], now[1] - other[1]) /
          (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1),
        ...middle,
      );
    } else if (held >= 0 && onDrag) {
      if (moved > CLICK) onDrag(held, ...toWorld(...now));
    } else {
      view.x -= (now[0] - before[0]) / view.k;
      view.y -= (now[1] - before[1]) / view.k;
    }
    redraw();
  });
  const release = (event) => {
    if (!fingers.delete(event.pointerId)) return;
    if (event.type === "pointerup" && moved <= CLICK && held >= 0) onOpen(held);
    else if (held >= 0) onDrop?.(held);
    held = -1;
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => hover(-1));
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...place(event));
    },
    { passive: false },
  );
  canvas.addEventListener("keydown", (event) => {
    const step = 60 / view.k;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) {
      view.x += moves[event.key][0];
      view.y += moves[event.key][1];
      redraw();
      event.preventDefault();
    }
  });

  let isFitted = false;
  const sized = new ResizeObserver(([{ contentRect }]) => {
    const dots = devicePixelRatio || 1;
    Object.assign(size, { width: contentRect.width, height: contentRect.height });
    canvas.width = Math.round(size.width * dots);
    canvas.height = Math.round(size.height * dots);
    if (!isFitted && size.width) {
      isFitted = true;
      fit();
    }
    redraw();
  });
  size.unit = 1;
  sized.observe(canvas);
  window.addEventListener("themechange", redraw);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redraw);

  return {
    canvas,
    view,
    size,
    redraw,
    fit,
    zoom,
    toScreen,
    pick,
    center: (x, y) => {
      Object.assign(view, { x, y });
      redraw();
    },
    end: () => {
      sized.disconnect();
      cancelAnimationFrame(asked);
      window.removeEventListener("themechange", redraw);
      scheme.removeEventListener("change", redraw);
    },
  };
}
