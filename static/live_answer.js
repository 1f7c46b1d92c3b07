// A question that is being answered: its events as they come, and what is shown of them until the whole answer is there.
import { csrfToken } from "./csrf_token.js";

const MARK = /\[Source (\d{1,6})\]/;
// A full stop behind chips comes before them, as it does in the answer that stays.
const STOP_BEHIND = / {0,2}((?:\[Source \d{1,6}\] ?){1,8})([.,;:!?]{1,3})(?=\s|$)/g;

// Whoever sees nothing for so long is told that something happens.
const QUIET_MS = 300;
// A run whose connection broke is asked for again, so often and so many times: it goes on by itself.
const AGAIN_MS = 2000;
const MAX_TRIES = 300;

const say = (words) => globalThis.say?.(words) ?? words;
const seconds = (number) =>
  number.toLocaleString(document.documentElement.lang || "en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const duration = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${seconds(ms / 1000)} s`);

// The events of a stream: `name` from a line of its own, or from the data where it says its type there.
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    buffer += value;
    const blocks = buffer.split("\n\n");
    buffer = blocks.pop();
    for (const block of blocks) {
      const event = eventIn(block);
      if (event) yield event;
    }
  }
}

// A block is a comment where it has no data.
function eventIn(block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const [, name, value] = line.match(/^(id|event|data): ?(.*)$/) ?? [];
    if (name) fields[name] = value;
  }
  if (fields.data === undefined) return null;
  const data = JSON.parse(fields.data);
  return { id: fields.id, name: fields.event ?? data.type, data };
}

export function iconsFrom(sheet) {
  return (name, spins) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", spins ? "i spin" : "i");
    svg.setAttribute("viewBox", "0 0 20 20");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${sheet}#${name}`);
    svg.append(use);
    return svg;
  };
}

export function noteWith(icon) {
  return (words, meaning = "no") => {
    const paragraph = document.createElement("p");
    paragraph.className = `note ${meaning}`;
    paragraph.setAttribute("role", "alert");
    const said = document.createElement("span");
    said.textContent = words;
    paragraph.append(icon("alert"), said);
    return paragraph;
  };
}

// `announce` speaks finished sentences; `prepare` gets the server's own turn once it is in the page.
export class LiveTurn {
  constructor(question, place, { icon, announce, prepare = () => {} }) {
    Object.assign(this, { icon, announce, prepare });
    this.element = document.getElementById("live-turn").content.firstElementChild.cloneNode(true);
    this.element.querySelector(".said").textContent = question;
    this.steps = this.element.querySelector(".steps");
    this.reading = this.element.querySelector(".reading");
    this.held = this.element.querySelector(".held-line");
    place.append(this.element);
    this.seen = 0;
    this.interruption = null;
    this.began = performance.now();
    this.awaited = setTimeout(() => this.step({ message: say("Reading your message") }), QUIET_MS);
  }

  // A run may be followed again from its first event on: what is here already is left out.
  take(event) {
    const number = Number(event.id ?? Infinity);
    if (number <= this.seen) return;
    if (event.id) this.seen = number;
    if (event.name === "run") this.run = event.data.runId;
    if (this.interruption && number > this.goesOnBehind) this.endInterruption();
    if (event.name !== "run") this.endWait();
    const takers = { status: this.step, delta: this.write, error: this.fail, done: this.finish, turn: this.replace };
    // Those of an agent's run.
    Object.assign(takers, { step_start: this.step, step_end: this.endStep, content: this.write });
    takers[event.name]?.call(this, event.data);
  }

  // What stands there until the first event is no step of the answer.
  endWait() {
    if (!this.awaited) return;
    clearTimeout(this.awaited);
    this.awaited = null;
    this.steps.replaceChildren();
  }

  // The run's process is gone. Another one takes it up, and writes events behind this one.
  interrupt(last = this.seen) {
    this.goesOnBehind = last;
    if (this.interruption) return;
    this.interruption = noteWith(this.icon)(say("This was interrupted. It continues in a moment."), "warn");
    this.element.append(this.interruption);
    this.announce(this.interruption.textContent);
  }

  endInterruption() {
    this.interruption?.remove();
    this.interruption = null;
  }

  step(event) {
    // A run that was taken up again makes the same step once more.
    const last = this.steps.lastElementChild;
    if (last?.matches(".now") && last.textContent === event.message) return;
    // What was found belongs to the search that found it.
    if (event.status === "kb_results" && this.steps.lastElementChild)
      return this.steps.lastElementChild.append(`: ${event.message}`);
    this.endStep();
    this.began = performance.now();
    const item = document.createElement("li");
    item.className = "now";
    item.append(this.icon("wait", true), event.message);
    this.steps.append(item);
    if (event.status === "generating") this.held.hidden = false;
  }

