/** A LangChain.js tool and a retriever. Needs `@langchain/core`, which this entry alone imports. */
import { Document } from "@langchain/core/documents";
import { BaseRetriever, type BaseRetrieverInput } from "@langchain/core/retrievers";
import { DynamicStructuredTool } from "@langchain/core/tools";

import { Lexic } from "./client.js";
import type { LexicOptions } from "./connection.js";
import { LexicError } from "./errors.js";
import type { Facts, QueryOptions } from "./question.js";
import type { Answer, Citation } from "./results.js";
import { asModelAnswer, asModelError, DESCRIPTION, INPUT_SCHEMA, TOOL_NAME } from "./wording.js";

export interface LexicAdapterOptions extends LexicOptions {
  plugin: string;
  queryOptions?: QueryOptions | undefined;
  /** A client of yours, instead of a new one with the settings above. */
  client?: Lexic | undefined;
}

export interface LexicToolOptions extends LexicAdapterOptions {
  name?: string | undefined;
  /** Says to the model when to use it. Name the expert's field. */
  description?: string | undefined;
}

type ToolInput = { query: string; facts?: Facts };

/**
 * A plugin as a tool. Its content is JSON text with `answer`, `citations`, `confidence` and `decisionPath` (and
 * `clarification` where it asks back), or what went wrong; its artifact is the whole `Answer`.
 */
export function lexicTool(options: LexicToolOptions): DynamicStructuredTool {
  const { plugin, name, description, queryOptions, client, ...settings } = options;
  const lexic = client ?? new Lexic(settings);
  return new DynamicStructuredTool({
    name: name ?? TOOL_NAME,
    description: description ?? DESCRIPTION,
    schema: structuredClone(INPUT_SCHEMA) as unknown as Record<string, unknown>,
    responseFormat: "content_and_artifact",
    func: async (input: unknown, _manager, config): Promise<[string, Answer | undefined]> => {
      const { query, facts } = input as ToolInput;
      try {
        const answer = await lexic.ask(query, { plugin, facts, options: queryOptions, signal: config?.signal });
        return [JSON.stringify(asModelAnswer(answer)), answer];
      } catch (error) {
        if (error instanceof LexicError) return [JSON.stringify(asModelError(error)), undefined];
        throw error;
      }
    },
  });
}

/**
 * The passages that support the answer to a question, and no others. None where the plugin refuses or asks back.
 * Throws `LexicError`: a chain without sources should not go on as if there were none.
 */
export class LexicRetriever extends BaseRetriever {
  static override lc_name(): string {
    return "LexicRetriever";
  }

  lc_namespace = ["lexic-sdk", "retrievers"];
  readonly plugin: string;
  readonly #lexic: Lexic;
  readonly #options: QueryOptions;

  constructor(options: LexicAdapterOptions & BaseRetrieverInput) {
    const { plugin, queryOptions, client, callbacks, tags, metadata, verbose, ...settings } = options;
    // LangChain keeps what it is given: the key is not among it.
    super(defined({ callbacks, tags, metadata, verbose }));
    this.plugin = plugin;
    this.#lexic = client ?? new Lexic(settings);
    this.#options = { ...queryOptions, includeCitations: true };
  }

  override async _getRelevantDocuments(query: string): Promise<Document[]> {
    return asDocuments(await this.#lexic.ask(query, { plugin: this.plugin, options: this.#options }));
  }
}

/** One document for each citation, its excerpt as the text. */
export function asDocuments(answer: Answer): Document[] {
  return answer.citations.map((citation) => new Document({ pageContent: citation.excerpt, metadata: metadata(citation, answer) }));
}

function defined<T extends object>(fields: { [Name in keyof T]: T[Name] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function metadata({ id, document, excerpt: _excerpt, raw: _raw, ...place }: Citation, answer: Answer): Record<string, unknown> {
  const { confidence, release, queryId } = answer;
  return { source: document, citation: id, ...place, confidence, release, queryId };
}
