/** Sends requests: the key, ids, retries, and responses as JSON or as errors. */
import { ConfigurationError, errorFromResponse, InvalidRequestError, InvalidResponseError, LexicError } from "./errors.js";
import { Exchange, type Fetch, type Patience } from "./exchange.js";
import type { paths } from "./openapi.js";
import { FIRST_WAIT, readRetryAfter, sleep, waitAfter } from "./retries.js";
import { nodeVersion, readBaseUrl, readKey } from "./server.js";
import { VERSION } from "./version.js";

const MAX_TIMER = 2 ** 31 - 1;
const REQUEST_ID = "X-Request-Id";

export interface LexicOptions {
  /** Else the variable LEXIC_API_KEY. */
  apiKey?: string | undefined;
  /** Else the variable LEXIC_BASE_URL, else this machine. */
  baseUrl?: string | undefined;
  /** The plugin that is asked where a call names none. */
  defaultPlugin?: string | undefined;
  /**
   * Milliseconds without any data after which a request is given up, and for which an earlier attempt that is still
   * being answered is waited for; two minutes unless said.
   */
  timeout?: number | undefined;
  /** Attempts after the first, for 429, 502, 503, 504 and connections that fail; 2 unless said. */
  maxRetries?: number | undefined;
  /** Take plain http for an address that is not this machine. */
  allowHttp?: boolean | undefined;
  /** Instead of the global `fetch`: a proxy, a certificate of your own. */
  fetch?: Fetch | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** As of the client, for this call. */
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  /** The name by which the server knows a request that is sent again; a new one for each call unless said. */
  idempotencyKey?: string | undefined;
}

/** A request to one of the API's paths. `body` is written as JSON, `lines` are sent as JSON lines. */
export interface Call {
  method: "GET" | "POST" | "DELETE";
  path: keyof paths;
  parameters?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  body?: unknown;
  lines?: readonly unknown[];
  headers?: Readonly<Record<string, string>>;
}

export class Connection {
  readonly baseUrl: string;
  readonly #key: string;
  readonly #fetch: Fetch;
  readonly #timeout: number;
  readonly #maxRetries: number;

  /** Throws `ConfigurationError`. */
  constructor(options: LexicOptions) {
    this.baseUrl = readBaseUrl(options.baseUrl, options.allowHttp ?? false);
    this.#key = readKey(options.apiKey);
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#timeout = readLimit("timeout", options.timeout ?? 120_000, 1);
    this.#maxRetries = readLimit("maxRetries", options.maxRetries ?? 2, 0);
  }

  /** The JSON of the response, after as many attempts as are allowed. Throws `LexicError` and the signal's reason. */
  async json(call: Call, options: CallOptions = {}): Promise<unknown> {
    const headers = call.method === "POST" ? { "Idempotency-Key": options.idempotencyKey ?? newId() } : {};
    for (let attempt = 0, waited = 0; ; ) {
      try {
        return await this.#jsonOnce({ ...call, headers: { ...headers, ...call.headers } }, options);
      } catch (error) {
        if (error instanceof LexicError && error.isInProgress) {
          waited += await this.#waitForAnswer(error, waited, options);
        } else {
          await this.pause(error, attempt++, options);
        }
      }
    }
  }

  /** Waits until the next attempt. Throws the error when there is to be none. */
  async pause(error: unknown, attempt: number, options: CallOptions): Promise<void> {
    const most = options.maxRetries ?? this.#maxRetries;
    const wait = error instanceof LexicError ? waitAfter(error, attempt, most) : undefined;
    if (wait === undefined) throw error;
    await sleep(wait, options.signal);
  }

  /** Waits for an earlier attempt that is still being answered, as long as a request may take, and gives how long. */
  async #waitForAnswer(error: LexicError, waited: number, options: CallOptions): Promise<number> {
    const wait = Math.max(waitAfter(error, 0, 1) ?? Infinity, FIRST_WAIT);
    if (waited + wait > this.#patience(options).timeout) throw error;
    await sleep(wait, options.signal);
    return wait;
  }

