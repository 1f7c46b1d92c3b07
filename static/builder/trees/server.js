// What the editor asks the server. An error has `status` and what the server said of it.

import { csrfToken } from "../../csrf_token.js";

export class Refused extends Error {
  constructor(status, said) {
    super(said.error ?? `The server answered ${status}.`);
    Object.assign(this, { status, said, hint: said.hint ?? "" });
  }
}

export async function send(url, { method = "POST", data = null, headers = {}, signal } = {}) {
  const body = data === null ? undefined : JSON.stringify(data);
  const own = { Accept: "application/json", ...(method === "GET" ? {} : { "Content-Type": "application/json", "X-CSRFToken": csrfToken() }) };
  let response;
  try {
    response = await fetch(url, { method, body, signal, headers: { ...own, ...headers } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { error: "The server cannot be reached.", hint: "Your text is still here. Try again in a moment." });
  }
  const said = await answer(response);
  if (!response.ok || response.redirected) throw new Refused(response.status, said);
  return said;
}

async function answer(response) {
  try {
    if (response.redirected) throw new Error("sent to sign in");
    return await response.json();
  } catch {
    const isGone = response.redirected || response.status === 403;
    return isGone
      ? { error: "You are signed out.", hint: "Sign in again in another tab; your text is still here." }
      : { error: `The server answered ${response.status}.`, hint: "Your text is still here." };
  }
}
