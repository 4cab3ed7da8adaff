// Where the nodes of a graph come to lie: springs along edges, all nodes keep apart, projects keep together.
//
// Keeping apart is worked out with a quadtree (Barnes and Hut): what is far away pushes as one heap, so that a step costs
// n log n. Plain numbers in typed arrays, so that a step over thousands of nodes stays within a frame.

const LENGTH = 42; // of an edge
const APART = 34;
const FAR = 0.85; // a heap narrower than this share of its distance counts as one
const TOGETHER = 0.09; // towards the middle of the project
const HOME = [0.008, 0.02]; // towards the middle of everything; more so in height, since windows are wide
const BETWEEN = 0.15; // of the pull within a project, between two of them
const SLOWING = 0.62;
const COOLING = 0.0228; // 1 % after some 200 steps
const COLDEST = 0.01;
const DEEPEST = 24;

export class Layout {
  /** `edges` are pairs of indexes, one after the other; `groups` the number of each node's project. */
  constructor(count, edges, groups) {
    this.count = count;
    this.edges = edges;
    this.groups = groups;
    this.heaps = Math.max(0, ...groups) + 1;
    this.x = new Float32Array(count);
    this.y = new Float32Array(count);
    this.vx = new Float32Array(count);
    this.vy = new Float32Array(count);
    this.degree = new Float32Array(count);
    for (const end of edges) this.degree[end] += 1;
    this.heat = 1;
    this.held = -1;
    const room = Math.max(64, count * 4 + 64);
    this.child = new Int32Array(room * 4);
    this.mass = new Float32Array(room);
    this.mx = new Float32Array(room);
    this.my = new Float32Array(room);
    this.begin();
  }

  /** Each project in a sunflower of its own, the projects in a sunflower of sunflowers: the same every time. */
  begin() {
    const members = new Int32Array(this.heaps);
    for (const group of this.groups) members[group] += 1;
    const order = [...members.keys()].sort((one, other) => members[other] - members[one]);
    const middle = new Float32Array(this.heaps * 2);
    let area = 0;
    for (const group of order) {
      const radius = Math.sqrt(area) * 17;
      const angle = group * 2.399963 + radius * 0.003;
      middle[group * 2] = Math.cos(angle) * radius;
      middle[group * 2 + 1] = Math.sin(angle) * radius;
      area += members[group] * 1.7;
    }
    const placed = new Int32Array(this.heaps);
    for (let at = 0; at < this.count; at += 1) {
      const group = this.groups[at];
      const turn = placed[group]++;
      const radius = 14 * Math.sqrt(turn + 0.5);
      this.x[at] = middle[group * 2] + radius * Math.cos(turn * 2.399963);
      this.y[at] = middle[group * 2 + 1] + radius * Math.sin(turn * 2.399963);
    }
  }

  get isStill() {
    return this.heat < COLDEST;
  }

  /** Warm enough to follow a node that somebody moves. */
  warm(heat = 0.25) {
    this.heat = Math.max(this.heat, heat);
  }

  step() {
    this.pull();
    this.push();
    this.gather();
    const { x, y, vx, vy } = this;
    for (let at = 0; at < this.count; at += 1) {
      vx[at] *= SLOWING;
      vy[at] *= SLOWING;
      if (at === this.held) continue;
      x[at] += vx[at];
      y[at] += vy[at];
    }
    this.heat *= 1 - COOLING;
  }

  pull() {
    const { x, y, vx, vy, edges, degree, groups, heat } = this;
    for (let at = 0; at < edges.length; at += 2) {
      const [from, to] = [edges[at], edges[at + 1]];
      const dx = x[to] + vx[to] - x[from] - vx[from] || 0.01;
      const dy = y[to] + vy[to] - y[from] - vy[from] || 0.01;
      const distance = Math.sqrt(dx * dx + dy * dy);
      const force =
        ((distance - LENGTH) / distance) *
        ((heat * 0.6 * (groups[from] === groups[to] ? 1 : BETWEEN)) / Math.min(degree[from], degree[to]));
      const share = degree[from] / (degree[from] + degree[to]);
      vx[to] -= dx * force * share;
      vy[to] -= dy * force * share;
      vx[from] += dx * force * (1 - share);
      vy[from] += dy * force * (1 - share);
    }
  }

