/** An answer as it is made, which continues by itself after a connection that broke. */
import type { CallOptions, Connection } from "./connection.js";
import { ConnectionError, LexicError, StreamInterrupted, TimeoutError } from "./errors.js";
import { doneEvent, parseEvent, type LexicEvent } from "./events.js";
import type { Exchange } from "./exchange.js";
import type { QuestionBody } from "./question.js";
import type { Answer, Raw } from "./results.js";
import { EventDecoder } from "./sse.js";

const EVENT_STREAM = "text/event-stream";

export interface StreamOptions extends CallOptions {
  /** Continue behind this event of the same question: its `id`, kept from a stream before. For two minutes. */
  lastEventId?: string | undefined;
}

/**
 * The events of one answer: `for await (const event of stream)`. The last one is `done` or `error`. Leave the loop to
 * stop early. It is asked when it is first read, and read once.
 */
export class AnswerStream implements AsyncIterable<LexicEvent> {
  readonly #connection: Connection;
  readonly #body: QuestionBody;
  readonly #options: StreamOptions;
  readonly #arrived: LexicEvent[] = [];
  readonly #events: AsyncGenerator<LexicEvent, void, undefined>;
  #lastEventId: string;
  #requestId: string | undefined;

  constructor(connection: Connection, body: QuestionBody, options: StreamOptions) {
    this.#connection = connection;
    this.#body = body;
    this.#options = options;
    this.#lastEventId = options.lastEventId ?? "";
    this.#events = this.#read();
  }

  /** The id of the last event that arrived: another stream continues behind it. Empty before the first one. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** The id of the last request that was sent for it, once the server has answered. */
  get requestId(): string | undefined {
    return this.#requestId;
  }

  [Symbol.asyncIterator](): AsyncGenerator<LexicEvent, void, undefined> {
    return this.#events;
  }

  /** Reads what is left, shows each event to `onEvent`, and gives the answer. Throws what an error event stands for. */
  async finalAnswer(onEvent?: (event: LexicEvent) => void): Promise<Answer> {
    for await (const event of this.#events) onEvent?.(event);
    const last = this.#arrived.at(-1);
    if (last?.type === "done") return last.answer;
    if (last?.type === "error") throw last.exception;
    throw new StreamInterrupted(this.#arrived); // somebody left it early
  }

  async *#read(): AsyncGenerator<LexicEvent, void, undefined> {
    for (let attempt = 0; ; attempt++) {
      const before = this.#arrived.length;
      try {
        yield* this.#readOnce();
        return;
      } catch (error) {
        if (this.#arrived.length > before) attempt = 0;
        await this.#pause(error, attempt);
      }
    }
  }

  async *#readOnce(): AsyncGenerator<LexicEvent, void, undefined> {
    const headers: Record<string, string> = { Accept: EVENT_STREAM };
    if (this.#lastEventId) headers["Last-Event-ID"] = this.#lastEventId;
    const body = { ...this.#body, stream: true };
    const opened = await this.#connection.open({ method: "POST", path: "/api/v1/query", body, headers }, this.#options);
    this.#requestId = opened.requestId;
    try {
      if (isEventStream(opened.exchange)) yield* this.#readEvents(opened.exchange);
      else yield this.#keep(doneEvent(await this.#connection.readJson(opened), { id: "", request: this.#request }));
    } finally {
      opened.exchange.close();
    }
  }

  async *#readEvents(exchange: Exchange): AsyncGenerator<LexicEvent, void, undefined> {
    const decoder = new EventDecoder();
    for await (const chunk of exchange.chunks()) {
      yield* this.#parse(decoder.feed(chunk));
      if (this.#isOver) return;
    }
    yield* this.#parse(decoder.finish());
    if (!this.#isOver) throw new ConnectionError("The stream ended before the answer was complete.");
  }

  *#parse(found: readonly { id: string; data: string }[]): Generator<LexicEvent, void, undefined> {
    for (const { id, data } of found) {
      if (this.#isOver) return;
      const event = parseEvent(data, { id, request: this.#request, requestId: this.#requestId });
      if (id) this.#lastEventId = id;
      if (event) yield this.#keep(event);
    }
  }

  #keep(event: LexicEvent): LexicEvent {
    this.#arrived.push(event);
    return event;
  }

  get #request(): Raw {
    return this.#body;
  }

  get #isOver(): boolean {
    const last = this.#arrived.at(-1)?.type;
    return last === "done" || last === "error";
  }

  /** Waits until the next attempt. What has been seen is never asked for anew: it is continued, or it is an error. */
  async #pause(error: unknown, attempt: number): Promise<void> {
    if (!this.#arrived.length || !(error instanceof LexicError)) {
      return this.#connection.pause(error, attempt, this.#options);
    }
    const interrupted = new StreamInterrupted(this.#arrived, { cause: error, requestId: error.requestId });
    if (!this.#lastEventId) throw interrupted;
    const again = error instanceof TimeoutError ? new ConnectionError(undefined, { cause: error }) : error;
    await this.#connection.pause(again, attempt, this.#options).catch((given: unknown) => {
      throw given === again ? interrupted : given;
    });
  }
}

function isEventStream({ response }: Exchange): boolean {
  return (response.headers.get("Content-Type") ?? "").split(";", 1)[0]?.trim().toLowerCase() === EVENT_STREAM;
}