  // A run says itself how long a step took, and what went wrong; of others it is measured here.
  endStep(event = {}) {
    const item = this.steps.lastElementChild;
    if (!item?.classList.contains("now")) return;
    item.classList.remove("now");
    item.firstElementChild.replaceWith(this.icon(event.error ? "alert" : "check"));
    if (event.error) item.append(`: ${event.error.error}`);
    const took = document.createElement("span");
    took.className = "num";
    took.textContent = duration(event.ms ?? performance.now() - this.began);
    item.append(took);
  }

  write(event) {
    const span = document.createElement("span");
    span.className = "fresh";
    event.text.replace(STOP_BEHIND, "$2 $1").split(MARK).forEach((part, at, parts) => {
      if (at % 2 === 0) return span.append(at < parts.length - 1 ? part.replace(/ +$/, "") : part);
      const chip = document.createElement("span");
      chip.className = "cite";
      chip.textContent = part;
      span.append(chip);
    });
    this.reading.append(span);
    this.announce(event.text.replace(/ ?\[Source \d{1,6}\]/g, ""));
  }

  fail(event, meaning = "no") {
    this.finish();
    const words = event.error ?? event.message;
    this.element.append(noteWith(this.icon)(`${words} ${event.hint || ""}`.trim(), meaning));
    this.announce(words);
  }

  finish() {
    this.endWait();
    this.endInterruption();
    this.endStep();
    this.held.hidden = true;
    this.element.setAttribute("aria-busy", "false");
  }

  replace(event) {
    if (!event.html) return;
    const holder = document.createElement("template");
    holder.innerHTML = event.html; // rendered by our own template, which escapes what others wrote
    const finished = holder.content.firstElementChild;
    this.element.replaceWith(finished);
    this.element = finished;
    this.prepare(finished);
    const refusal = finished.querySelector(".refusal .reading, .back legend");
    if (refusal) this.announce(refusal.textContent);
  }
}

// Asks, and shows in the turn what comes of it. Resolves to "asked", to "unreachable", or to "refused" when it was not
// asked: then `refuse` gets the words and the status, and the turn is gone. `accept` gets the response as it begins,
// `whole` the event that ends it. `addressOf` gives the address of a run that goes on by itself, where that is one.
export async function converse(turn, { action, fields, signal, refuse, accept, whole = () => {}, addressOf }) {
  const goesOn = () => addressOf && turn.run;
  try {
    if (fields.has("csrfmiddlewaretoken")) fields.set("csrfmiddlewaretoken", csrfToken());
    const response = await fetch(action, {
      method: "POST",
      body: fields,
      headers: { Accept: "text/event-stream" },
      signal,
    });
    if (!(response.headers.get("content-type") || "").startsWith("text/event-stream")) {
      turn.element.remove();
      refuse(await wordsOf(response), response.status);
      return "refused";
    }
    accept(response);
    if (await showEvents(turn, response, whole)) return "asked";
    if (!goesOn()) turn.fail({ error: say("The answer stopped early."), hint: say("What you see is verified; the rest was not sent.") });
  } catch (error) {
    // What somebody stops has not gone wrong.
    if (error.name !== "AbortError" && !goesOn()) {
      turn.fail({ error: say("The server cannot be reached."), hint: say("Your question is kept in the box; ask again in a moment.") });
      return "unreachable";
    }
    if (error.name === "AbortError")
      turn.fail({ error: say("Stopped."), hint: say("What you see is verified; the rest was not written.") }, "quiet");
  }
  if (goesOn()) {
    turn.interrupt();
    await follow(turn, { address: addressOf(turn.run), whole });
  }
  return "asked";
}

// Shows what comes until the whole turn is there; what is asked next need not wait for the connection's end. Resolves to
// whether it came.
async function showEvents(turn, response, whole) {
  for await (const event of eventsOf(response)) {
    turn.take(event);
    if (event.name !== "turn") continue;
    whole(event.data);
    return true;
  }
  return false;
}

// Shows a run that somebody has begun already, on this page or another, however often the connection breaks.
export async function follow(turn, { address, whole = () => {} }) {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    try {
      const response = await fetch(address, { headers: { Accept: "text/event-stream" } });
      if (response.status >= 400 && response.status < 500) break;
      if (response.ok && (await showEvents(turn, response, whole))) return;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // only a lost connection is one
    }
    turn.interrupt();
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
  turn.fail({ error: say("The answer cannot be shown here any more."), hint: say("Open the page again.") });
}

async function wordsOf(response) {
  try {
    const answer = await response.json();
    return `${answer.error} ${answer.hint || ""}`.trim();
  } catch {
    // a page, not our JSON
    return say("This cannot be asked just now; you may no longer be signed in. Open the page again.");
  }
}

// What cannot be answered yet stays open, and the person is told so.
export function leaveOpen(button, textarea) {
  const fieldset = button.closest("fieldset");
  fieldset.disabled = true;
  const words = document.createElement("p");
  words.className = "small quiet";
  words.textContent = say("It stays open. Ask something else, or ask this again once you know.");
  fieldset.after(words);
  textarea.focus();
}
