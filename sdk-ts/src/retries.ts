/** When to ask again, and after how long. */
import type { LexicError } from "./errors.js";

export const FIRST_WAIT = 500;
const MAX_BACKOFF = 8_000;
const MAX_WAIT = 60_000;

/**
 * Milliseconds until the next attempt, undefined when there is to be none. `attempt` counts from 0.
 *
 * The waits double from half a second to eight, each somewhere between half of that and all of it, so that agents
 * which failed together do not come back together. Where the server says how long, that is waited instead; when it
 * says more than a minute, there is no other attempt, because asking earlier than told would fail again.
 */
export function waitAfter(error: LexicError, attempt: number, maxRetries: number, random = Math.random): number | undefined {
  if (attempt >= maxRetries || !error.isRetryable) return undefined;
  if (error.retryAfter !== undefined) {
    const wait = error.retryAfter * 1000;
    return wait > MAX_WAIT ? undefined : wait;
  }
  const backoff = Math.min(FIRST_WAIT * 2 ** Math.min(attempt, 10), MAX_BACKOFF);
  return backoff * (0.5 + 0.5 * random());
}

/** The header `Retry-After` in seconds, be it a number or a date. Undefined for anything else. */
export function readRetryAfter(value: string | null, now = Date.now()): number | undefined {
  const text = (value ?? "").trim();
  if (!text || text.length > 64) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const when = /[a-z]/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(when) ? undefined : Math.max(0, (when - now) / 1000);
}

/** Waits, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
