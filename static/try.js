// The box on a plugin's page: the same form, answered sentence by sentence. Without this script the server answers with
// the whole page.
// What it needs to show an answer is fetched when somebody is about to ask.
const answering = () => import("./answering.js");

const box = document.getElementById("try-form");
const place = document.getElementById("try-answer");
const problem = document.getElementById("try-error");
const left = document.getElementById("try-left");
const said = document.getElementById("try-said");
const textarea = box.querySelector("textarea");
const stop = box.querySelector("[data-stop]");
let running = null;

const announce = (words) => (said.textContent = words);
const prepare = (element) => element.querySelectorAll("[data-unknown]").forEach((button) => (button.hidden = false));

document.getElementById("try").addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-asks]") || !window.ReadableStream) return;
  event.preventDefault();
  if (running) return;
  const fields = new FormData(form, event.submitter);
  const chosen = event.submitter?.name === "question" ? event.submitter.value : "";
  if (chosen) {
    fields.set("question", chosen);
    textarea.value = chosen;
  }
  const question = fields.get("question")?.trim() || (fields.has("token") && spoken(form)) || "";
  if (!question) return textarea.focus();
  const fieldset = form.querySelector("fieldset");
  if (fieldset) fieldset.disabled = true;
  await ask(fields, question);
  if (fieldset) fieldset.disabled = false;
});

const spoken = (form) => form.closest(".turn").querySelector(".said").textContent;

async function ask(fields, question) {
  running = new AbortController();
  busy();
  problem.replaceChildren();
  const before = [...place.children];
  const { eventsOf, iconsFrom, LiveTurn, noteWith } = await answering();
  const icon = iconsFrom(place.dataset.icons);
  const turn = new LiveTurn(question, place, { icon, announce, prepare });
  before.forEach((element) => (element.hidden = true));
  let isRefused = false;
  try {
    const response = await fetch(box.action, {
      method: "POST",
      body: fields,
      headers: { Accept: "text/event-stream" },
      signal: running.signal,
    });
    isRefused = !(response.headers.get("content-type") || "").startsWith("text/event-stream");
    if (isRefused) await refuse(response, noteWith(icon));
    else await show(eventsOf(response), turn);
  } catch (error) {
    turn.fail(
      error.name === "AbortError"
        ? { error: "Stopped.", hint: "What you see is verified; the rest was not written." }
        : { error: "The server cannot be reached.", hint: "Your question is kept in the box; ask again in a moment." },
    );
  }
  if (isRefused) {
    turn.element.remove();
    before.forEach((element) => (element.hidden = false));
  } else {
    before.forEach((element) => element.remove());
  }
  running = null;
  busy();
}

async function show(events, turn) {
  let isWhole = false;
  for await (const event of events) {
    turn.take(event);
    isWhole = event.type === "turn";
    if (isWhole) left.textContent = event.left;
    if (isWhole) return;
  }
  if (!isWhole) turn.fail({ error: "The answer stopped early.", hint: "What you see is verified; the rest was not sent." });
}

async function refuse(response, note) {
  let answer = { error: "This cannot be asked just now.", hint: "Open the page anew; your question is kept in the box." };
  try {
    answer = await response.json();
  } catch {
    // a page, not our JSON: the words above say what it can mean
  }
  problem.replaceChildren(note(`${answer.error} ${answer.hint || ""}`.trim(), response.status === 429 ? "warn" : "no"));
}

function busy() {
  stop.hidden = !running;
  box.querySelector("[type=submit]").hidden = Boolean(running);
}

textarea.addEventListener("focus", answering, { once: true });
stop.addEventListener("click", () => running?.abort());
textarea.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  box.requestSubmit();
});
place.addEventListener("click", (event) => {
  const unknown = event.target.closest("[data-unknown]");
  if (!unknown) return;
  const fieldset = unknown.closest("fieldset");
  fieldset.disabled = true;
  const words = document.createElement("p");
  words.className = "small quiet";
  words.textContent = "It stays open. Ask something else, or ask this again once you know.";
  fieldset.after(words);
  textarea.focus();
});
prepare(place);

// The tab of the section that was chosen is marked.
const tabs = [...document.querySelectorAll(".tabs a")];
function mark() {
  const current = tabs.find((tab) => tab.hash === location.hash) || tabs[0];
  tabs.forEach((tab) => (tab === current ? tab.setAttribute("aria-current", "true") : tab.removeAttribute("aria-current")));
}
addEventListener("hashchange", mark);
mark();
