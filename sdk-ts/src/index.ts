/** Asks the plugins of a Lexic server. `lexic-sdk/ai`, `lexic-sdk/langchain` and `lexic-sdk/webhooks` are entries of their own. */
export { Batches, type BatchQuestion, type WaitOptions } from "./batches.js";
export {
  Lexic,
  type AskOptions,
  type AskStreamOptions,
  type MarketplaceQuery,
  type PagePart,
  type ReviewOptions,
  type ReviewStreamOptions,
  type RoomOptions,
  type RoomStreamOptions,
  type SourcePlace,
} from "./client.js";
export type { CallOptions, LexicOptions } from "./connection.js";
export {
  AuthenticationError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  InvalidResponseError,
  LexicError,
  NotAllowedError,
  NotFoundError,
  ProviderError,
  RateLimitError,
  ServerError,
  StreamInterrupted,
  TimeoutError,
  type ErrorDetails,
} from "./errors.js";
export type { DeltaEvent, DoneEvent, ErrorEvent, LexicEvent, StatusEvent } from "./events.js";
export type { Fetch } from "./exchange.js";
export type { Facts, Filters, Question, QueryOptions, Turn } from "./question.js";
export type {
  Answer,
  Batch,
  BatchResult,
  Capability,
  Citation,
  Clarification,
  Collaboration,
  Confidence,
  ConfidenceBasis,
  Conflict,
  DecisionStep,
  DocumentPage,
  ExpertAnswer,
  ExpertFailure,
  Fact,
  Feedback,
  FeedbackRequest,
  Left,
  Limits,
  Me,
  NearestSource,
  Sibling,
  Outcome,
  PluginInfo,
  Raw,
  SourcePreview,
  TextReview,
  Usage,
} from "./results.js";
export type { ResultEvent, ReviewEvent, RoomEvent } from "./room_events.js";
export { AnswerStream, EventStream, type ReviewStream, type RoomStream, type StreamOptions } from "./stream.js";
export { VERSION } from "./version.js";
