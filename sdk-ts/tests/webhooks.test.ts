import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { verifyWebhook } from "../src/webhooks.js";

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another secret").toString("base64")}`;
const BODY = JSON.stringify({ type: "document.ready", timestamp: "2026-01-01T00:00:00Z", data: { title: "Größe 😀" } });
const AT = 1_767_225_600;
const NOW = { now: AT * 1000 };

function headers(secret = SECRET, at = AT): Record<string, string> {
  const raw = Buffer.from(secret.slice(6), "base64");
  const signature = createHmac("sha256", raw).update(`evt_1.${at}.${BODY}`).digest("base64");
  return { "webhook-id": "evt_1", "webhook-timestamp": String(at), "webhook-signature": `v1,AAAA v1,${signature}` };
}

test("a signed event is read, as text or bytes, with headers of either kind", async () => {
  const event = await verifyWebhook(BODY, headers(), SECRET, NOW);
  assert.deepEqual([event.type, event.data["title"]], ["document.ready", "Größe 😀"]);
  const bytes = new TextEncoder().encode(BODY);
  assert.equal((await verifyWebhook(bytes, new Headers(headers()), SECRET, NOW)).type, "document.ready");
  const upper = Object.fromEntries(Object.entries(headers()).map(([name, value]) => [name.toUpperCase(), [value]]));
  assert.equal((await verifyWebhook(BODY, upper, [OTHER, SECRET], NOW)).type, "document.ready");
});

const WRONG: [string, () => Promise<unknown>][] = [
  ["another body", () => verifyWebhook(BODY.replace("ready", "reads"), headers(), SECRET, NOW)],
  ["another secret", () => verifyWebhook(BODY, headers(OTHER), SECRET, NOW)],
  ["an old time", () => verifyWebhook(BODY, headers(), SECRET, { now: (AT + 301) * 1000 })],
  ["a time to come", () => verifyWebhook(BODY, headers(), SECRET, { now: (AT - 301) * 1000 })],
  ["a time that is none", () => verifyWebhook(BODY, { ...headers(), "webhook-timestamp": "now" }, SECRET, NOW)],
  ["no headers", () => verifyWebhook(BODY, {}, SECRET, NOW)],
  ["a signature that is none", () => verifyWebhook(BODY, { ...headers(), "webhook-signature": "v1,%% v2,AAAA" }, SECRET, NOW)],
  ["no secret", () => verifyWebhook(BODY, headers(), "", NOW)],
];

for (const [name, verify] of WRONG) {
  test(`${name} is refused`, () => assert.rejects(verify(), { name: "WebhookVerificationError" }));
}
