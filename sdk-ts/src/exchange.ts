/** One HTTP request in flight: its response, read piece by piece, with a limit on how long it may be silent. */
import { ConnectionError, InvalidResponseError, TimeoutError } from "./errors.js";

const MAX_BODY_BYTES = 32 * 1024 * 1024;

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export interface Patience {
  /** Milliseconds without any data after which the request is given up. */
  timeout: number;
  /** The caller's own signal: its reason is thrown as it is. */
  signal?: AbortSignal | undefined;
}

export class Exchange {
  readonly response: Response;
  readonly #watch: Watch;

  private constructor(response: Response, watch: Watch) {
    this.response = response;
    this.#watch = watch;
  }

  /** Sends it, and waits for the response's headers. Throws `TimeoutError`, `ConnectionError` and the signal's reason. */
  static async open(fetch: Fetch, url: string, init: RequestInit, patience: Patience): Promise<Exchange> {
    const watch = new Watch(patience);
    try {
      return new Exchange(await fetch(url, { ...init, signal: watch.signal }), watch);
    } catch (error) {
      watch.stop();
      throw watch.explain(error);
    }
  }

  /** The pieces of the body. Throws as `open` does. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    const reader = this.response.body?.getReader();
    if (!reader) return;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        this.#watch.restart();
        yield value;
      }
    } catch (error) {
      throw this.#watch.explain(error);
    }
  }

  /** The whole body. Throws as `open` does, and `InvalidResponseError` where it is too long. */
  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let [size, text] = [0, ""];
    for await (const chunk of this.chunks()) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) throw new InvalidResponseError("The server's answer is too long.");
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }

  /** Ends it, whether or not everything was read. */
  close(): void {
    this.#watch.stop();
    this.#watch.abandon();
  }
}

/** Aborts a request after a silence, or when the caller's signal says so. */
class Watch {
  readonly #controller = new AbortController();
  readonly #patience: Patience;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isTimedOut = false;

  constructor(patience: Patience) {
    this.#patience = patience;
    if (patience.signal?.aborted) this.#abort();
    patience.signal?.addEventListener("abort", this.#abort);
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#isTimedOut = true;
      this.#controller.abort();
    }, this.#patience.timeout);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#patience.signal?.removeEventListener("abort", this.#abort);
  }

  abandon(): void {
    this.#controller.abort();
  }

  explain(error: unknown): unknown {
    if (this.#patience.signal?.aborted) return this.#patience.signal.reason;
    if (this.#isTimedOut) return new TimeoutError(undefined, { hint: "A larger timeout waits longer.", cause: error });
    return new ConnectionError(undefined, { hint: "Check baseUrl and the network.", cause: error });
  }

  readonly #abort = (): void => this.#controller.abort(this.#patience.signal?.reason);
}
