/**
 * JSON as the server sent it → results, whatever it looks like. Nothing here throws: what is missing or of the wrong
 * type gets its default, and each citation and each step is read on its own.
 */
import type * as results from "./results.js";
import type { Raw } from "./results.js";

export const UNKNOWN_VERSION = "unknown";

/** A reader for every field of a type, so that a new field without one does not compile. */
type Readers<T> = { readonly [Name in Exclude<keyof T, "raw">]-?: (value: unknown) => T[Name] };

const CITATION: Readers<Omit<results.Citation, "id">> = {
  document: text,
  excerpt: text,
  page: natural,
  pageLabel: someText,
  section: someText,
  documentId: someText,
  start: wholeNumber,
  end: wholeNumber,
  url: someText,
  score: someNumber,
  path: someText,
  startLine: natural,
  endLine: natural,
  fileHash: someText,
  commit: someText,
  ocr: isTrue,
  plugin: someText,
};

const NEAREST: Readers<results.NearestSource> = {
  document: text,
  page: natural,
  pageLabel: someText,
  section: someText,
  excerpt: someText,
  documentId: someText,
  score: someNumber,
  path: someText,
  startLine: natural,
  endLine: natural,
  fileHash: someText,
  commit: someText,
  ocr: isTrue,
};

const SIBLING: Readers<results.Sibling> = { asked: text, found: text, place: text };

const CLARIFICATION: Readers<results.Clarification> = { question: text, options: texts, field: text, token: text };

const BASIS: Readers<results.ConfidenceBasis> = {
  explanation: text,
  calibrated: isTrue,
  probability: (value) => someNumber(value) ?? null,
};

const USAGE: Readers<results.Usage> = { promptTokens: count, completionTokens: count };

const LEFT: Readers<results.Left> = {
  per: (value) => (value === "day" ? "day" : "minute"),
  limit: count,
  remaining: count,
  resetSeconds: count,
};

const LIMITS: Readers<results.Limits> = { perMinute: count, perDay: count };

const PLUGIN: Readers<Omit<results.PluginInfo, "name" | "slug">> = {
  tagline: text,
  description: text,
  domain: text,
  version: (value) => someText(value) ?? null,
  tags: texts,
};

const ANSWER: Readers<Omit<results.Answer, "outcome" | "request">> = {
  answer: text,
  citations: (value) => readEach(value, citation),
  decisionPath: (value) => readEach(value, decisionStep),
  confidence: (value) => (value === "high" || value === "medium" ? value : "low"),
  pluginVersion: (value) => text(value) || UNKNOWN_VERSION,
  reason: (value) => someText(value) ?? null,
  why: texts,
  about: (value) => (isEmpty(value) ? null : read(asObject(value), SIBLING)),
  nearest: (value) => readEach(value, (fields) => ({ ...read(fields, NEAREST), raw: fields })),
  clarification,
  confidenceBasis: (value) => (isEmpty(value) ? null : read(asObject(value), BASIS)),
  usage: (value) => read(asObject(value), USAGE),
  queryId: (value) => someText(value) ?? null,
  release: (value) => someText(value) ?? null,
  answers: (value) => listOf<results.ExpertAnswer>(value),
  failed: (value) => listOf<results.ExpertFailure>(value),
  conflicts: (value) => listOf<results.Conflict>(value),
  agreementLevel: (value) => someNumber(value) ?? null,
};

/** An answer of any server, of any version. `request` is the body that was asked with. */
export function answer(value: unknown, request: Raw = {}): results.Answer {
  const fields = asObject(value);
  const found = read(fields, ANSWER);
  const asked = found.clarification ? "clarify" : "answered";
  const { outcome } = fields;
  const isKnown = outcome === "answered" || outcome === "refused" || outcome === "clarify";
  return { ...found, outcome: isKnown ? outcome : asked, request, raw: fields };
}

