/** An answer as agents read it: only what a model can use. */
import type { LexicError } from "./errors.js";
import type { Answer, Citation, DecisionStep } from "./results.js";

export const DESCRIPTION =
  "Consult an expert whose answers cite the page that supports them. Give one whole question with everything that is " +
  "known. When the result has a clarification, call again with the same question and the missing fact in `facts`.";
export const TOOL_NAME = "lexic_expert";

/** What a model has to fill in. */
export const INPUT_SCHEMA = {
  type: "object",
  properties: {
    query: {
      type: "string",
      minLength: 1,
      maxLength: 4000,
      description: "The question, in full sentences, with everything that is known about the case.",
    },
    facts: {
      type: "object",
      additionalProperties: { type: ["string", "number", "boolean"] },
      description: "Facts that a clarification asked for: its `field` as the name, the answer as the value.",
    },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

type Shown<T, Names extends keyof T> = { [Name in Names]?: T[Name] };

/** What a model is shown of an answer. */
export interface ModelAnswer {
  answer: string;
  citations: Shown<Citation, "id" | "document" | "page" | "section" | "excerpt" | "url">[];
  confidence: Answer["confidence"];
  decisionPath: Shown<DecisionStep, "step" | "node" | "label" | "value" | "result">[];
  outcome: Answer["outcome"];
  clarification?: { question: string; options: string[]; field: string };
}

/** What a model is told of an error: it may correct its call. */
export interface ModelError {
  error: string;
  code: string;
  hint: string;
}

export function asModelAnswer(answer: Answer): ModelAnswer {
  const { clarification: asked } = answer;
  return {
    answer: answer.answer,
    citations: answer.citations.map((one) => pick(one, ["id", "document", "page", "section", "excerpt", "url"])),
    confidence: answer.confidence,
    decisionPath: answer.decisionPath.map((one) => pick(one, ["step", "node", "label", "value", "result"])),
    outcome: answer.outcome,
    ...(asked ? { clarification: { question: asked.question, options: asked.options, field: asked.field } } : {}),
  };
}

export function asModelError(error: LexicError): ModelError {
  return { error: error.message, code: error.code, hint: error.hint };
}

function pick<T extends object, Name extends keyof T>(value: T, names: readonly Name[]): Shown<T, Name> {
  const found: Shown<T, Name> = {};
  for (const name of names) if (value[name] !== undefined) found[name] = value[name];
  return found;
}
