/** How long to wait, for an answer and between two attempts. */

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Before attempt `attempt + 1`: what the daemon asked for, or twice as long as the time before, and in both cases by chance a bit
 * more, so that clients that were turned away together do not come back together.
 */
export function pauseMs(attempt: number, retryAfter: number | undefined, chance: number = Math.random()): number {
  if (retryAfter !== undefined) return retryAfter * 1000 * (1 + chance / 4);
  return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + chance / 2);
}

/** Seconds, from the two forms that the header may have. */
export function secondsOf(retryAfter: string | null, now: number = Date.now()): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter);
  const moment = Date.parse(retryAfter);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - now) / 1000);
}

/** The time that a call has, and the caller's own wish to end it, as one signal. */
export class Deadline {
  readonly signal: AbortSignal;
  passed = false;
  readonly #ends: number;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #caller: AbortSignal | undefined;
  readonly #forward: () => void;

  // AbortSignal.any would do this, but came to Node only in version 20.
  constructor(ms: number, caller: AbortSignal | undefined) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#ends = Date.now() + ms;
    this.#timer = setTimeout(() => {
      this.passed = true;
      controller.abort();
    }, Math.min(ms, 2 ** 31 - 1));
    this.#caller = caller;
    this.#forward = () => controller.abort(caller?.reason);
    if (caller?.aborted) this.#forward();
    else caller?.addEventListener("abort", this.#forward, { once: true });
  }

  get leftMs(): number {
    return this.#ends - Date.now();
  }

  /** Rejects as soon as the signal does. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(this.signal.reason);
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener("abort", stop);
        resolve();
      }, ms);
      if (this.signal.aborted) stop();
      else this.signal.addEventListener("abort", stop, { once: true });
    });
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#forward);
  }
}
