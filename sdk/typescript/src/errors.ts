export interface ErrorDetails {
  code: string;
  status?: number | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/**
 * Everything that a call rejects with, in one tree. Programs go by the class, or by `code`, which stays as it is.
 *
 *     HelixError
 *     ├── BadRequest           400 and such          a value that cannot be used; the message names it
 *     ├── Unauthorized         401                   this daemon asks for its token
 *     ├── Forbidden            403, 421              another web page, or a name that is not this machine's
 *     ├── NotFound             404                   no such memory, version or history
 *     ├── Gone                 410                   it was forgotten or erased, and cannot be changed
 *     ├── Conflict             409                   an idempotency key that was used for something else, …
 *     │   └── StaleHash        stale-hash            the file changed since it was read
 *     ├── Refused              422                   understood, and not done
 *     │   ├── NotWorthKeeping  not-worth-keeping     the text says nothing; `force` overrides
 *     │   └── SecretRefused    secret-refused        the text holds a credential; `allowSecrets` overrides
 *     ├── RateLimited          429                   too much at once; `retryAfter` says for how long
 *     ├── Unavailable          503                   not now; `retryAfter` says for how long
 *     ├── ServerError          5xx                   something went wrong in the daemon
 *     ├── BadAnswer            bad-answer            what answers there is no Helix daemon
 *     ├── DaemonUnreachable    daemon-unreachable    nothing answers there; the message says how to start it
 *     ├── Timeout              timeout, 408          no answer within the time that was given
 *     └── BadSettings          bad-settings          an address or a token that cannot be right
 *
 * A call that is aborted through its `signal` rejects with the signal's own reason, as `fetch` does.
 */
export class HelixError extends Error {
  // Spelled out in every class: a bundler renames classes, and people read this in logs.
  override readonly name: string = "HelixError";
  /** kebab-case, the same in every version */
  readonly code: string;
  /** the HTTP status; undefined when there was no answer */
  readonly status: number | undefined;
  /** seconds to wait before asking again, where the daemon said so */
  readonly retryAfter: number | undefined;

  constructor(message: string, { code, status, retryAfter, cause }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export class BadRequest extends HelixError {
  override readonly name: string = "BadRequest";
}

export class Unauthorized extends HelixError {
  override readonly name: string = "Unauthorized";
}

export class Forbidden extends HelixError {
  override readonly name: string = "Forbidden";
}

export class NotFound extends HelixError {
  override readonly name: string = "NotFound";
}

export class Gone extends HelixError {
  override readonly name: string = "Gone";
}

export class Conflict extends HelixError {
  override readonly name: string = "Conflict";
}

export class StaleHash extends Conflict {
  override readonly name: string = "StaleHash";
}

export class Refused extends HelixError {
  override readonly name: string = "Refused";
}

export class NotWorthKeeping extends Refused {
  override readonly name: string = "NotWorthKeeping";
}

export class SecretRefused extends Refused {
  override readonly name: string = "SecretRefused";
}

export class RateLimited extends HelixError {
  override readonly name: string = "RateLimited";
}

export class Unavailable extends HelixError {
  override readonly name: string = "Unavailable";
}

export class ServerError extends HelixError {
  override readonly name: string = "ServerError";
}

export class BadAnswer extends HelixError {
  override readonly name: string = "BadAnswer";
}

export class DaemonUnreachable extends HelixError {
  override readonly name: string = "DaemonUnreachable";
}

export class Timeout extends HelixError {
  override readonly name: string = "Timeout";
}

export class BadSettings extends HelixError {
  override readonly name: string = "BadSettings";
}

const OF_CODE: Readonly<Record<string, typeof HelixError>> = {
  "stale-hash": StaleHash,
  "not-worth-keeping": NotWorthKeeping,
  "secret-refused": SecretRefused,
};
const OF_STATUS: Readonly<Record<number, typeof HelixError>> = {
  401: Unauthorized,
  403: Forbidden,
  404: NotFound,
  408: Timeout,
  409: Conflict,
  410: Gone,
  421: Forbidden,
  422: Refused,
  429: RateLimited,
  503: Unavailable,
};

/** The error for an answer that is not a success: `{"error", "code"}`, or whatever a proxy put in its place. */
export function errorFor(status: number, body: unknown, retryAfter: number | undefined): HelixError {
  const said = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const code = typeof said["code"] === "string" ? said["code"] : `http-${status}`;
  const message = typeof said["error"] === "string" ? said["error"] : `the daemon answered with status ${status}`;
  const kind = OF_CODE[code] ?? OF_STATUS[status] ?? ofHundred(status);
  return new kind(message, { code, status, retryAfter });
}

function ofHundred(status: number): typeof HelixError {
  if (status >= 500) return ServerError;
  return status >= 400 ? BadRequest : BadAnswer;
}
