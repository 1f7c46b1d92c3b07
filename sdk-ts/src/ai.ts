/** A Lexic plugin as a tool of the AI SDK (`ai` 6 or later), which is not imported. */
import { Lexic } from "./client.js";
import type { LexicOptions } from "./connection.js";
import { LexicError } from "./errors.js";
import type { Facts, QueryOptions } from "./question.js";
import { asModelAnswer, asModelError, DESCRIPTION, INPUT_SCHEMA, type ModelAnswer, type ModelError } from "./wording.js";

export interface ToolInput {
  query: string;
  facts?: Facts;
}

export type ToolOutput = ModelAnswer | ModelError;

export interface LexicToolOptions extends LexicOptions {
  plugin: string;
  /** Says to the model when to use it. Name the expert's field. */
  description?: string | undefined;
  queryOptions?: QueryOptions | undefined;
  /** A client of yours, instead of a new one with the settings above. */
  client?: Lexic | undefined;
}

type Validated = { readonly value: ToolInput; readonly issues?: undefined } | { readonly issues: readonly { readonly message: string }[] };

/** A schema after Standard Schema and Standard JSON Schema, which the AI SDK and others read. */
export interface ToolInputSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "lexic-sdk";
    readonly validate: (value: unknown) => Validated;
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
    readonly types?: { readonly input: ToolInput; readonly output: ToolInput };
  };
}

/** What `generateText({ tools: { expert: lexicTool(…) } })` takes. */
export interface LexicAiTool {
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  readonly execute: (input: ToolInput, options?: { readonly abortSignal?: AbortSignal | undefined }) => Promise<ToolOutput>;
}

/**
 * The model gets the answer with its citations, or the question that is asked back, or what went wrong with its call;
 * only an aborted call throws. Throws `ConfigurationError` at once where there is no key.
 */
export function lexicTool(options: LexicToolOptions): LexicAiTool {
  const { plugin, description, queryOptions, client, ...settings } = options;
  const lexic = client ?? new Lexic(settings);
  return {
    description: description ?? DESCRIPTION,
    inputSchema: { "~standard": { version: 1, vendor: "lexic-sdk", validate: readInput, jsonSchema: { input: copySchema, output: copySchema } } },
    execute: async ({ query, facts }, { abortSignal } = {}) => {
      try {
        return asModelAnswer(await lexic.ask(query, { plugin, facts, options: queryOptions, signal: abortSignal }));
      } catch (error) {
        if (error instanceof LexicError) return asModelError(error);
        throw error;
      }
    },
  };
}

function copySchema(): Record<string, unknown> {
  return structuredClone(INPUT_SCHEMA) as unknown as Record<string, unknown>;
}

function readInput(value: unknown): Validated {
  const { query, facts } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof query !== "string" || !query.trim()) return { issues: [{ message: "The argument `query` is missing." }] };
  const hasFacts = facts !== undefined && facts !== null;
  if (hasFacts && (typeof facts !== "object" || Array.isArray(facts))) {
    return { issues: [{ message: "The argument `facts` is no object." }] };
  }
  return { value: hasFacts ? { query, facts: facts as Facts } : { query } };
}
