import assert from "node:assert/strict";
import { test } from "node:test";

import { Lexic, type LexicEvent, type StreamInterrupted } from "../src/index.js";
import { EventDecoder } from "../src/sse.js";
import { ANSWER, dropped, events, json, scriptedServer } from "./scripted_server.js";

const STATUS = { type: "status", status: "planning", message: "Planning" };
const FIRST = { type: "delta", text: "The cover " };
const SECOND = { type: "delta", text: "is 45 mm. [Source 1]" };
const DONE = { type: "done", ...ANSWER };

function client(baseUrl: string, options = {}): Lexic {
  return new Lexic({ apiKey: "lx_key", baseUrl, defaultPlugin: "cover", ...options });
}

async function collect(stream: AsyncIterable<LexicEvent>): Promise<LexicEvent[]> {
  const found: LexicEvent[] = [];
  for await (const event of stream) found.push(event);
  return found;
}

test("events come typed and in order, and the last one has the answer", async (t) => {
  const server = await scriptedServer(t, events([["q:1", STATUS], ["q:2", FIRST], ["q:3", SECOND], ["q:4", { type: "later" }], ["q:5", DONE]]));
  const stream = client(server.url).stream("Which cover?");
  const found = await collect(stream);
  assert.deepEqual(found.map((event) => event.type), ["status", "delta", "delta", "done"]);
  const text = found.map((event) => (event.type === "delta" ? event.text : "")).join("");
  const last = found.at(-1);
  assert.equal(text, last?.type === "done" ? last.answer.answer : "");
  assert.equal(stream.lastEventId, "q:5");
  assert.equal(server.asked[0]!.headers.accept, "text/event-stream");
  assert.deepEqual(JSON.parse(server.asked[0]!.body), { plugin: "cover", query: "Which cover?", stream: true });
});

test("after a connection that broke it continues behind the last event", async (t) => {
  const server = await scriptedServer(
    t,
    dropped,
    events([["q:1", STATUS], ["q:2", FIRST]], { breaks: true }),
    events([["q:3", SECOND]], { breaks: true }),
    events([["q:4", DONE]]),
  );
  const answer = await client(server.url).stream("Which cover?").finalAnswer();
  assert.equal(answer.answer, ANSWER.answer);
  const continued = server.asked.map((asked) => asked.headers["last-event-id"]);
  assert.deepEqual(continued, [undefined, undefined, "q:2", "q:3"]);
  assert.equal(new Set(server.asked.map((asked) => asked.body)).size, 1);
});

test("what cannot be continued is an error with what had arrived", async (t) => {
  const broken = events([["q:1", FIRST]], { breaks: true });
  const gone = json({ error: "Gone.", code: "unknown_stream_event", hint: "" }, 404);
  const server = await scriptedServer(t, broken, gone);
  await assert.rejects(client(server.url).stream("?").finalAnswer(), (error: StreamInterrupted) => {
    assert.equal(error.name, "StreamInterrupted");
    assert.equal(error.text, FIRST.text);
    assert.equal((error.cause as { code: string }).code, "unknown_stream_event");
    return true;
  });
});

test("a stream without ids is never asked for again once something was seen", async (t) => {
  const server = await scriptedServer(t, events([["", FIRST]], { breaks: true }), events([["", DONE]]));
  await assert.rejects(client(server.url).stream("?").finalAnswer(), { name: "StreamInterrupted" });
  assert.equal(server.asked.length, 1);
});

test("another process continues with the id that was kept", async (t) => {
  const server = await scriptedServer(t, events([["q:4", DONE]]));
  const stream = client(server.url).stream("?", { lastEventId: "q:3" });
  assert.equal((await stream.finalAnswer()).queryId, "q1");
  assert.equal(server.asked[0]!.headers["last-event-id"], "q:3");
});

test("an error event is the last event, and thrown by finalAnswer", async (t) => {
  const failed = { type: "error", error: "The model is away.", code: "provider_failed", hint: "Ask later." };
  const server = await scriptedServer(t, events([["q:1", FIRST], ["q:2", failed], ["q:3", DONE]]));
  assert.deepEqual((await collect(client(server.url).stream("?"))).map((event) => event.type), ["delta", "error"]);
  const seen: string[] = [];
  const asking = client(server.url).stream("?").finalAnswer((event) => seen.push(event.type));
  await assert.rejects(asking, { name: "ProviderError", code: "provider_failed", hint: "Ask later." });
  assert.deepEqual(seen, ["delta", "error"]);
});

test("an error before the stream is thrown as of any question", async (t) => {
  const server = await scriptedServer(t, json({ error: "No.", code: "unknown_plugin", hint: "" }, 404));
  await assert.rejects(collect(client(server.url).stream("?")), { name: "NotFoundError", code: "unknown_plugin" });
});

