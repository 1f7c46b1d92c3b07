import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import * as lexicSdk from "../src/index.js";
import { Lexic, LexicError, type Answer } from "../src/index.js";
import { ANSWER, dropped, json, scriptedServer } from "./scripted_server.js";

const KEY = "lx_secret_of_the_test";

function client(baseUrl: string, options = {}): Lexic {
  return new Lexic({ apiKey: KEY, baseUrl, defaultPlugin: "cover", ...options });
}

test("a question is sent as it was given, and the answer is read", async (t) => {
  const server = await scriptedServer(t, json(ANSWER));
  const answer = await client(server.url).ask("Which cover?", {
    facts: { exposure: "severe" },
    options: { maxSources: 5 },
    filters: { tagsAny: ["beams"] },
    context: [{ role: "user", content: "Hello" }],
  });
  const [asked] = server.asked;
  assert.deepEqual(JSON.parse(asked!.body), {
    plugin: "cover",
    query: "Which cover?",
    context: [{ role: "user", content: "Hello" }],
    options: { maxSources: 5, filters: { tagsAny: ["beams"] } },
    facts: { exposure: "severe" },
  });
  assert.equal(asked!.headers.authorization, `Bearer ${KEY}`);
  assert.match(String(asked!.headers["user-agent"]), /^lexic-sdk-js\/0\.1\.0 node\//);
  assert.match(String(asked!.headers["idempotency-key"]), /^[0-9a-f-]{36}$/);
  assert.equal(answer.citations[0]?.page, 5);
  assert.equal(answer.decisionPath[0]?.value, "true");
  assert.equal(answer.queryId, "q1");
});

test("what is left out is not sent", async (t) => {
  const server = await scriptedServer(t, json(ANSWER));
  await client(server.url).ask("Which cover?", { facts: {}, options: {}, context: [] });
  assert.deepEqual(JSON.parse(server.asked[0]!.body), { plugin: "cover", query: "Which cover?" });
});

for (const body of [{}, [], null, { citations: "none", confidence: 3, usage: [], clarification: {}, outcome: "odd" }]) {
  test(`every field is there in an answer from ${JSON.stringify(body)}`, async (t) => {
    const server = await scriptedServer(t, json(JSON.stringify(body)));
    const { request, raw, ...answer } = await client(server.url).ask("?");
    assert.deepEqual(answer, {
      answer: "",
      citations: [],
      decisionPath: [],
      confidence: "low",
      confidenceBasis: null,
      pluginVersion: "unknown",
      outcome: "answered",
      reason: null,
      why: [],
      about: null,
      nearest: [],
      answers: [],
      failed: [],
      conflicts: [],
      agreementLevel: null,
      clarification: null,
      queryId: null,
      release: null,
      usage: { promptTokens: 0, completionTokens: 0 },
    });
    assert.deepEqual(request, { plugin: "cover", query: "?" });
    assert.equal(typeof raw, "object");
  });
}

test("a clarification is answered at the release that asked, with its token", async (t) => {
  const clarification = { question: "Exposure?", options: ["mild", "severe"], field: "exposure", token: "t1" };
  const server = await scriptedServer(t, json({ ...ANSWER, outcome: "clarify", clarification }), json(ANSWER));
  const lexic = client(server.url);
  const asked = await lexic.ask("Which cover?", { options: { maxSources: 3 } });
  assert.equal(asked.clarification?.field, "exposure");
  await lexic.answerClarification(asked, "severe");
  assert.deepEqual(JSON.parse(server.asked[1]!.body), {
    plugin: "cover@1.0.0",
    query: "Which cover?",
    options: { maxSources: 3 },
    followup: { token: "t1", answer: "severe" },
  });
  const nothing: Answer = { ...asked, clarification: null };
  await assert.rejects(lexic.answerClarification(nothing, "severe"), { name: "InvalidRequestError", code: "nothing_to_answer" });
});

const STATUSES: [number, string][] = [
  [400, "InvalidRequestError"],
  [401, "AuthenticationError"],
  [403, "NotAllowedError"],
  [404, "NotFoundError"],
  [409, "ConflictError"],
  [422, "InvalidRequestError"],
  [429, "RateLimitError"],
  [500, "ServerError"],
  [503, "ProviderError"],
];

for (const [status, name] of STATUSES) {
  test(`status ${status} is ${name}, with the server's words`, async (t) => {
    const body = { error: `Not with ${KEY}.`, code: "some_code", hint: "Do this." };
    const server = await scriptedServer(t, json(body, status, { "X-Request-Id": "r1", "Retry-After": "7" }));
    const asking = client(server.url, { maxRetries: 0 }).ask("?");
    await assert.rejects(asking, { name, status, code: "some_code", hint: "Do this.", requestId: "r1", retryAfter: 7 });
    await assert.rejects(asking, (error: LexicError) => {
      assert.equal(error.message, "Not with ***.");
      assert.equal(error.describe(), "Not with ***. Do this.");
      return error instanceof LexicError;
    });
  });
}

test("what may pass is tried again under the same idempotency key", async (t) => {
  const busy = json({ error: "Wait.", code: "unavailable", hint: "" }, 503, { "Retry-After": "0" });
  const progress = json({ error: "Wait.", code: "request_in_progress", hint: "" }, 409, { "Retry-After": "0" });
  const server = await scriptedServer(t, busy, progress, dropped, json(ANSWER));
  const answer = await client(server.url, { maxRetries: 3 }).ask("?");
  assert.equal(answer.answer, ANSWER.answer);
  const names = server.asked.map((asked) => asked.headers["idempotency-key"]);
  assert.deepEqual([names.length, new Set(names).size], [4, 1]);
});

test("an attempt that is still being answered is waited for and does not count", async (t) => {
  const progress = json({ error: "Wait.", code: "request_in_progress", hint: "" }, 409, { "Retry-After": "0" });
  const server = await scriptedServer(t, dropped, progress, progress, json(ANSWER));
  assert.equal((await client(server.url, { maxRetries: 1 }).ask("?")).answer, ANSWER.answer);
  const busy = await scriptedServer(t, progress);
  await assert.rejects(client(busy.url, { timeout: 1200 }).ask("?"), { name: "ConflictError", code: "request_in_progress" });
  assert.equal(busy.asked.length, 3);
});

test("what will not pass, and what says to wait long, is not tried again", async (t) => {
  const capped = json({ error: "This plugin has spent 5.", code: "spending_cap", hint: "" }, 429);
  const server = await scriptedServer(t, json({}, 404), json({}, 429, { "Retry-After": "3600" }), capped, json(ANSWER));
  await assert.rejects(client(server.url).ask("?"), { name: "NotFoundError", code: "not_found" });
  await assert.rejects(client(server.url).ask("?"), { name: "RateLimitError", retryAfter: 3600 });
  await assert.rejects(client(server.url).ask("?"), { name: "RateLimitError", code: "spending_cap" });
  assert.equal(server.asked.length, 3);
});

test("a server that is not there, or is silent, is an error of its own", async (t) => {
  await assert.rejects(client("http://127.0.0.1:9", { maxRetries: 0 }).ask("?"), { name: "ConnectionError" });
  const server = await scriptedServer(t, () => undefined);
  await assert.rejects(client(server.url, { timeout: 50 }).ask("?"), { name: "TimeoutError", code: "timeout" });
  assert.equal(server.asked.length, 1);
});

test("a caller's signal ends the call with its own reason", async (t) => {
  const server = await scriptedServer(t, () => undefined);
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error("changed my mind")), 30);
  await assert.rejects(client(server.url).ask("?", { signal: controller.signal }), { message: "changed my mind" });
  await assert.rejects(client(server.url).ask("?", { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a redirect is not followed, so that the key stays where it was meant to go", async (t) => {
  const elsewhere = await scriptedServer(t, json(ANSWER));
  const server = await scriptedServer(t, json({}, 307, { Location: `${elsewhere.url}/api/v1/query` }));
  await assert.rejects(client(server.url).ask("?"), { name: "InvalidResponseError", message: /redirects/ });
  assert.equal(elsewhere.asked.length, 0);
});

test("a page that is no JSON is said to be none", async (t) => {
  const server = await scriptedServer(t, json("<html>"));
  await assert.rejects(client(server.url).ask("?"), { name: "InvalidResponseError", hint: /baseUrl/ });
});

const WRONG: [object, RegExp][] = [
  [{ apiKey: "" }, /no API key/],
  [{ apiKey: "lx with spaces" }, /characters/],
  [{ baseUrl: "nowhere" }, /no URL/],
  [{ baseUrl: "ftp://example.org" }, /https/],
  [{ baseUrl: "http://example.org" }, /in the clear/],
  [{ baseUrl: "https://me:you@example.org" }, /user/],
  [{ timeout: 0 }, /timeout/],
  [{ maxRetries: -1 }, /maxRetries/],
];

for (const [settings, message] of WRONG) {
  test(`settings such as ${JSON.stringify(settings)} are refused before anything is sent`, () => {
    assert.throws(() => new Lexic({ apiKey: KEY, ...settings }), { name: "ConfigurationError", message });
  });
}

test("the key is in no text that is made of a client or an error", async () => {
  const lexic = client("http://127.0.0.1:9", { maxRetries: 0 });
  const error: unknown = await lexic.ask("?").catch((thrown: unknown) => thrown);
  const texts = [lexic, error].flatMap((value) => [inspect(value, { depth: 9 }), JSON.stringify(value), String(value)]);
  assert.deepEqual(texts.filter((text) => text.includes(KEY)), []);
});

test("a question to no plugin, and facts without names, are refused before anything is sent", async () => {
  const lexic = new Lexic({ apiKey: KEY });
  await assert.rejects(lexic.ask("?"), { name: "ConfigurationError", message: "No plugin is named." });
  assert.equal(lexic.withPlugin("cover").defaultPlugin, "cover");
  const facts = "exposure: severe" as unknown as Record<string, string>;
  await assert.rejects(lexic.ask("?", { plugin: "cover", facts }), { name: "InvalidRequestError" });
});

test("lists follow their pages at the address of the client", async (t) => {
  const first = json({ results: [{ slug: "a", name: "A" }], next: "https://elsewhere.example.org/api/marketplace?cursor=c1" });
  const server = await scriptedServer(t, first, json({ results: [{ slug: "b" }, { name: "no slug" }], next: null }));
  const found = await client(server.url).plugins({ q: "beams" });
  assert.deepEqual(found.map((one) => [one.slug, one.name]), [["a", "A"], ["b", "b"]]);
  assert.deepEqual(server.asked.map((asked) => asked.url), ["/api/marketplace?q=beams", "/api/marketplace?cursor=c1"]);
});

test("names and ids cannot leave their place in an address", async (t) => {
  const server = await scriptedServer(t, json({}));
  await client(server.url).page("../me", "a/b?c", 1, { start: 5 });
  assert.equal(server.asked[0]!.url, "/api/plugins/..%2Fme/documents/a%2Fb%3Fc/pages/1?start=5");
});

test("every error is exported", () => {
  const names = Object.keys(lexicSdk).filter((name) => name.endsWith("Error") || name === "StreamInterrupted");
  assert.equal(names.length, 14);
});

test("one question goes to several plugins, and a missing fact is told to all of them", async (t) => {
  const asked = { ...ANSWER, clarification: { question: "Which?", options: [], field: "exposure", token: "t" } };
  const server = await scriptedServer(t, json({ ...asked, answers: [{ ...ANSWER, plugin: "cover" }] }));
  const lexic = client(server.url);
  const result = await lexic.ask("Which cover?", { plugins: ["cover", "harbour"] });
  await lexic.answerClarification(result, "severe");
  assert.deepEqual(
    server.asked.map((one) => JSON.parse(one.body)),
    [
      { plugins: ["cover", "harbour"], query: "Which cover?" },
      { plugins: ["cover", "harbour"], query: "Which cover?", facts: { exposure: "severe" } },
    ],
  );
  assert.equal(result.answers[0]?.plugin, "cover");
});

test("a room is held and a text is reviewed", async (t) => {
  const server = await scriptedServer(t, json({ consensus: { answer: "Both say so." }, rounds: [] }));
  const lexic = client(server.url);
  const room = await lexic.collaborate("Which cover?", ["cover", "harbour"], { mode: "review", maxRounds: 2 });
  await lexic.review("The cover is 30 mm.", { title: "spec" });
  assert.equal(room.consensus.answer, "Both say so.");
  assert.deepEqual(
    server.asked.map((one) => [one.url, JSON.parse(one.body)]),
    [
      ["/api/v1/collaborate", { experts: ["cover", "harbour"], query: "Which cover?", mode: "review", maxRounds: 2 }],
      ["/api/v1/review", { plugin: "cover", document: "The cover is 30 mm.", title: "spec" }],
    ],
  );
});
