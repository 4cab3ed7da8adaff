// @ts-check

// How times, numbers and names are written, everywhere the same.

const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const DAY = new Intl.DateTimeFormat("en", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const SHORT = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });
const CLOCK = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hour12: false });
const WHOLE = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hour12: false });
const NUMBER = new Intl.NumberFormat("en");
/** @typedef {string | number} Time As `Date` reads it. */

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const STEPS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 7],
];

/** @param {number} value */
export const number = (value) => NUMBER.format(value);
/**
 * @param {number} count
 * @param {string} one
 */
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
/** @param {Time} time */
export const clock = (time) => CLOCK.format(new Date(time));

/** @param {Time} time */
export function whole(time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : WHOLE.format(date);
}

/**
 * "3 min. ago" within a week, then the date.
 *
 * @param {Time} time
 */
export function ago(time, now = Date.now()) {
  const then = new Date(time).getTime();
  if (Number.isNaN(then)) return "";
  let left = (then - now) / 1000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(left) < size)
      return unit === "second" && Math.abs(left) < 45 ? "just now" : RELATIVE.format(Math.round(left), unit);
    left /= size;
  }
  return SHORT.format(then);
}

/** @param {Time} time */
export function day(time) {
  const date = new Date(time);
  const today = new Date();
  const yesterday = new Date(today.getFullYear(), today.getMonth(), today.getDate() - 1);
  if (date.toDateString() === today.toDateString()) return "Today";
  return date.toDateString() === yesterday.toDateString() ? "Yesterday" : DAY.format(date);
}

/** @param {number} count */
export function bytes(count) {
  let left = count;
  for (const unit of ["B", "KB", "MB", "GB"]) {
    if (left < 1000) return `${left < 10 && unit !== "B" ? left.toFixed(1) : Math.round(left)} ${unit}`;
    left /= 1000;
  }
  return `${left.toFixed(1)} TB`;
}

/** @param {number} seconds */
export function span(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86400)} days`;
}

/** @param {number} seconds */
export function milliseconds(seconds) {
  const ms = seconds * 1000;
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/**
 * `depends_on` as a person says it.
 *
 * @param {unknown} name
 */
export const words = (name) => String(name).replaceAll("_", " ").replaceAll("-", " ");
/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * One line of a markdown text, for a list.
 *
 * @param {string | null | undefined} text
 */
export function snippet(text, title = "") {
  let plain = String(text ?? "")
    .replace(/^#{1,6}\s+|^\s*[-*]\s+(\[[ xX]\]\s+)?/gm, "")
    .replace(/\[\[[^\]|]*\|([^\]]*)\]\]/g, "$1")
    .replace(/[*_`>]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
  if (title && plain.toLowerCase().startsWith(title.toLowerCase()))
    plain = plain.slice(title.length).replace(/^[\s.:,;–-]+/, "");
  return plain.length > 220 ? `${plain.slice(0, 220).trimEnd()}…` : plain;
}
