/**
 * The login that `helix login` keeps on this machine, for programs in Node: `new Helix({ url, token: storedLogin(url) })`.
 *
 * What renews it is good once, and showing it twice ends the login. So it is renewed by the command alone, which holds
 * a lock that all programs of this machine know.
 */
import { Unauthorized } from "./errors.js";

const EARLY_SECONDS = 60;
const PATIENCE_MS = 30_000;

/** As much of Node as is needed here: nobody needs its types to read this package. */
interface Node {
  "node:fs/promises": { readFile(path: string, encoding: "utf8"): Promise<string> };
  "node:os": { homedir(): string; platform(): string };
  "node:child_process": {
    execFile(
      file: string,
      args: readonly string[],
      options: { env: Record<string, string | undefined>; timeout: number },
      done: (error: Error | null, out: string, err: string) => void,
    ): unknown;
  };
}

interface Kept {
  access_token?: unknown;
  expires_at?: unknown;
  ended?: unknown;
}

/** Gives the token for each request. `url` is by default `HELIX_URL`; `command` is how `helix` is started. */
export function storedLogin(url: string = environment("HELIX_URL") ?? "", command = "helix"): () => Promise<string> {
  const address = url.replace(/\/+$/, "");
  let renewing: Promise<void> | undefined;
  return async () => {
    let kept = await find(address);
    if (!isGood(kept)) {
      renewing ??= renew(address, command).finally(() => (renewing = undefined));
      await renewing;
      kept = await find(address);
    }
    if (!isGood(kept)) throw over(address);
    return kept.access_token;
  };
}

function isGood(kept: Kept): kept is { access_token: string; expires_at: number } {
  const { access_token: token, expires_at: end } = kept;
  return typeof token === "string" && typeof end === "number" && Date.now() / 1000 < end;
}

async function find(address: string): Promise<Kept> {
  let logins: Record<string, Kept>;
  try {
    const { readFile } = await part("node:fs/promises");
    logins = JSON.parse(await readFile(`${await folder()}/logins.json`, "utf8")) as Record<string, Kept>;
  } catch {
    throw over(address);
  }
  const kept = logins[address];
  if (kept === undefined || kept.ended === true) throw over(address);
  // Early, as the command does it: what is renewed in time never fails under a request.
  return typeof kept.expires_at === "number" ? { ...kept, expires_at: kept.expires_at - EARLY_SECONDS / 2 } : kept;
}

async function renew(address: string, command: string): Promise<void> {
  const { execFile } = await part("node:child_process");
  const env: Record<string, string | undefined> = { ...variables(), HELIX_URL: address };
  delete env["HELIX_TOKEN"];
  await new Promise<void>((resolve, reject) => {
    execFile(command, ["whoami", "--json"], { env, timeout: PATIENCE_MS }, (error, _, err) => {
      if (error === null) resolve();
      else reject(over(address, err.trim() || error.message));
    });
  });
}

function over(address: string, why = ""): Unauthorized {
  const told = why ? ` (${why})` : "";
  return new Unauthorized(`nobody is logged in to ${address} on this machine${told}; \`helix login ${address}\``, {
    code: "unauthorized",
  });
}

/** Where `helix` keeps it. */
async function folder(): Promise<string> {
  const { homedir, platform } = await part("node:os");
  const set = environment("HELIX_CONFIG_DIR");
  if (set) return set;
  if (platform() === "darwin") return `${homedir()}/Library/Application Support/helix`;
  if (platform() === "win32") return `${environment("LOCALAPPDATA") ?? `${homedir()}/AppData/Local`}/helix`;
  return `${environment("XDG_CONFIG_HOME") ?? `${homedir()}/.config`}/helix`;
}

async function part<Name extends keyof Node>(name: Name): Promise<Node[Name]> {
  return (await import(name as string)) as Node[Name];
}

function variables(): Record<string, string | undefined> {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
}

function environment(name: string): string | undefined {
  return variables()[name]?.trim() || undefined;
}
