/** How long to wait, for an answer and between two attempts. */

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** After attempt number `turn`. Jittered also after `Retry-After`: many clients are told the same time. */
export function pauseMs(turn: number, retryAfter: number | undefined, chance: number = Math.random()): number {
  return (retryAfter ?? 0) * 1000 + Math.min(FIRST_PAUSE_MS * 2 ** turn, LONGEST_PAUSE_MS) * (0.5 + chance / 2);
}

/** Seconds, from the two forms that the header may have. */
export function secondsOf(retryAfter: string | null, now: number = Date.now()): number | undefined {
  if (retryAfter === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(retryAfter)) return Number(retryAfter);
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
    this.#timer = setTimeout(
      () => {
        this.passed = true;
        controller.abort();
      },
      Math.min(ms, 2 ** 31 - 1),
    );
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
