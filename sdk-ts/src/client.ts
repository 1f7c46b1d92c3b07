/** The way in. */
import { Batches } from "./batches.js";
import { Connection, type CallOptions, type LexicOptions } from "./connection.js";
import * as normalise from "./normalise.js";
import type { components, operations } from "./openapi.js";
import { listPages } from "./pages.js";
import { makeBody, makeFollowup, type Question, type QuestionBody } from "./question.js";
import type { Answer, Collaboration, DocumentPage, Fact, Feedback, FeedbackRequest, Me, PluginInfo, SourcePreview, TextReview } from "./results.js";
import { AnswerStream, reviewStream, roomStream, type ReviewStream, type RoomStream, type StreamOptions } from "./stream.js";

type Schemas = components["schemas"];

export interface AskOptions extends Question, CallOptions {}
export interface AskStreamOptions extends Question, StreamOptions {}

/** How a room is held: `debate`, `consensus` or `review`, and in how many rounds at most. */
export type RoomOptions = Omit<Schemas["CollaborateRequest"], "experts" | "query" | "stream"> & CallOptions;
export interface ReviewOptions extends CallOptions {
  title?: string | undefined;
  /** Else that of the client. */
  plugin?: string | undefined;
}
export type RoomStreamOptions = RoomOptions & StreamOptions;
export interface ReviewStreamOptions extends ReviewOptions, StreamOptions {}

/** Words to search the marketplace for, and facets that narrow it down. */
export type MarketplaceQuery = Pick<NonNullable<operations["searchMarketplace"]["parameters"]["query"]>, "q" | "sort" | "trust">;
/** Which words of a source are shown: those of a citation. */
export type SourcePlace = NonNullable<operations["previewSource"]["parameters"]["query"]>;
/** Which part of a long page. */
export type PagePart = NonNullable<operations["getDocumentPage"]["parameters"]["query"]>;

/** Asks the plugins of one Lexic server. The key is in no property of it. */
export class Lexic {
  readonly #connection: Connection;
  readonly #options: LexicOptions;
  /** Many questions as one job. */
  readonly batches: Batches;

  /** Throws `ConfigurationError`. Every call rejects with `LexicError`, or with the reason of its signal. */
  constructor(options: LexicOptions = {}) {
    this.#options = { ...options };
    this.#connection = new Connection(options);
    this.batches = new Batches(this.#connection, options.defaultPlugin);
  }

  get baseUrl(): string {
    return this.#connection.baseUrl;
  }

  get defaultPlugin(): string | undefined {
    return this.#options.defaultPlugin;
  }

  /** A client with the same settings that asks this plugin where a call names none. */
  withPlugin(plugin: string): Lexic {
    return new Lexic({ ...this.#options, defaultPlugin: plugin });
  }

  /** Asks, and waits for the whole answer. */
  async ask(query: string, options: AskOptions = {}): Promise<Answer> {
    return this.#ask(makeBody(query, options, this.defaultPlugin), options);
  }

  /** Asks, and gives the answer as it is made. After a connection that broke it continues behind the last event. */
  stream(query: string, options: AskStreamOptions = {}): AnswerStream {
    return new AnswerStream(this.#connection, makeBody(query, options, this.defaultPlugin), options);
  }

  /** Asks the same question again, with the fact that `result` asks for. The next result may ask for another one. */
  async answerClarification(result: Answer, answer: Fact, options: CallOptions = {}): Promise<Answer> {
    return this.#ask(makeFollowup(result, answer), options);
  }

  /** The same as a stream. */
  streamClarification(result: Answer, answer: Fact, options: StreamOptions = {}): AnswerStream {
    return new AnswerStream(this.#connection, makeFollowup(result, answer), options);
  }

  /** Asks two to five plugins that hear each other: what each says, where they agree, where they contradict each other. */
  async collaborate(query: string, experts: readonly string[], options: RoomOptions = {}): Promise<Collaboration> {
    const { body, call } = roomBody(query, experts, options);
    return (await this.#connection.json({ method: "POST", path: "/api/v1/collaborate", body }, call)) as Collaboration;
  }

  /** The same as it is made: round by round, what each plugin says. */
  streamCollaboration(query: string, experts: readonly string[], options: RoomStreamOptions = {}): RoomStream {
    const { body, call } = roomBody(query, experts, options);
    return roomStream(this.#connection, body, call);
  }

  /** Holds a text against what a plugin's documents say. */
  async review(document: string, options: ReviewOptions = {}): Promise<TextReview> {
    const { body, call } = reviewBody(document, options, this.defaultPlugin);
    return (await this.#connection.json({ method: "POST", path: "/api/v1/review", body }, call)) as TextReview;
  }

  /** The same as it is made: annotation by annotation. */
  streamReview(document: string, options: ReviewStreamOptions = {}): ReviewStream {
    const { body, call } = reviewBody(document, options, this.defaultPlugin);
    return reviewStream(this.#connection, body, call);
  }

  /** Whose key this is, and what it may do. */
  async me(options?: CallOptions): Promise<Me> {
    return normalise.me(await this.#connection.json({ method: "GET", path: "/api/v1/me" }, options));
  }

  /** The published plugins of the marketplace. */
  async plugins(query: MarketplaceQuery = {}, options?: CallOptions): Promise<PluginInfo[]> {
    const found: PluginInfo[] = [];
    const pages = listPages(this.#connection, "/api/marketplace", normalise.plugins, options, query);
    for await (const plugin of pages) found.push(plugin);
    return found;
  }

  /** The words of a source with what stands around them: `document`, `law` or `judgment`, and its id. */
  async source(type: SourcePreview["type"], document: string, place: SourcePlace = {}, options?: CallOptions): Promise<SourcePreview> {
    const path = "/api/sources/{source_type}/{document}";
    const call = { method: "GET", path, parameters: { source_type: type, document }, query: { ...place } } as const;
    return (await this.#connection.json(call, options)) as SourcePreview;
  }

  /** The text of one page of a document, for keys that may read it. */
  async page(plugin: string, document: string, number: number, part: PagePart = {}, options?: CallOptions): Promise<DocumentPage> {
    const path = "/api/plugins/{plugin}/documents/{document}/pages/{number}";
    const call = { method: "GET", path, parameters: { plugin, document, number }, query: { ...part } } as const;
    return (await this.#connection.json(call, options)) as DocumentPage;
  }

  /** Says whether an answer was right. What is called wrong waits in the author's inbox. */
  async giveFeedback(queryId: string, feedback: FeedbackRequest, options?: CallOptions): Promise<Feedback> {
    const call = { method: "POST", path: "/api/queries/{query}/feedback", parameters: { query: queryId }, body: feedback } as const;
    return (await this.#connection.json(call, options)) as Feedback;
  }

  async #ask(body: QuestionBody, options: CallOptions): Promise<Answer> {
    return normalise.answer(await this.#connection.json({ method: "POST", path: "/api/v1/query", body }, options), body);
  }
}

function roomBody<Options extends RoomOptions>(query: string, experts: readonly string[], options: Options) {
  const { mode, maxRounds, facts, ...call } = options;
  const given = { ...(mode ? { mode } : {}), ...(maxRounds ? { maxRounds } : {}), ...(facts ? { facts } : {}) };
  return { body: { experts: [...experts], query, ...given }, call };
}

function reviewBody<Options extends ReviewOptions>(document: string, options: Options, defaultPlugin: string | undefined) {
  const { title, plugin, ...call } = options;
  const named = makeBody("", { plugin }, defaultPlugin).plugin;
  return { body: { plugin: named, document, ...(title ? { title } : {}) }, call };
}
