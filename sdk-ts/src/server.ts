/** Where to ask and with which key. What is wrong with either is said before anything is sent. */
import { ConfigurationError } from "./errors.js";

// Where `make run` serves. A key is never sent to an address that nobody named.
export const DEFAULT_BASE_URL = "http://127.0.0.1:8000";

/** A variable of the process; undefined in a browser. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}

/** The version of Node that this runs in; undefined elsewhere. */
export function nodeVersion(): string | undefined {
  const { process } = globalThis as { process?: { versions?: Record<string, string | undefined> } };
  return process?.versions?.["node"];
}

/** Throws `ConfigurationError` for what cannot be sent in a header, without repeating it. */
export function readKey(given: string | undefined): string {
  const key = (given ?? environment("LEXIC_API_KEY") ?? "").trim();
  if (!key) throw new ConfigurationError("There is no API key.", { hint: "Pass apiKey, or set LEXIC_API_KEY." });
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigurationError("The API key holds characters that no key has.", { hint: "Copy it once more." });
  }
  return key;
}

/**
 * The address without a slash at its end. Throws `ConfigurationError`.
 *
 * Plain http would show the key to everybody on the way, so it is only taken for this machine, or with `allowHttp`.
 */
export function readBaseUrl(given: string | undefined, allowHttp: boolean): string {
  const text = (given || environment("LEXIC_BASE_URL") || DEFAULT_BASE_URL).trim();
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ConfigurationError("The base URL is no URL.");
  }
  if (!["http:", "https:"].includes(url.protocol) || !url.hostname) {
    throw new ConfigurationError("The base URL has to begin with https:// and a host.");
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ConfigurationError("The base URL holds a user, a query or a fragment.");
  }
  if (url.protocol === "http:" && !allowHttp && !isThisMachine(url.hostname)) {
    throw new ConfigurationError("The base URL is plain http: the key would be sent in the clear.", {
      hint: "Use https, or pass allowHttp: true where the network is yours.",
    });
  }
  return url.href.replace(/\/+$/, "");
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
