import assert from "node:assert/strict";
import { test } from "node:test";

import { Lexic, type BatchResult } from "../src/index.js";
import { ANSWER, json, scriptedServer } from "./scripted_server.js";

const BATCH = { id: "b1", state: "running", total: 2, answered: 1, failed: 0, waiting: 1, createdAt: "", endedAt: null, waitsUntil: null };

test("a batch is sent as lines, waited for, and read line by line", async (t) => {
  const lines = [
    { id: "one", response: ANSWER, error: null },
    { id: "two", response: null, error: { error: "No.", code: "unknown_plugin", hint: "" } },
  ];
  const server = await scriptedServer(
    t,
    json(BATCH, 202),
    json(BATCH),
    json({ ...BATCH, state: "done" }),
    json(lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
  );
  const lexic = new Lexic({ apiKey: "lx_key", baseUrl: server.url, defaultPlugin: "cover" });
  const made = await lexic.batches.create([{ id: "one", query: "?" }, { id: "two", query: "!", plugin: "other" }]);
  const states: string[] = [];
  await lexic.batches.wait(made.id, { interval: 1, onProgress: (batch) => states.push(batch.state) });
  const found: BatchResult[] = [];
  for await (const result of lexic.batches.results(made.id)) found.push(result);
  assert.equal(server.asked[0]!.headers["content-type"], "application/x-ndjson");
  assert.deepEqual(server.asked[0]!.body.trim().split("\n").map((line) => JSON.parse(line) as unknown), [
    { id: "one", plugin: "cover", query: "?" },
    { id: "two", plugin: "other", query: "!" },
  ]);
  assert.deepEqual(states, ["running", "done"]);
  assert.deepEqual(found.map((one) => [one.id, one.response?.answer ?? one.error?.code]), [["one", ANSWER.answer], ["two", "unknown_plugin"]]);
});

test("a batch that is deleted has no body", async (t) => {
  const server = await scriptedServer(t, (response) => response.writeHead(204).end());
  await new Lexic({ apiKey: "lx_key", baseUrl: server.url }).batches.delete("b1");
  assert.deepEqual([server.asked[0]!.method, server.asked[0]!.url], ["DELETE", "/api/v1/batch/b1"]);
});
