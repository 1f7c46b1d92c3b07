/**
 * What comes back. The types are those of the API's description, so that a field which the server adds or changes
 * cannot be missed here: `normalise.ts` has a reader for each of them, or does not compile.
 */
import type { components } from "./openapi.js";

type Schemas = components["schemas"];

/** The JSON that a value was made of, whatever the server sent. */
export type Raw = Readonly<Record<string, unknown>>;
export type Fact = string | number | boolean;
export type Confidence = Schemas["Answer"]["confidence"];
export type Outcome = Schemas["Answer"]["outcome"];
export type Capability = Schemas["Me"]["capabilities"][number];

/** Fields that are always there, and others that may be missing, whatever the description promises. */
type Sure<T, Names extends keyof T> = Pick<T, Names> & { [Name in Exclude<keyof T, Names>]?: NonNullable<T[Name]> | undefined };

/** A span of a document that supports a sentence. `id` is "src_1" for the mark `[Source 1]`. */
export type Citation = Sure<Schemas["Citation"], "id" | "document" | "excerpt"> & { readonly raw: Raw };

/** Where to look next after a refusal. Nobody verified that it answers. */
export type NearestSource = Sure<Schemas["Nearest"], "document"> & { readonly raw: Raw };

/** What the nearest source gives (`found`) in place of what was asked, and where. Never an answer. */
export type Sibling = Schemas["Sibling"];

/** What Lexic asks back. Answer with `answerClarification`, or send `{[field]: answer}` as `facts`. */
export type Clarification = Schemas["Clarification"] & { readonly raw: Raw };

/** One step of the decision path, counted from 1: a question with its `value`, or an outcome with its `result`. */
export interface DecisionStep {
  step: number;
  node: string;
  label: string;
  value?: string | undefined;
  result?: string | undefined;
  readonly raw: Raw;
}

/** Tokens, as the provider of the language model counted them. */
export type Usage = Schemas["AnswerUsage"];

/** What a confidence goes by. `probability` is between 0 and 1, null where none is stated. */
export type ConfidenceBasis = Schemas["Basis"];

/** What one of several plugins answers, in numbers of its own. */
export type ExpertAnswer = Schemas["ExpertAnswer"];

/** A plugin that could not be asked, and why. */
export type ExpertFailure = Schemas["ExpertFailure"];

type AnswerFields = Omit<
  Schemas["Answer"],
  | "citations"
  | "decisionPath"
  | "about"
  | "nearest"
  | "clarification"
  | "confidenceBasis"
  | "queryId"
  | "release"
  | "answers"
  | "failed"
  | "conflicts"
  | "agreementLevel"
>;

/** The answer to one question. Every field is there, whatever the server sent. */
export interface Answer extends AnswerFields {
  citations: Citation[];
  decisionPath: DecisionStep[];
  about: Sibling | null;
  nearest: NearestSource[];
  clarification: Clarification | null;
  confidenceBasis: ConfidenceBasis | null;
  queryId: string | null;
  release: string | null;
  /** Where several plugins were asked: what each of them answers, who could not be asked, and where they contradict each other. */
  answers: ExpertAnswer[];
  failed: ExpertFailure[];
  conflicts: Conflict[];
  /** 0 to 1; null where one plugin was asked. */
  agreementLevel: number | null;
  /** The body that was asked with, so that a clarification can be answered. */
  readonly request: Raw;
  readonly raw: Raw;
}

/** Two sentences of different plugins that do not go together. */
export type Conflict = Schemas["Conflict"];

/** What a room of several plugins comes to. Every citation says whose it is (`plugin`). */
export type Collaboration = Schemas["Collaboration"];

/** A text held against what a plugin's documents say. */
export type TextReview = Schemas["TextReview"];

/** A plugin as lists show it. */
export interface PluginInfo {
  slug: string;
  name: string;
  tagline: string;
  description: string;
  domain: string;
  version: string | null;
  tags: string[];
  readonly raw: Raw;
}

/** Requests that a key may make in a minute and in a day. */
export type Limits = Schemas["Limits"];

/** What is left of one window. It begins anew in `resetSeconds`. */
export type Left = Schemas["Left"];

/** What the key may do. `plugins` are those it may ask; `limits` is null and `left` empty where nothing is counted. */
export interface Me {
  owner: string;
  keyName: string;
  capabilities: string[];
  plugins: PluginInfo[];
  hasMorePlugins: boolean;
  limits: Limits | null;
  left: Left[];
  readonly raw: Raw;
}

/** How far a batch is. */
export type Batch = Schemas["Batch"];

/** One line of a batch's results: an answer, or why there is none. */
export type BatchResult =
  | { id: string; response: Answer; error: null }
  | { id: string; response: null; error: { error: string; code: string; hint: string } };

/** Cited words, with what stands around them. */
export type SourcePreview = Schemas["SourcePreview"];

/** One page of a document. */
export type DocumentPage = Schemas["DocumentPage"];

export type Feedback = Schemas["Feedback"];
export type FeedbackRequest = Schemas["FeedbackRequest"];
