// Texts line by line: what differs between two, and a change of each side brought together over what both knew.

/** Pairs of equal lines, by the longest common subsequence; the common head and tail cost nothing. */
function matches(one, other) {
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (
    tail < one.length - head &&
    tail < other.length - head &&
    one[one.length - 1 - tail] === other[other.length - 1 - tail]
  )
    tail += 1;
  const rows = one.length - head - tail;
  const columns = other.length - head - tail;
  const found = [];
  for (let at = 0; at < head; at += 1) found.push([at, at]);
  // A table of both middles: beyond this, they are called different as a whole.
  if (rows * columns <= 4_000_000) {
    const width = columns + 1;
    const best = new Uint32Array((rows + 1) * width);
    for (let i = rows - 1; i >= 0; i -= 1)
      for (let j = columns - 1; j >= 0; j -= 1)
        best[i * width + j] =
          one[head + i] === other[head + j]
            ? best[(i + 1) * width + j + 1] + 1
            : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    for (let i = 0, j = 0; i < rows && j < columns;) {
      if (one[head + i] === other[head + j]) found.push([head + i++, head + j++]);
      else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i += 1;
      else j += 1;
    }
  }
  for (let at = tail; at > 0; at -= 1) found.push([one.length - at, other.length - at]);
  return found;
}

/** Lines as `{sign: " " | "-" | "+", text}`. */
export function compare(before, after) {
  const [one, other] = [before.split("\n"), after.split("\n")];
  const lines = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...matches(one, other), [one.length, other.length]]) {
    while (i < a) lines.push({ sign: "-", text: one[i++] });
    while (j < b) lines.push({ sign: "+", text: other[j++] });
    if (a < one.length) lines.push({ sign: " ", text: one[a] });
    [i, j] = [a + 1, b + 1];
  }
  return lines;
}

/** Both changes to `base` in one text. Where they collide both stand there, theirs first, and `collisions` counts it. */
export function merge(base, mine, theirs) {
  const [b, m, t] = [base, mine, theirs].map((text) => text.split("\n"));
  const inMine = new Map(matches(b, m));
  const inTheirs = new Map(matches(b, t));
  const merged = [];
  let collisions = 0;
  let [i, j, k] = [0, 0, 0];
  for (let at = 0; at <= b.length; at += 1) {
    const isAnchor = at === b.length || (inMine.has(at) && inTheirs.has(at));
    if (!isAnchor) continue;
    const ends = at === b.length ? [b.length, m.length, t.length] : [at, inMine.get(at), inTheirs.get(at)];
    const [was, edited, came] = [b.slice(i, ends[0]), m.slice(j, ends[1]), t.slice(k, ends[2])].map((lines) =>
      lines.join("\n"),
    );
    const counts = [ends[0] - i, ends[1] - j, ends[2] - k];
    if (edited === was && counts[1] === counts[0]) merged.push(...t.slice(k, ends[2]));
    else if ((came === was && counts[2] === counts[0]) || (came === edited && counts[1] === counts[2]))
      merged.push(...m.slice(j, ends[1]));
    else {
      merged.push(...t.slice(k, ends[2]), ...m.slice(j, ends[1]));
      collisions += 1;
    }
    if (at < b.length) merged.push(b[at]);
    [i, j, k] = [ends[0] + 1, ends[1] + 1, ends[2] + 1];
  }
  return { text: merged.join("\n"), collisions };
}
