// @ts-check

// What happens in the vault, as it happens: server-sent events, read with fetch so that the token can be shown.
//
// A browser opens six connections to one host, for all its tabs. So only a page that can be seen holds one; it says what
// it heard last when it comes back, and the daemon tells what was missed.

import { askHealth, heard, send } from "./api.js";

const PATIENCE = [500, 1000, 2000, 4000, 8000];
const HIDDEN_FOR = 4000;

/** "change" and "health" events with `detail`; "state" when the stream opens or breaks. */
class Live extends EventTarget {
  isOpen = false;
}

export const live = new Live();

/** @type {string | null} */
let last = null;
/** @type {AbortController | null} */
let running = null;
/** @type {number | undefined} */
let hiding;

export function listen() {
  document.addEventListener("visibilitychange", onSight);
  window.addEventListener("pagehide", stop);
  window.addEventListener("pageshow", start);
  start();
}

export function start() {
  if (running) return;
  running = new AbortController();
  follow(running);
}

function stop() {
  running?.abort();
  running = null;
  mark(false);
}

function onSight() {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(stop, HIDDEN_FOR);
  else start();
}

/** @param {AbortController} mine */
async function follow(mine) {
  for (let failures = 0; !mine.signal.aborted; failures += 1) {
    try {
      /** @type {Record<string, string>} */
      const headers = { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) };
      const answer = await send("GET", "/events", { signal: mine.signal, headers });
      failures = 0;
      mark(true);
      if (answer.body) await read(answer.body.getReader()); // until the daemon stops
    } catch (error) {
      if (mine.signal.aborted) return;
      if (error.status === 401) {
        running = null; // until somebody signs in
        return;
      }
    }
    mark(false);
    heard(await isThere());
    await pause(PATIENCE[Math.min(failures, PATIENCE.length - 1)], mine.signal);
  }
}

const isThere = () =>
  askHealth().then(
    () => true,
    () => false,
  );

/** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
async function read(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? "";
    blocks.forEach(tell);
  }
}

/**
 * One event of the stream: `event:`, `id:` and `data:` lines; a line that begins with a colon keeps it open.
 *
 * @param {string} block
 */
function tell(block) {
  /** @type {{ event: string, data: string[], id?: string, [field: string]: any }} */
  const message = { event: "message", data: [] };
  for (const line of block.split(/\r?\n/)) {
    const [, field, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (field === "data") message.data.push(value);
    else if (field) message[field] = value;
  }
  if (!message.data.length) return;
  if (message.id) last = message.id;
  try {
    live.dispatchEvent(new CustomEvent(message.event, { detail: JSON.parse(message.data.join("\n")) }));
  } catch (error) {
    console.warn("an event that is not JSON", error);
  }
}

/** @param {boolean} isOpen */
function mark(isOpen) {
  if (live.isOpen === isOpen) return;
  live.isOpen = isOpen;
  live.dispatchEvent(new Event("state"));
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(milliseconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      done();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
