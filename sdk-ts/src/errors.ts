/** Every error of the package. All are `LexicError`; the subclasses say what happened. */
export interface ErrorDetails {
  /** The HTTP status; undefined where there was none. */
  status?: number | undefined;
  /** For programs. */
  code?: string | undefined;
  /** What to do next. */
  hint?: string | undefined;
  /** The request's id, which the server's log names as well. */
  requestId?: string | undefined;
  /** Seconds to wait before asking again, where the server says. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Lexic could not answer. */
export class LexicError extends Error {
  readonly status: number | undefined;
  readonly code: string;
  readonly hint: string;
  readonly retryAfter: number | undefined;
  requestId: string | undefined;

  constructor(message: string, details: ErrorDetails = {}, defaultCode = "error") {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.status = details.status;
    this.code = details.code || defaultCode;
    this.hint = details.hint ?? "";
    this.retryAfter = details.retryAfter;
    this.requestId = details.requestId;
  }

  /** Whether the same request may do better in a moment. */
  get isRetryable(): boolean {
    if (this.code === "spending_cap") return false; // it is reached until the month ends, or somebody raises it
    return (this.status !== undefined && RETRYABLE_STATUSES.has(this.status)) || this.isInProgress;
  }

  /** Whether an earlier attempt of the same request is still being answered. */
  get isInProgress(): boolean {
    return this.code === "request_in_progress";
  }

  /** The message and what to do next, in one text. */
  describe(): string {
    return `${this.message} ${this.hint}`.trim();
  }
}

/** The client was not set up so that it can ask anything. */
export class ConfigurationError extends LexicError {
  constructor(message: string, details?: ErrorDetails) {
    super(message, details, "configuration");
  }
}

/** 400, 413, 422: the request is not valid. */
export class InvalidRequestError extends LexicError {
  constructor(message = "The request is not valid.", details?: ErrorDetails) {
    super(message, details, "invalid");
  }
}

/** 401: the key is unknown, expired or revoked. */
export class AuthenticationError extends LexicError {
  constructor(message = "This needs a valid API key.", details?: ErrorDetails) {
    super(message, details, "not_authenticated");
  }
}

/** 403: the key may not do that. */
export class NotAllowedError extends LexicError {
  constructor(message = "This key may not do that.", details?: ErrorDetails) {
    super(message, details, "not_allowed");
  }
}

/** 404: not there, or not for this key. */
export class NotFoundError extends LexicError {
  constructor(message = "There is no such thing, or none that this key may see.", details?: ErrorDetails) {
    super(message, details, "not_found");
  }
}

/** 409, 412: something changed in the meantime, or already exists. */
export class ConflictError extends LexicError {
  constructor(message = "Something changed in the meantime, or already exists.", details?: ErrorDetails) {
    super(message, details, "conflict");
  }
}

/** 429: too many requests. `retryAfter` says how many seconds to wait. */
export class RateLimitError extends LexicError {
  constructor(message = "Too many requests.", details?: ErrorDetails) {
    super(message, details, "rate_limited");
  }
}

/** 500: something went wrong on the server. */
export class ServerError extends LexicError {
  constructor(message = "Something went wrong on the server.", details?: ErrorDetails, defaultCode = "internal") {
    super(message, details, defaultCode);
  }
}

/** 502, 503, 504: the server or its language model is away at the moment. */
export class ProviderError extends ServerError {
  constructor(message = "The language model or the service behind the server does not answer at the moment.", details?: ErrorDetails) {
    super(message, details, "provider_failed");
  }
}

/** What came back is no answer of a Lexic server. */
export class InvalidResponseError extends LexicError {
  constructor(message = "The server's answer could not be read.", details?: ErrorDetails) {
    super(message, details, "invalid_response");
  }
}

/** The server could not be reached. */
export class ConnectionError extends LexicError {
  constructor(message = "The server could not be reached.", details?: ErrorDetails) {
    super(message, details, "connection");
  }

  override get isRetryable(): boolean {
    return true;
  }
}

/** No data came for as long as `timeout`. */
export class TimeoutError extends LexicError {
  constructor(message = "The server did not answer in time.", details?: ErrorDetails) {
    super(message, details, "timeout");
  }
}

/** A webhook's signature, time or form is not valid. */
export class WebhookVerificationError extends LexicError {
  constructor(message: string, details?: ErrorDetails) {
    super(message, details, "webhook_not_verified");
  }
}

/** The stream broke off before the answer was complete, and could not be continued. */
export class StreamInterrupted extends LexicError {
  /** What had arrived, of the kind that the stream has. */
  readonly events: readonly { readonly type: string }[];
  /** The answer's text so far. Its sentences were verified before they were sent. */
  readonly text: string;

  constructor(events: readonly { readonly type: string }[] = [], details: ErrorDetails = {}) {
    const hint = "Ask again; what arrived is in .text and .events.";
    super("The stream broke off before the answer was complete.", { hint, ...details }, "stream_interrupted");
    this.events = events;
    this.text = events.map((event) => ("text" in event && event.type === "delta" ? event.text : "")).join("");
  }
}

type ErrorClass = new (message?: string, details?: ErrorDetails) => LexicError;

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  401: AuthenticationError,
  403: NotAllowedError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  429: RateLimitError,
  502: ProviderError,
  503: ProviderError,
  504: ProviderError,
};

// No message of ours is longer; a proxy's error page would be.
const MAX_MESSAGE_LENGTH = 1000;

/** The error that an HTTP response stands for. `body` is its JSON, or undefined where it had none. */
export function errorFromResponse(body: unknown, details: ErrorDetails & { status: number }): LexicError {
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const message = shortText(fields["error"]) || shortText(fields["detail"]) || undefined;
  const told = { ...details, code: shortText(fields["code"]), hint: shortText(fields["hint"]) };
  return new (classFor(details.status))(message, told);
}

/** The error that an error event within a stream stands for. */
export function errorFromEvent(event: { error: string; code: string; hint: string; requestId?: string | undefined }): LexicError {
  const kind = event.code.startsWith("provider_") ? ProviderError : ServerError;
  return new kind(event.error || undefined, { code: event.code, hint: event.hint, requestId: event.requestId });
}

/** A text of a server's error, cut to a length that people read; empty for anything else. */
export function shortText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_MESSAGE_LENGTH) : "";
}

function classFor(status: number): ErrorClass {
  const found = BY_STATUS[status];
  if (found) return found;
  if (status >= 400 && status < 500) return InvalidRequestError;
  return status >= 500 ? ServerError : InvalidResponseError;
}
