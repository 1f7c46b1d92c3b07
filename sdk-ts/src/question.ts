/** A question as the body of `POST /api/v1/query`. Only what was given is sent. */
import { ConfigurationError, InvalidRequestError } from "./errors.js";
import type { components } from "./openapi.js";
import type { Answer, Fact } from "./results.js";

type Schemas = components["schemas"];

/** One turn that was said before. */
export type Turn = Schemas["TurnRequest"];
export type Facts = Readonly<Record<string, Fact>>;
export type Filters = Readonly<Record<string, unknown>>;
/** How to answer. What is left out is not sent, so the server's default holds. */
export type QueryOptions = Schemas["OptionsRequest"];
/** The body of a question. */
export type QuestionBody = Schemas["QueryRequest"];

export interface Question {
  /** The plugin's slug; `slug@1.2.0` for one release. Else that of the client. */
  plugin?: string | undefined;
  /** In place of `plugin`: each of them answers by itself, and every citation says whose it is. */
  plugins?: readonly string[] | undefined;
  /** What was said before. */
  context?: readonly Turn[] | undefined;
  options?: QueryOptions | undefined;
  /** Values that a decision tree reads. */
  facts?: Facts | undefined;
  /** Which documents are read. */
  filters?: Filters | undefined;
}

/** Throws `ConfigurationError` when no plugin is named, `InvalidRequestError` for facts that have no names. */
export function makeBody(query: string, question: Question, defaultPlugin?: string): QuestionBody {
  const plugins = question.plugins?.length ? [...question.plugins] : undefined;
  const plugin = question.plugin || (plugins ? undefined : defaultPlugin);
  if (!plugin && !plugins) {
    throw new ConfigurationError("No plugin is named.", { hint: "Pass plugin, or defaultPlugin to the client." });
  }
  const { context, facts, filters } = question;
  // Agents write a sentence, or JSON in a text.
  if (facts !== undefined && (typeof facts !== "object" || facts === null || Array.isArray(facts))) {
    throw new InvalidRequestError("The facts are no object.", { hint: "Give each fact by its name." });
  }
  const options = { ...question.options, ...(filters ? { filters: { ...filters } } : {}) };
  return {
    ...(plugin ? { plugin } : {}),
    ...(plugins ? { plugins } : {}),
    query,
    ...(context?.length ? { context: context.map((turn) => ({ ...turn })) } : {}),
    ...(Object.keys(options).length ? { options } : {}),
    ...(facts && Object.keys(facts).length ? { facts: { ...facts } } : {}),
  };
}

/**
 * The body that answers what `result` asks back: the same question to the same release, with the token.
 *
 * Throws `InvalidRequestError` when it asks nothing, or was not asked by a client (`result.request` is empty).
 */
export function makeFollowup(result: Answer, answer: Fact): QuestionBody {
  const token = result.clarification?.token;
  if (!token) throw new InvalidRequestError("This result asks nothing back.", { code: "nothing_to_answer" });
  const request = result.request as Partial<QuestionBody>;
  // Several are told the fact: a token is of one of them.
  if (request.plugins) {
    const field = result.clarification?.field ?? "";
    return { ...request, query: request.query ?? "", facts: { ...request.facts, [field]: answer } };
  }
  // A token belongs to one release; a newer one may have been published since.
  const plugin = result.release ?? request.plugin;
  if (!plugin) {
    throw new InvalidRequestError("This result does not say which plugin was asked.", { code: "nothing_to_answer" });
  }
  return { ...request, plugin, query: request.query ?? "", followup: { token, answer } };
}
