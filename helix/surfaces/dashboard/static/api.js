// @ts-check

// Every request of the page, to the public REST API of the daemon it came from.

const TOKEN = "helix-token";
const RETRY_BUSY = [250, 1000];

/** Whether the daemon serves more than one person. Only then a cookie is sent, and kept. */
export const isTeam = document.documentElement.dataset.mode !== "local";
const CREDENTIALS = isTeam ? "same-origin" : "omit";

/** @typedef {Record<string, any>} Query What is null, empty or false is left out. */
/** @typedef {{ query?: Query, body?: unknown, signal?: AbortSignal, headers?: Record<string, string> }} Options */

export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** "lost" and "back" when the daemon stops and answers again; "token" when it asks for its token. */
export const connection = new EventTarget();
let isLost = false;
let token = remembered();

function remembered() {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null;
  }
}

/**
 * Kept until the tab is closed, and given to nobody but the daemon.
 *
 * @param {string | null} given
 */
export function signIn(given) {
  token = given || null;
  try {
    if (token) sessionStorage.setItem(TOKEN, token);
    else sessionStorage.removeItem(TOKEN);
  } catch {
    // Then it is asked for again when the page is loaded again.
  }
}

export const isSignedIn = () => token !== null;

/** @param {boolean} alive */
export function heard(alive) {
  if (alive === !isLost) return;
  isLost = !alive;
  connection.dispatchEvent(new Event(alive ? "back" : "lost"));
}

/**
 * The answer itself, for streams and ETags. Throws ApiError, or AbortError when it was given up.
 *
 * @param {string} method
 * @param {string} path
 * @param {Options} options
 */
export async function send(method, path, { query, body, signal, headers = {} } = {}) {
  const url = query ? `${path}?${toQuery(query)}` : path;
  /** @type {Record<string, string>} */
  const allHeaders = { Accept: "application/json", ...headers };
  if (token) allHeaders.Authorization = `Bearer ${token}`;
  if (body !== undefined) allHeaders["Content-Type"] = "application/json";
  // No other page can send it: so the daemon knows that a change with a cookie is one of this page.
  if (isTeam && method !== "GET") allHeaders["Helix-Page"] = "1";
  let answer;
  try {
    answer = await fetch(url, {
      method,
      signal,
      headers: allHeaders,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: CREDENTIALS,
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    heard(false);
    throw new ApiError(0, "unreachable", "Helix does not answer. Is helixd running?");
  }
  heard(true);
  if (answer.ok) return answer;
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && problem.code !== "sign-in-refused") connection.dispatchEvent(new Event("token"));
  throw new ApiError(
    answer.status,
    problem.code ?? `http-${answer.status}`,
    problem.error ?? `Helix answered ${answer.status}`,
  );
}

/**
 * @param {string} path
 * @param {Query} [query]
 * @param {Options} options
 * @returns {Promise<any>}
 */
export async function get(path, query, { signal } = {}) {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await send("GET", path, { query, signal });
      return await answer.json();
    } catch (error) {
      // Reading is safe to repeat; a daemon that is busy says so.
      if (error.code !== "busy" || tries >= RETRY_BUSY.length) throw error;
      await new Promise((done) => setTimeout(done, RETRY_BUSY[tries]));
    }
  }
}

/**
 * How the daemon is. One that cannot serve answers 503, and says with the same words why.
 *
 * @returns {Promise<any>}
 */
export async function askHealth() {
  const answer = await fetch("/healthz", { credentials: CREDENTIALS, headers: token ? { Authorization: `Bearer ${token}` } : {} });
  return await answer.json();
}

/**
 * A change. Its key makes it safe to send twice: the second time it is answered, not done again.
 *
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {{ headers?: Record<string, string>, keyed?: boolean }} options
 * @returns {Promise<any>}
 */
export async function change(method, path, body, { headers = {}, keyed = true } = {}) {
  /** @type {Record<string, string>} */
  const key = keyed ? { "Idempotency-Key": `dashboard-${crypto.randomUUID()}` } : {};
  const answer = await send(method, path, { body, headers: { ...key, ...headers } });
  return await answer.json();
}

/**
 * Every page of a listing, one after the other.
 *
 * @param {string} path
 * @param {Query} query
 * @param {Options} options
 * @returns {AsyncGenerator<any>}
 */
export async function* pages(path, query, { signal } = {}) {
  let cursor = null;
  do {
    const page = await get(path, cursor ? { ...query, cursor } : query, { signal });
    yield page;
    cursor = page.next_cursor;
  } while (cursor);
}

/** @param {string} id */
export const memoryPath = (id, rest = "") => `/memory/${encodeURIComponent(id)}${rest}`;

/**
 * A memory with its whole text, however long, and the hash of the file it was read from.
 *
 * @param {string} id
 * @param {Options} options
 * @returns {Promise<any>}
 */
export async function readMemory(id, { signal } = {}) {
  for (let tries = 0; ; tries += 1) {
    const query = { include_deleted: true, max_tokens: 60000 };
    const answer = await send("GET", memoryPath(id), { query, signal });
    const tag = (answer.headers.get("ETag") ?? "").replaceAll('"', "");
    const memory = await answer.json();
    try {
      for (let cursor = memory.next_cursor; cursor;) {
        const page = await get(memoryPath(id), { ...query, cursor }, { signal });
        memory.text += page.text;
        cursor = page.next_cursor;
      }
    } catch (error) {
      if (error.status === 409 && tries < 3) continue; // it was changed between two pages
      throw error;
    }
    return { ...memory, hash: memory.hash ?? tag, tag };
  }
}

/** @param {Query} query */
function toQuery(query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value != null && value !== "" && value !== false) parameters.set(name, value);
  return parameters.toString();
}
