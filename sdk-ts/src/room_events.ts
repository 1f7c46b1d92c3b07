/** What streamed rooms and reviews consist of. Their fields are those of the API. */
import { errorEvent, type About, type ErrorEvent, type EventFields } from "./events.js";
import * as normalise from "./normalise.js";
import type { components } from "./openapi.js";
import type { Collaboration, Raw, TextReview } from "./results.js";

type Schemas = components["schemas"];
type Sent<Event extends { type: string }> = Exclude<Event, { type: "done" | "error" }>;
// For each kind of event by itself, so that `event.type` says which fields there are.
type WithId<Event> = Event extends { type: infer Kind extends string } ? Readonly<Event> & EventFields<Kind> : never;

/** The last event of a room or of a review, with all of it. */
export interface ResultEvent<Result> extends EventFields<"done"> {
  readonly result: Result;
}

export type RoomEvent = WithId<Sent<Schemas["CollaborationEvent"]>> | ResultEvent<Collaboration> | ErrorEvent;
export type ReviewEvent = WithId<Sent<Schemas["ReviewEvent"]>> | ResultEvent<TextReview> | ErrorEvent;

// Every kind that the API describes, so that a new one does not compile without.
const ROOM_KINDS: Record<Sent<Schemas["CollaborationEvent"]>["type"], true> = {
  status: true,
  experts_resolved: true,
  round_start: true,
  expert_thinking: true,
  expert_response: true,
  round_complete: true,
};
const REVIEW_KINDS: Record<Sent<Schemas["ReviewEvent"]>["type"], true> = { status: true, annotation: true, batch_complete: true };

/** One event of a room; undefined for a kind that only later servers send. */
export const readRoomEvent = eventReader<RoomEvent, Collaboration>(ROOM_KINDS);
/** One event of a review; undefined for a kind that only later servers send. */
export const readReviewEvent = eventReader<ReviewEvent, TextReview>(REVIEW_KINDS);

function eventReader<Event, Result>(kinds: Readonly<Record<string, true>>) {
  return (fields: Raw, about: About): Event | ResultEvent<Result> | ErrorEvent | undefined => {
    const kind = normalise.text(fields["type"]);
    if (kind === "error") return errorEvent(fields, about);
    if (kind === "done") return resultEvent(fields, about);
    return Object.hasOwn(kinds, kind) ? ({ ...fields, id: about.id, raw: fields } as Event) : undefined;
  };
}

/** The last event, of a whole room or review: also where a server does not stream. */
export function resultEvent<Result>(value: unknown, { id }: About): ResultEvent<Result> {
  const { type: _, ...result } = normalise.asObject(value);
  return { type: "done", id, result: result as Result, raw: result };
}
