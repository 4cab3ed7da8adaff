// Every request of the page, to the public REST API of the daemon it came from.

const TOKEN = "helix-token";
const RETRY_BUSY = [250, 1000];

export class ApiError extends Error {
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

/** Kept until the tab is closed, and given to nobody but the daemon. */
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

export function heard(alive) {
  if (alive === !isLost) return;
  isLost = !alive;
  connection.dispatchEvent(new Event(alive ? "back" : "lost"));
}

/** The answer itself, for streams and ETags. Throws ApiError, or AbortError when it was given up. */
export async function send(method, path, { query, body, signal, headers = {} } = {}) {
  const url = query ? `${path}?${toQuery(query)}` : path;
  const said = { Accept: "application/json", ...headers };
  if (token) said.Authorization = `Bearer ${token}`;
  if (body !== undefined) said["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(url, {
      method,
      signal,
      headers: said,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
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
  if (answer.status === 401) connection.dispatchEvent(new Event("token"));
  throw new ApiError(
    answer.status,
    problem.code ?? `http-${answer.status}`,
    problem.error ?? `Helix answered ${answer.status}`,
  );
}

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

/** How the daemon is. One that cannot serve answers 503, and says with the same words why. */
export async function askHealth() {
  const answer = await fetch("/healthz", { credentials: "omit" });
  return await answer.json();
}

/** A change. Its key makes it safe to send twice: the second time it is answered, not done again. */
export async function change(method, path, body, { headers = {}, keyed = true } = {}) {
  const key = keyed ? { "Idempotency-Key": `dashboard-${crypto.randomUUID()}` } : {};
  const answer = await send(method, path, { body, headers: { ...key, ...headers } });
  return await answer.json();
}

/** Every page of a listing, one after the other. */
export async function* pages(path, query, { signal } = {}) {
  let cursor = null;
  do {
    const page = await get(path, cursor ? { ...query, cursor } : query, { signal });
    yield page;
    cursor = page.next_cursor;
  } while (cursor);
}

export const memoryPath = (id, rest = "") => `/memory/${encodeURIComponent(id)}${rest}`;

/** A memory with its whole text, however long, and the hash of the file it was read from. */
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

function toQuery(query) {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value != null && value !== "" && value !== false) said.set(name, value);
  return said.toString();
}
