/** Checks that a webhook came from Lexic, with WebCrypto: in Node, in browsers and in workers. */
import { WebhookVerificationError } from "./errors.js";

export { WebhookVerificationError } from "./errors.js";

export type WebhookEventType = "document.ready" | "document.failed" | "release.published" | "question.unanswered";

export interface WebhookEvent {
  /** One of `WebhookEventType`, or a kind that later servers send. */
  type: WebhookEventType | (string & {});
  timestamp: string;
  data: Record<string, unknown>;
}

export interface VerifyOptions {
  /** How old, or how far ahead, its time may be, in seconds; five minutes unless said. */
  tolerance?: number;
  /** The time that counts as now, in milliseconds. */
  now?: number;
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const PREFIX = "whsec_";

/**
 * The event, once its signature after Standard Webhooks is checked. `body` exactly as it came: text, or its bytes.
 * `secret` may be several while one is replaced. Rejects with `WebhookVerificationError`.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, "webhook-id");
  const timestamp = readHeader(headers, "webhook-timestamp");
  const signatures = readHeader(headers, "webhook-signature");
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("A header of the webhook is missing.");
  checkTime(timestamp, options);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const secrets = typeof secret === "string" ? [secret] : secret;
  for (const one of secrets) if (await isSigned(signed, signatures, one)) return readEvent(bytes);
  throw new WebhookVerificationError("The signature of the webhook does not match.");
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, secret: string): Promise<boolean> {
  const raw = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!raw?.length) throw new WebhookVerificationError("The secret of the webhook is not valid.", { hint: "It begins with whsec_." });
  const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const part of signatures.split(" ")) {
    const [version, value] = part.split(",", 2);
    const given = version === "v1" && value ? fromBase64(value) : undefined;
    if (given && (await crypto.subtle.verify("HMAC", key, given, signed))) return true;
  }
  return false;
}

function checkTime(timestamp: string, { tolerance = 300, now = Date.now() }: VerifyOptions): void {
  const age = /^\d{1,12}$/.test(timestamp) ? now / 1000 - Number(timestamp) : NaN;
  if (!(Math.abs(age) <= tolerance)) {
    throw new WebhookVerificationError("The time of the webhook is too old, or not yet.", { hint: "Check the clock." });
  }
}

function readHeader(headers: HeaderSource, name: string): string | undefined {
  if (typeof Headers !== "undefined" && headers instanceof Headers) return headers.get(name) ?? undefined;
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

function readEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    if (typeof event.type === "string") return event;
  } catch {
    // it is signed, and still no event
  }
  throw new WebhookVerificationError("The webhook holds no event.");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