test("a server that does not stream gives one event", async (t) => {
  const server = await scriptedServer(t, json(ANSWER));
  const found = await collect(client(server.url).stream("?"));
  assert.deepEqual(found.map((event) => event.type), ["done"]);
});

test("leaving the loop closes the connection", async (t) => {
  let isClosed: (value: boolean) => void = () => undefined;
  const closed = new Promise<boolean>((resolve) => (isClosed = resolve));
  const server = await scriptedServer(t, (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(`id: q:1\ndata: ${JSON.stringify(FIRST)}\n\n`);
    response.on("close", () => isClosed(true));
  });
  for await (const event of client(server.url).stream("?")) if (event.type === "delta") break;
  assert.equal(await closed, true);
});

test("a silent stream is given up, and a caller's signal ends it", async (t) => {
  const server = await scriptedServer(t, events([["q:1", FIRST]], { breaks: false }), () => undefined);
  const stream = client(server.url, { timeout: 100, maxRetries: 1 }).stream("?");
  await assert.rejects(collect(stream), { name: "StreamInterrupted", text: FIRST.text });
  const controller = new AbortController();
  const aborted = collect(client(server.url).stream("?", { signal: controller.signal }));
  setTimeout(() => controller.abort(new Error("left")), 30);
  await assert.rejects(aborted, { message: "left" });
});

test("events are the same however the network cuts them up", () => {
  const text = '\ufeffid: 1\r\ndata: {"a":\r\ndata: "ä€😀"}\r\n\r\n: ping\n\nid: 2\ndata:x\r\rid\ndata: last';
  const bytes = new TextEncoder().encode(text);
  const expected = [{ id: "1", data: '{"a":\n"ä€😀"}' }, { id: "2", data: "x" }, { id: "", data: "last" }];
  for (const size of [1, 2, 3, 5, 7, bytes.length]) {
    const decoder = new EventDecoder();
    const found = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...decoder.feed(bytes.subarray(at, at + size)));
    assert.deepEqual([...found, ...decoder.finish()], expected, `pieces of ${size}`);
  }
});

test("an event without end is refused", () => {
  const decoder = new EventDecoder();
  const piece = new TextEncoder().encode("x".repeat(4 * 1024 * 1024));
  assert.throws(() => Array.from({ length: 5 }, () => decoder.feed(piece)), { name: "InvalidResponseError" });
});

const SPEAKER = { expert: "cover", expertName: "Cover", domain: "Beams" };
const ROUND = [
  { type: "experts_resolved", experts: [{ slug: "cover", name: "Cover", domain: "Beams", sourceCount: 2, hasDecisionTree: true }] },
  { type: "round_start", round: 1, totalRounds: 3 },
  { type: "expert_response", round: 1, ...SPEAKER, answer: "45 mm", citations: [], revised: false },
];
const ROOM = { rounds: [], consensus: { answer: "45 mm", conflicts: [] }, latencyMs: 7 };

test("a room is followed plugin by plugin, and continues behind the last event", async (t) => {
  const first = ROUND.map((event, index): [string, object] => [`q:${index + 1}`, event]);
  const server = await scriptedServer(t, events(first, { breaks: true }), events([["q:4", { type: "later" }], ["q:5", { type: "done", ...ROOM }]]));
  const stream = client(server.url).streamCollaboration("Which cover?", ["cover", "harbour"], { maxRounds: 3 });
  const said: string[] = [];
  const result = await stream.finalResult((event) => {
    if (event.type === "experts_resolved") said.push(...event.experts.map((one) => one.slug));
    else if (event.type === "round_start") said.push(`round ${event.round} of ${event.totalRounds}`);
    else if (event.type === "expert_response") said.push(`${event.expertName}: ${event.answer}`);
    else said.push(event.type);
  });
  assert.deepEqual(said, ["cover", "round 1 of 3", "Cover: 45 mm", "done"]);
  assert.deepEqual(result, ROOM);
  assert.equal(server.asked[1]!.headers["last-event-id"], "q:3");
  assert.deepEqual(JSON.parse(server.asked[0]!.body), { experts: ["cover", "harbour"], query: "Which cover?", maxRounds: 3, stream: true });
});

test("a review comes annotation by annotation, or whole from a server that does not stream", async (t) => {
  const annotation = { id: "ann_0", severity: "error", issue: "Other figures" };
  const review = { documentTitle: "spec", annotations: [annotation] };
  const streamed = events([["q:1", { type: "annotation", annotation }], ["q:2", { type: "done", ...review }]]);
  const server = await scriptedServer(t, streamed, json(review));
  const found = [];
  for await (const event of client(server.url).streamReview("The cover is 30 mm.", { title: "spec" })) found.push(event);
  const [first, last] = found;
  assert.equal(first?.type === "annotation" && first.annotation.severity, "error");
  assert.deepEqual(last?.type === "done" && last.result, review);
  assert.deepEqual(await client(server.url).streamReview("The cover is 30 mm.", { title: "spec" }).finalResult(), review);
});
