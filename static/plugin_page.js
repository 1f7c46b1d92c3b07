// The box on a plugin's page: the same form, answered sentence by sentence. Without this script the server answers with
// the whole page.
// What it needs to show an answer is fetched when somebody is about to ask.
const answering = () => import("./live_answer.js");

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
  const { converse, iconsFrom, LiveTurn, noteWith } = await answering();
  const icon = iconsFrom(place.dataset.icons);
  const turn = new LiveTurn(question, place, { icon, announce, prepare });
  before.forEach((element) => (element.hidden = true));
  const refuse = (words, status) => problem.replaceChildren(noteWith(icon)(words, status === 429 ? "warn" : "no"));
  const whole = (event) => (left.textContent = event.left);
  const isAsked = await converse(turn, { action: box.action, fields, signal: running.signal, refuse, whole });
  before.forEach((element) => (isAsked ? element.remove() : (element.hidden = false)));
  running = null;
  busy();
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
place.addEventListener("click", async (event) => {
  const unknown = event.target.closest("[data-unknown]");
  if (unknown) (await answering()).leaveOpen(unknown, textarea);
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
