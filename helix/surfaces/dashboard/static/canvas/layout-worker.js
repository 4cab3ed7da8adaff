// The layout on a thread of its own: the page stays free to draw and to answer.

import { Layout } from "./layout.js";

const SHOWN_EVERY = 30; // ms

let layout = null;
let isQuiet = false;
let isRunning = false;

self.onmessage = ({ data }) => {
  if (data.start) {
    layout = new Layout(data.start.count, data.start.edges, data.start.groups);
    isQuiet = data.start.isQuiet;
  } else if (data.drag && layout) {
    layout.held = data.drag.index;
    layout.x[data.drag.index] = data.drag.x;
    layout.y[data.drag.index] = data.drag.y;
    layout.vx[data.drag.index] = layout.vy[data.drag.index] = 0;
    layout.warm();
  } else if (data.drop && layout) layout.held = -1;
  if (layout && !isRunning) run();
};

async function run() {
  isRunning = true;
  let shown = performance.now();
  while (!layout.isStill) {
    layout.step();
    const now = performance.now();
    // Somebody who asked for less motion sees where it ends, and is not shown the way.
    if (now - shown > SHOWN_EVERY && (!isQuiet || layout.held >= 0)) {
      show(false);
      shown = now;
    }
    await breathe();
  }
  isRunning = false;
  show(true);
}

function show(isStill) {
  const [x, y] = [layout.x.slice(), layout.y.slice()];
  self.postMessage({ x, y, isStill }, [x.buffer, y.buffer]);
}

/** Lets messages in between two steps; a timer would wait for four milliseconds. */
const channel = new MessageChannel();
let go = null;
channel.port1.onmessage = () => go();
function breathe() {
  return new Promise((done) => {
    go = done;
    channel.port2.postMessage(null);
  });
}
