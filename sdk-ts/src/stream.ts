/** Streams, which continue by themselves after a connection that broke: answers, rooms and reviews. */
import type { CallOptions, Connection } from "./connection.js";
import { ConnectionError, LexicError, StreamInterrupted, TimeoutError } from "./errors.js";
import { doneEvent, readEvent, type About, type ErrorEvent, type LexicEvent } from "./events.js";
import type { Exchange } from "./exchange.js";
import { asObject } from "./normalise.js";
import type { paths } from "./openapi.js";
import type { QuestionBody } from "./question.js";
import type { Answer, Collaboration, Raw, TextReview } from "./results.js";
import { readReviewEvent, readRoomEvent, resultEvent, type ReviewEvent, type RoomEvent } from "./room_events.js";
import { EventDecoder } from "./sse.js";

const EVENT_STREAM = "text/event-stream";

export interface StreamOptions extends CallOptions {
  /** Continue behind this event of the same question: its `id`, kept from a stream before. For two minutes. */
  lastEventId?: string | undefined;
}

/** The last event of a stream that came to its end, of whatever kind. */
interface FinalEvent {
  readonly type: "done";
}

/** Where a kind of stream is asked for, and how it is read. */
interface StreamFormat<Event, Result> {
  path: keyof paths;
  /** The event that a JSON object stands for; undefined for a kind that only later servers send. */
  readEvent(fields: Raw, about: About): Event | undefined;
  /** The last event, of the whole result that a server gives which does not stream. */
  makeFinal(value: unknown, about: About): Event;
  result(event: Extract<Event, FinalEvent>): Result;
}

const ANSWER: StreamFormat<LexicEvent, Answer> = {
  path: "/api/v1/query",
  readEvent,
  makeFinal: doneEvent,
  result: (event) => event.answer,
};
const ROOM: StreamFormat<RoomEvent, Collaboration> = {
  path: "/api/v1/collaborate",
  readEvent: readRoomEvent,
  makeFinal: resultEvent,
  result: (event) => event.result,
};
const REVIEW: StreamFormat<ReviewEvent, TextReview> = {
  path: "/api/v1/review",
  readEvent: readReviewEvent,
  makeFinal: resultEvent,
  result: (event) => event.result,
};

/**
 * The events of one stream: `for await (const event of stream)`. The last one is `done` or `error`. Leave the loop to
 * stop early. It is asked when it is first read, and read once.
 */
export class EventStream<Event extends { readonly type: string }, Result> implements AsyncIterable<Event> {
  readonly #format: StreamFormat<Event, Result>;
  readonly #connection: Connection;
  readonly #body: Raw;
  readonly #options: StreamOptions;
  readonly #arrived: Event[] = [];
  readonly #events: AsyncGenerator<Event, void, undefined>;
  #lastEventId: string;
  #requestId: string | undefined;

  /** @internal */
  constructor(format: StreamFormat<Event, Result>, connection: Connection, body: Raw, options: StreamOptions) {
    this.#format = format;
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

  [Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    return this.#events;
  }

  /** Reads what is left, shows each event to `onEvent`, and gives the result. Throws what an error event stands for. */
  async finalResult(onEvent?: (event: Event) => void): Promise<Result> {
    for await (const event of this.#events) onEvent?.(event);
    const last = this.#arrived.at(-1);
    if (last && isFinal(last)) return this.#format.result(last);
    if (last && isError(last)) throw last.exception;
    throw new StreamInterrupted(this.#arrived); // somebody left it early
  }

  async *#read(): AsyncGenerator<Event, void, undefined> {
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

  async *#readOnce(): AsyncGenerator<Event, void, undefined> {
    const headers: Record<string, string> = { Accept: EVENT_STREAM };
    if (this.#lastEventId) headers["Last-Event-ID"] = this.#lastEventId;
    const body = { ...this.#body, stream: true };
    const opened = await this.#connection.open({ method: "POST", path: this.#format.path, body, headers }, this.#options);
    this.#requestId = opened.requestId;
    try {
      if (isEventStream(opened.exchange)) yield* this.#readEvents(opened.exchange);
      else yield this.#keep(this.#format.makeFinal(await this.#connection.readJson(opened), { id: "", request: this.#body }));
    } finally {
      opened.exchange.close();
    }
  }

  async *#readEvents(exchange: Exchange): AsyncGenerator<Event, void, undefined> {
    const decoder = new EventDecoder();
    for await (const chunk of exchange.chunks()) {
      yield* this.#parse(decoder.feed(chunk));
      if (this.#isOver) return;
    }
    yield* this.#parse(decoder.finish());
    if (!this.#isOver) throw new ConnectionError("The stream ended before the answer was complete.");
  }

  *#parse(found: readonly { id: string; data: string }[]): Generator<Event, void, undefined> {
    for (const { id, data } of found) {
      if (this.#isOver) return;
      const about = { id, request: this.#body, requestId: this.#requestId };
      const event = this.#format.readEvent(asObject(parsed(data)), about);
      if (id) this.#lastEventId = id;
      if (event) yield this.#keep(event);
    }
  }

  #keep(event: Event): Event {
    this.#arrived.push(event);
    return event;
  }

  get #isOver(): boolean {
    const last = this.#arrived.at(-1);
    return last !== undefined && (isFinal(last) || isError(last));
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

/** An answer as it is made. */
export class AnswerStream extends EventStream<LexicEvent, Answer> {
  /** @internal */
  constructor(connection: Connection, body: QuestionBody, options: StreamOptions) {
    super(ANSWER, connection, body, options);
  }

  /** The same as `finalResult`. */
  finalAnswer(onEvent?: (event: LexicEvent) => void): Promise<Answer> {
    return this.finalResult(onEvent);
  }
}

/** A room as its plugins speak. */
export type RoomStream = EventStream<RoomEvent, Collaboration>;
/** A review, annotation by annotation. */
export type ReviewStream = EventStream<ReviewEvent, TextReview>;

export function roomStream(connection: Connection, body: Raw, options: StreamOptions): RoomStream {
  return new EventStream(ROOM, connection, body, options);
}

export function reviewStream(connection: Connection, body: Raw, options: StreamOptions): ReviewStream {
  return new EventStream(REVIEW, connection, body, options);
}

function isFinal<Event extends { readonly type: string }>(event: Event): event is Extract<Event, FinalEvent> {
  return event.type === "done";
}

function isError<Event extends { readonly type: string }>(event: Event): event is Event & ErrorEvent {
  return event.type === "error";
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // no event
  }
}
