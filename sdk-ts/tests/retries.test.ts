import assert from "node:assert/strict";
import { test } from "node:test";

import { ConnectionError, NotFoundError, RateLimitError } from "../src/index.js";
import { readRetryAfter, waitAfter } from "../src/retries.js";

test("waits double, are spread at random, and end", () => {
  const waits = [0, 1, 2, 3, 4, 5, 20].map((attempt) => waitAfter(new ConnectionError(), attempt, 99, () => 1));
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
  assert.equal(waitAfter(new ConnectionError(), 0, 2, () => 0), 250);
  assert.equal(waitAfter(new ConnectionError(), 2, 2), undefined);
  assert.equal(waitAfter(new NotFoundError(undefined, { status: 404 }), 0, 2), undefined);
});

test("what the server says is waited, up to a minute", () => {
  const limited = (retryAfter: number) => new RateLimitError(undefined, { status: 429, retryAfter });
  assert.equal(waitAfter(limited(7), 0, 2), 7000);
  assert.equal(waitAfter(limited(61), 0, 2), undefined);
});

test("Retry-After is a number of seconds or a date", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  assert.equal(readRetryAfter("5"), 5);
  assert.equal(readRetryAfter("Thu, 01 Jan 2026 00:00:30 GMT", now), 30);
  assert.equal(readRetryAfter("Wed, 31 Dec 2025 00:00:00 GMT", now), 0);
  for (const odd of [null, "", "soon", "-3", "NaN", "9".repeat(70)]) assert.equal(readRetryAfter(odd), undefined, String(odd));
});
