/** What a client is told: options first, then the environment, then where the daemon listens by default. */
import { BadSettings } from "./errors.js";

const EXAMPLE = "http://127.0.0.1:7878";
const CLIENT = "helix-typescript";

export interface HelixOpts {
  /** Where the daemon is. Default: `HELIX_URL`, or else `HELIX_HOST` and `HELIX_PORT`, or else `127.0.0.1:7878`. */
  url?: string | undefined;
  /**
   * What `helix token` prints, a key of a team, or a function that gives what is to be shown at that moment, such as
   * `storedLogin()` of `@helix/sdk/login`. Default: `HELIX_TOKEN`.
   */
  token?: string | (() => string | Promise<string>) | undefined;
  /** The scope of calls that name none. */
  scope?: "project" | "global" | "session" | undefined;
  /** The project you work in: what is written belongs to it, what is read is seen from it. Default: `HELIX_PROJECT`. */
  project?: string | undefined;
  /** The session that you work in, for memories of the scope `session`. Default: `HELIX_SESSION`. */
  session?: string | undefined;
  /** Which of the daemon's workspaces is meant. Default: `HELIX_WORKSPACE`, or else the first that the key opens. */
  workspace?: string | undefined;
  /** The name under which memories are written. Default: `helix-typescript`. */
  client?: string | undefined;
  /** How long a call may take, retries and all. Default: 30 000 (half a minute). */
  timeoutMs?: number | undefined;
  /** How often a call that is safe to repeat is repeated. Default: 3. */
  retries?: number | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** For one call only. */
export interface CallOpts {
  /** Ends the call; it rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long this call may take, retries and all. */
  timeoutMs?: number | undefined;
  /** How often this call is repeated, if it is safe to repeat. */
  retries?: number | undefined;
}

export interface Settings {
  url: string;
  headers: Record<string, string>;
  /** What is shown with each request, asked for anew; empty for nothing. */
  shown: () => string | Promise<string>;
  timeoutMs: number;
  retries: number;
  fetch: typeof globalThis.fetch;
}

export function settingsFrom(opts: HelixOpts): Settings {
  const said = {
    "Helix-Client": opts.client || CLIENT,
    "Helix-Project": opts.project ?? environment("HELIX_PROJECT"),
    "Helix-Session": opts.session ?? environment("HELIX_SESSION"),
    "Helix-Workspace": opts.workspace ?? environment("HELIX_WORKSPACE"),
  };
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(said)) if (value) headers[name] = encoded(name, value);
  const token = opts.token ?? environment("HELIX_TOKEN");
  const fixed = typeof token === "string" && token ? visible(token) : "";
  return {
    url: address(opts.url ?? environment("HELIX_URL") ?? local()),
    headers,
    shown: typeof token === "function" ? async () => visible(await token()) : () => fixed,
    timeoutMs: checked("timeoutMs", opts.timeoutMs ?? 30_000, 1),
    retries: checked("retries", opts.retries ?? 3, 0),
    // Looked up at each call, and called on its own: a browser's fetch refuses to be somebody else's method.
    fetch: (input, init) => (opts.fetch ?? globalThis.fetch)(input, init),
  };
}

export function checked(name: string, value: number, least: number): number {
  if (Number.isFinite(value) && value >= least) return value;
  throw new BadSettings(`${name} is ${value}; give a number from ${least}`, { code: "bad-settings" });
}

function local(): string {
  const host = environment("HELIX_HOST") ?? "127.0.0.1";
  return `http://${host.includes(":") ? `[${host}]` : host}:${environment("HELIX_PORT") ?? "7878"}`;
}

function address(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new BadSettings(`'${url}' is no address; give one such as ${EXAMPLE}`, { code: "bad-settings", cause });
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new BadSettings(`'${url}' is not http or https; give an address such as ${EXAMPLE}`, {
      code: "bad-settings",
    });
  }
  return (parsed.origin + parsed.pathname).replace(/\/+$/, "");
}

function visible(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const message =
    "the token has characters that cannot stand in a header; set it again to what `helix token` prints";
  throw new BadSettings(message, { code: "bad-settings" });
}

/** Headers are Latin-1; names of projects are not. */
function encoded(name: string, value: string): string {
  try {
    return encodeURIComponent(value);
  } catch (cause) {
    throw new BadSettings(`${name} holds half of a surrogate pair, which is no character`, {
      code: "bad-settings",
      cause,
    });
  }
}

/** Browsers have no environment, and the types of Node must not be needed to read this. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name]?.trim() || undefined;
}