  gather() {
    const { x, y, vx, vy, groups, heaps, heat } = this;
    const sums = new Float64Array(heaps * 3);
    for (let at = 0; at < this.count; at += 1) {
      const to = groups[at] * 3;
      sums[to] += x[at];
      sums[to + 1] += y[at];
      sums[to + 2] += 1;
    }
    for (let at = 0; at < this.count; at += 1) {
      const to = groups[at] * 3;
      vx[at] += ((sums[to] / sums[to + 2] - x[at]) * TOGETHER - x[at] * HOME[0]) * heat;
      vy[at] += ((sums[to + 1] / sums[to + 2] - y[at]) * TOGETHER - y[at] * HOME[1]) * heat;
    }
  }

  push() {
    const { x, y } = this;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < this.count; at += 1) {
      if (x[at] < left) left = x[at];
      if (x[at] > right) right = x[at];
      if (y[at] < top) top = y[at];
      if (y[at] > bottom) bottom = y[at];
    }
    const width = Math.max(right - left, bottom - top, 1) * 1.01;
    this.cells = 0;
    this.newCell();
    for (let at = 0; at < this.count; at += 1) this.insert(at, left, top, width);
    for (let at = 0; at < this.count; at += 1) this.keepApart(at, width);
  }

  newCell() {
    const cell = this.cells++;
    this.child.fill(-1, cell * 4, cell * 4 + 4);
    this.mass[cell] = this.mx[cell] = this.my[cell] = 0;
    return cell;
  }

  /** A child is -1 for none, a cell, or a node as -2 - node. Two nodes in one place share the deepest cell. */
  insert(node, left, top, width) {
    const { x, y, child, mass, mx, my } = this;
    let cell = 0;
    for (let depth = 0; ; depth += 1) {
      mass[cell] += 1;
      mx[cell] += x[node];
      my[cell] += y[node];
      width /= 2;
      const isRight = x[node] >= left + width ? 1 : 0;
      const isLow = y[node] >= top + width ? 1 : 0;
      left += isRight * width;
      top += isLow * width;
      const slot = cell * 4 + isLow * 2 + isRight;
      const there = child[slot];
      if (there === -1) {
        child[slot] = -2 - node;
        return;
      }
      if (there >= 0) cell = there;
      else {
        if (depth >= DEEPEST || this.cells * 4 + 8 >= child.length) return; // its weight is counted above
        const other = -2 - there;
        cell = this.newCell();
        child[slot] = cell;
        const half = width / 2;
        const inner = cell * 4 + (y[other] >= top + half ? 2 : 0) + (x[other] >= left + half ? 1 : 0);
        child[inner] = there;
        mass[cell] = 1;
        mx[cell] = x[other];
        my[cell] = y[other];
      }
    }
  }

  keepApart(node, width) {
    const { x, y, child, mass, mx, my, heat } = this;
    const [hereX, hereY] = [x[node], y[node]];
    const cells = STACK;
    const sizes = SIZES;
    let depth = 0;
    cells[0] = 0;
    sizes[0] = width;
    let [fx, fy] = [0, 0];
    while (depth >= 0) {
      const cell = cells[depth];
      const size = sizes[depth];
      depth -= 1;
      for (let slot = cell * 4; slot < cell * 4 + 4; slot += 1) {
        const there = child[slot];
        if (there === -1) continue;
        const isCell = there >= 0;
        const other = -2 - there;
        if (!isCell && other === node) continue;
        const weight = isCell ? mass[there] : 1;
        const dx = hereX - (isCell ? mx[there] / weight : x[other]);
        const dy = hereY - (isCell ? my[there] / weight : y[other]);
        let distance = dx * dx + dy * dy;
        if (isCell && (size / 2) ** 2 > distance * FAR * FAR) {
          depth += 1;
          cells[depth] = there;
          sizes[depth] = size / 2;
          continue;
        }
        if (distance < 4) distance = Math.sqrt(distance * 4) + 0.1;
        const force = (APART * weight) / distance;
        fx += dx * force;
        fy += dy * force;
      }
    }
    this.vx[node] += fx * heat;
    this.vy[node] += fy * heat;
  }
}

const STACK = new Int32Array(256);
const SIZES = new Float64Array(256);