  /** Sends it once and gives the response as soon as it begins. Throws what a response other than 2xx stands for. */
  async open(call: Call, options: CallOptions = {}): Promise<{ exchange: Exchange; requestId: string }> {
    const sentId = newId();
    try {
      const init = this.#request(call, sentId);
      const exchange = await Exchange.open(this.#fetch, this.#url(call), init, this.#patience(options));
      const requestId = exchange.response.headers.get(REQUEST_ID) ?? sentId;
      if (exchange.response.ok) return { exchange, requestId };
      throw await this.#error(exchange, requestId);
    } catch (error) {
      if (error instanceof LexicError) error.requestId ??= sentId;
      throw error;
    }
  }

  /** The JSON of a response that was opened. Throws `InvalidResponseError`. */
  async readJson({ exchange, requestId }: { exchange: Exchange; requestId: string }): Promise<unknown> {
    const text = await exchange.text();
    if (exchange.response.status === 204) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      const hint = "Check that baseUrl is the address of a Lexic server.";
      const { status } = exchange.response;
      throw new InvalidResponseError("The server's answer is not JSON.", { status, hint, requestId });
    }
  }

  async #jsonOnce(call: Call, options: CallOptions): Promise<unknown> {
    const opened = await this.open(call, options);
    try {
      return await this.readJson(opened);
    } catch (error) {
      if (error instanceof LexicError) error.requestId ??= opened.requestId;
      throw error;
    } finally {
      opened.exchange.close();
    }
  }

  #url({ path, parameters, query }: Call): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parameters?.[name] ?? "")));
    const asked = Object.entries(query ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
    return `${this.baseUrl}${filled}${asked.length ? `?${new URLSearchParams(asked).toString()}` : ""}`;
  }

  #request(call: Call, requestId: string): RequestInit {
    const headers: Record<string, string> = {
      Accept: "application/json",
      Authorization: `Bearer ${this.#key}`,
      [REQUEST_ID]: requestId,
      ...call.headers,
    };
    const node = nodeVersion();
    if (node) headers["User-Agent"] = `lexic-sdk-js/${VERSION} node/${node}`; // browsers have their own
    const init: RequestInit = { method: call.method, headers, redirect: "manual", credentials: "omit", cache: "no-store" };
    if (call.lines) {
      headers["Content-Type"] = "application/x-ndjson";
      init.body = call.lines.map((line) => `${encode(line)}\n`).join("");
    } else if (call.body !== undefined) {
      headers["Content-Type"] = "application/json";
      init.body = encode(call.body);
    }
    return init;
  }

  #patience(options: CallOptions): Patience {
    const timeout = options.timeout === undefined ? this.#timeout : readLimit("timeout", options.timeout, 1);
    return { timeout: Math.min(timeout, MAX_TIMER), signal: options.signal };
  }

  async #error(exchange: Exchange, requestId: string): Promise<LexicError> {
    const { response } = exchange;
    try {
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        const hint = "Use the address that it redirects to as baseUrl.";
        return new InvalidResponseError("The server redirects, and the key is not sent on.", { hint, requestId });
      }
      const retryAfter = readRetryAfter(response.headers.get("Retry-After"));
      // A server or a proxy may have repeated the key.
      const body = parse((await exchange.text()).replaceAll(this.#key, "***"));
      return errorFromResponse(body, { status: response.status, requestId, retryAfter });
    } finally {
      exchange.close();
    }
  }
}

/** A UUID, in pages without https as well. */
function newId(): string {
  if (globalThis.crypto?.randomUUID) return globalThis.crypto.randomUUID();
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readLimit(name: string, value: number, least: number): number {
  if (!(value >= least)) throw new ConfigurationError(`The ${name} has to be ${least} or more.`);
  return value;
}

function encode(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    const hint = "Send texts, numbers, true and false, and lists and objects of them.";
    throw new InvalidRequestError("The request cannot be written as JSON.", { hint, cause });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
