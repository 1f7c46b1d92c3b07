/** What a stream consists of: statuses and pieces of text, then either the whole answer or an error. */
import { shortText, errorFromEvent, type LexicError } from "./errors.js";
import * as normalise from "./normalise.js";
import type { components } from "./openapi.js";
import type { Answer, Raw } from "./results.js";

type EventKind = components["schemas"]["AnswerEvent"]["type"];

export interface EventFields<Kind extends string> {
  readonly type: Kind;
  /** The id to continue behind (`Last-Event-ID`); empty where the server gave none. */
  readonly id: string;
  readonly raw: Raw;
}

/** A step has begun. `message` is for people. */
export interface StatusEvent extends EventFields<"status"> {
  readonly status: components["schemas"]["StatusEvent"]["status"] | (string & {});
  readonly message: string;
}

/** The next piece of the answer's text. All of them together are the answer. */
export interface DeltaEvent extends EventFields<"delta"> {
  readonly text: string;
}

/** The last event of an answer, with all of it. */
export interface DoneEvent extends EventFields<"done"> {
  readonly answer: Answer;
}

/** The last event of a stream that failed after it had begun. */
export interface ErrorEvent extends EventFields<"error"> {
  readonly error: string;
  readonly code: string;
  readonly hint: string;
  /** The same as an error that can be thrown. */
  readonly exception: LexicError;
}

export type LexicEvent = StatusEvent | DeltaEvent | DoneEvent | ErrorEvent;

/** A reader for each kind of event that the API describes, so that a new one does not compile without. */
const READERS: { [Kind in EventKind]: (fields: Raw, about: About) => Extract<LexicEvent, { type: Kind }> } = {
  status: (raw, { id }) => ({ type: "status", id, status: shortText(raw["status"]), message: shortText(raw["message"]), raw }),
  delta: (raw, { id }) => ({ type: "delta", id, text: normalise.text(raw["text"]), raw }),
  done: (raw, about) => doneEvent(raw, about),
  error: errorEvent,
};

export interface About {
  id: string;
  request: Raw;
  requestId?: string | undefined;
}

/** The event that these fields stand for; undefined for a kind that only later servers send. */
export function readEvent(fields: Raw, about: About): LexicEvent | undefined {
  const kind = normalise.text(fields["type"]);
  return Object.hasOwn(READERS, kind) ? READERS[kind as EventKind](fields, about) : undefined;
}

/** The event that ends every kind of stream that failed. */
export function errorEvent(raw: Raw, { id, requestId }: About): ErrorEvent {
  const code = shortText(raw["code"]) || "error";
  const told = { error: shortText(raw["error"]) || "The stream failed.", code, hint: shortText(raw["hint"]) };
  return { type: "error", id, ...told, exception: errorFromEvent({ ...told, requestId }), raw };
}

/** The event that a whole answer stands for, where a server does not stream. */
export function doneEvent(value: unknown, { id, request }: About): DoneEvent {
  const answer = normalise.answer(value, request);
  return { type: "done", id, answer, raw: answer.raw };
}