/** Whose key it is, and what it may do. */
export function me(value: unknown): results.Me {
  const fields = asObject(value);
  return {
    owner: displayName(fields["owner"]),
    keyName: displayName(fields["key"]),
    capabilities: texts(fields["capabilities"]),
    plugins: plugins(fields["plugins"]),
    hasMorePlugins: fields["morePlugins"] === true,
    limits: isEmpty(fields["limits"]) ? null : read(asObject(fields["limits"]), LIMITS),
    left: readEach(fields["left"], (one) => read(one, LEFT)),
    raw: fields,
  };
}

/** A list of plugins: bare, or under `results` or `plugins`. Those without a slug cannot be asked. */
export function plugins(value: unknown): results.PluginInfo[] {
  const fields = asObject(value);
  const listed = Array.isArray(value) ? value : (fields["results"] ?? fields["plugins"]);
  const named = Array.isArray(listed) ? listed.map((one) => (typeof one === "string" ? { slug: one } : one)) : [];
  return readEach(named, plugin).filter((found) => found.slug);
}

/** One line of a batch's results. */
export function batchResult(value: unknown): results.BatchResult {
  const fields = asObject(value);
  const id = text(fields["id"]);
  if (!isEmpty(fields["response"])) return { id, response: answer(fields["response"]), error: null };
  const error = asObject(fields["error"]);
  const told = { error: text(error["error"]), code: text(error["code"]) || "error", hint: text(error["hint"]) };
  return { id, response: null, error: told };
}

/** What the server sent of several plugins; an empty list where one was asked. */
function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? (value as T[]) : [];
}

/** An object, or an empty one for what is none. */
export function asObject(value: unknown): Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Raw) : {};
}

/** A text, or an empty one for what is none. */
export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** `position` counts from 1 and stands in for an id that is missing, as marks in the text are numbered. */
function citation(fields: Raw, position: number): results.Citation {
  return { id: text(fields["id"]) || `src_${position}`, ...read(fields, CITATION), raw: fields };
}

function decisionStep(fields: Raw, position: number): results.DecisionStep {
  return {
    step: natural(fields["step"]) ?? position,
    node: text(fields["node"]),
    label: text(fields["label"]),
    value: valueText(fields["value"]),
    result: valueText(fields["result"]),
    raw: fields,
  };
}

/** Null unless there is a question: there would be nothing to answer. */
function clarification(value: unknown): results.Clarification | null {
  const fields = asObject(value);
  return text(fields["question"]) ? { ...read(fields, CLARIFICATION), raw: fields } : null;
}

function plugin(fields: Raw): results.PluginInfo {
  const slug = text(fields["slug"]);
  return { slug, name: text(fields["name"]) || slug, ...read(fields, PLUGIN), raw: fields };
}

// --- Single values -----------------------------------------------------------------------------------------

function read<T extends object>(fields: Raw, readers: { readonly [Name in keyof T]: (value: unknown) => T[Name] }): T {
  const found: Partial<T> = {};
  for (const name in readers) {
    const value = readers[name](fields[name]);
    if (value !== undefined) found[name] = value;
  }
  return found as T;
}

/** What `readOne` makes of each object in a list. Positions count everything, so they match the text's marks. */
function readEach<T>(value: unknown, readOne: (fields: Raw, position: number) => T): T[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index) => (isObject(item) ? [readOne(item, index + 1)] : []));
}

function isObject(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTrue(value: unknown): boolean {
  return value === true;
}

function isEmpty(value: unknown): boolean {
  return Object.keys(asObject(value)).length === 0;
}

function someText(value: unknown): string | undefined {
  return text(value) || undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function someNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function wholeNumber(value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

function natural(value: unknown): number | undefined {
  return wholeNumber(value) || undefined;
}

function count(value: unknown): number {
  return wholeNumber(value) ?? 0;
}

/** A step's value as text. Trees know numbers and yes or no. */
function valueText(value: unknown): string | undefined {
  return typeof value === "boolean" || typeof value === "number" ? String(value) : typeof value === "string" ? value : undefined;
}

/** The name of an owner or a key, which may be a text or an object with a name. */
function displayName(value: unknown): string {
  const fields = asObject(value);
  return text(value) || text(fields["name"]) || text(fields["email"]);
}
