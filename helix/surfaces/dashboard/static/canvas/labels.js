// Words on a canvas that do not lie over each other: who comes first keeps the place.

const widths = new Map();

/** For one frame. `place` says whether there was room, and draws if there was. */
export function labels(context, { ground, text, size: { width: whole, height } }) {
  const taken = [[whole - 56, height - 124, whole, height]]; // the buttons

  /** To the right of x, or to the left of it by `gap` where the canvas ends. */
  function place(words, x, y, { font, align = "left", size = 12, colour = text, gap = 0 }) {
    const key = `${font}\n${words}`;
    context.font = font;
    if (!widths.has(key)) {
      if (widths.size > 20_000) widths.clear();
      widths.set(key, context.measureText(words).width);
    }
    const width = widths.get(key);
    const isOver = x + width > whole - 4;
    const left =
      align === "center"
        ? Math.max(4, Math.min(x - width / 2, whole - width - 4))
        : isOver
          ? x - gap - width
          : x;
    const box = [left - 4, y - size / 2 - 3, left + width + 4, y + size / 2 + 3];
    if (taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3]))
      return false;
    taken.push(box);
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = ground;
    context.strokeText(words, left, y);
    context.fillStyle = colour;
    context.fillText(words, left, y);
    return true;
  }
  /** A spot that no words may cover. */
  const keepFree = (x, y, radius) => taken.push([x - radius, y - radius, x + radius, y + radius]);
  return { place, keepFree };
}

export const short = (text, most = 42) =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;
