/** One call: sent, answered or refused, and repeated where that is safe, all within one deadline. */
import { BadAnswer, DaemonUnreachable, HelixError, Timeout, errorFor } from "./errors.js";
import { Deadline, pauseMs, secondsOf } from "./patience.js";
import { checked } from "./settings.js";
import type { CallOpts, Settings } from "./settings.js";
import type { Wire } from "./spelling.js";

const WORTH_ANOTHER_TRY = new Set([408, 429, 502, 503, 504]);

export interface Request {
  method: string;
  /** below the daemon's address, with every part encoded */
  path: string;
  query?: Wire | undefined;
  body?: Wire | undefined;
  headers?: Record<string, string> | undefined;
  /** whether doing it twice is the same as doing it once */
  repeatable: boolean;
  /** whether an answer that is not 2xx is no error */
  accepts?: ((body: unknown) => boolean) | undefined;
}

export class Transport {
  readonly #settings: Settings;
  /** Up to where the daemon that answered last had come: another one waits until it is as far. */
  #seen = "";

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The JSON of the answer, as it came. */
  async send(request: Request, call: CallOpts = {}): Promise<unknown> {
    const timeoutMs = checked("timeoutMs", call.timeoutMs ?? this.#settings.timeoutMs, 1);
    const retries = checked("retries", call.retries ?? this.#settings.retries, 0);
    const deadline = new Deadline(timeoutMs, call.signal);
    let last: unknown;
    try {
      for (let turn = 0; ; turn++) {
        try {
          return await this.#attempt(request, deadline);
        } catch (error) {
          if (deadline.signal.aborted) throw error;
          last = error;
          if (!mayRepeat(request, error) || turn >= retries) throw error;
          const pause = pauseMs(turn, error.retryAfter);
          // Waiting longer than there is time would only turn a telling error into a vague one.
          if (pause >= deadline.leftMs) throw error;
          await deadline.pause(pause);
        }
      }
    } catch (error) {
      if (deadline.passed) {
        const message = `no answer from ${this.#settings.url} within ${timeoutMs} ms; allow more with timeoutMs`;
        throw new Timeout(message, { code: "timeout", cause: last ?? error });
      }
      throw error;
    } finally {
      deadline.clear();
    }
  }

  async #attempt(request: Request, deadline: Deadline): Promise<unknown> {
    const { url, headers, shown, fetch } = this.#settings;
    deadline.signal.throwIfAborted();
    const now = shown();
    // Asked at once where nobody is waited for, so that who gives up at once ends what was asked.
    const token = typeof now === "string" ? now : await now;
    deadline.signal.throwIfAborted();
    const init: RequestInit = {
      method: request.method,
      headers: {
        Accept: "application/json",
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        ...(this.#seen && { "Helix-Seen": this.#seen }),
        ...headers,
        ...request.headers,
      },
      signal: deadline.signal,
      // The daemon never redirects, and the token must not follow somebody who does.
      redirect: "manual",
    };
    if (request.body !== undefined) {
      init.body = JSON.stringify(request.body);
      init.headers = { ...init.headers, "Content-Type": "application/json" };
    }
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(url + request.path + queryOf(request.query), init);
      text = await answer.text();
    } catch (error) {
      if (deadline.signal.aborted) throw deadline.signal.reason;
      throw unreachable(url, error);
    }
    this.#seen = answer.headers.get("Helix-Version") ?? this.#seen;
    return read(answer, text, request);
  }
}

function mayRepeat(request: Request, error: unknown): error is HelixError {
  if (!request.repeatable || !(error instanceof HelixError)) return false;
  return error instanceof DaemonUnreachable || WORTH_ANOTHER_TRY.has(error.status ?? 0);
}

function queryOf(query: Wire = {}): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = said.map(([name, value]): [string, string] => [name, String(value)]);
  return pairs.length ? `?${new URLSearchParams(pairs)}` : "";
}

function read(answer: Response, text: string, request: Request): unknown {
  const body = parsed(text);
  if (!answer.ok && !request.accepts?.(body)) {
    throw errorFor(answer.status, body, secondsOf(answer.headers.get("Retry-After")));
  }
  if (typeof body !== "object" || body === null) {
    const message = `what answers ${request.method} ${request.path} is no Helix daemon: it sends no JSON`;
    throw new BadAnswer(message, { code: "bad-answer", status: answer.status });
  }
  return body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unreachable(url: string, cause: unknown): HelixError {
  const why = reasonOf(cause);
  const message =
    `no Helix daemon answers at ${url}${why ? ` (${why})` : ""}; ` +
    "start it with `helixd`, or set HELIX_URL to where it listens";
  return new DaemonUnreachable(message, { code: "daemon-unreachable", cause });
}

/** Node hides why behind "fetch failed"; browsers do not say at all. */
function reasonOf(error: unknown): string {
  const inner = (error as { cause?: { code?: unknown } }).cause?.code ?? (error as { code?: unknown }).code;
  return typeof inner === "string" ? inner : "";
}
