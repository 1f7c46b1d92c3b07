// The public chat: the same forms, answered sentence by sentence. Without this script the server answers with the page.
import { asksOnEnter, converse, iconsFrom, leaveOpen, LiveTurn, noteWith } from "./live_answer.js";

const box = document.getElementById("chat-form");
const talk = document.getElementById("talk");
const problem = document.getElementById("chat-error");
const left = document.getElementById("chat-left");
const said = document.getElementById("chat-said");
const textarea = box.querySelector("textarea");
const forgets = document.getElementById("forgets");
const stop = box.querySelector("[data-stop]");
const icon = iconsFrom(talk.dataset.icons);
let running = null;

const announce = (words) => (said.textContent = words);
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

// What only works with a script is shown, and what only a browser knows is filled in.
function prepare(element) {
  element.querySelectorAll("[data-unknown]").forEach((button) => (button.hidden = false));
  element.querySelectorAll("[data-timezone]").forEach((field) => (field.value = zone));
  if (navigator.clipboard) element.querySelectorAll("[data-copies-turn]").forEach((button) => (button.hidden = false));
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-asks]") || !window.ReadableStream) return;
  event.preventDefault();
  if (running) return;
  const fields = new FormData(form, event.submitter);
  const chosen = event.submitter?.name === "question" ? event.submitter.value : "";
  if (chosen) fields.set("question", chosen);
  const isReply = fields.has("token");
  const question = ((isReply ? fields.get("answer") : fields.get("question")) || "").trim();
  if (!question) return textarea.focus();
  const fieldset = form.querySelector("fieldset");
  if (fieldset) fieldset.disabled = true;
  const isAsked = await ask(fields, question, { isReply });
  if (isAsked && isReply) pick(event.submitter);
  if (isAsked) settle(talk.lastElementChild);
  if (!isAsked && fieldset) fieldset.disabled = false;
});

async function ask(fields, question, { isReply }) {
  running = new AbortController();
  busy();
  problem.replaceChildren();
  const turn = new LiveTurn(question, talk, { icon, announce, prepare });
  if (isReply) asReply(turn.element);
  turn.element.scrollIntoView();
  const action = box.action;
  const accept = (response) => begun(response, { isReply });
  const isAsked = await converse(turn, { action, fields, signal: running.signal, refuse, accept, whole });
  running = null;
  busy();
  return isAsked;
}

// A reply stands in the question that it answers; here only for those who cannot see that.
function asReply(element) {
  element.classList.add("after-reply");
  element.querySelector(".said").classList.add("sr");
}

// From now on the conversation has an address, also when it is stopped before its end.
function begun(response, { isReply }) {
  const address = response.headers.get("content-location");
  box.elements.session.value = address.split("/").pop();
  if (location.pathname !== address) history.replaceState(null, "", address);
  document.getElementById("beginning")?.remove();
  forgets.action = `${address}/forget`;
  forgets.hidden = false;
  // What was asked back before cannot be answered any more, or is being answered now.
  talk.querySelectorAll(".back").forEach((fieldset) => (fieldset.disabled = true));
  if (!isReply) textarea.value = "";
}

function whole(event) {
  left.textContent = event.left;
  talk.lastElementChild.scrollIntoView();
}

function refuse(words, status) {
  problem.replaceChildren(noteWith(icon)(words, status === 429 ? "warn" : "no"));
  announce(words);
}

function pick(button) {
  if (button?.name !== "answer") return;
  button.classList.add("picked");
  button.prepend(icon("check"));
}

// What was typed in answer stands where it was asked, as the server shows it when the page is opened again.
function settle(turn) {
  const back = turn.classList.contains("after-reply") && turn.previousElementSibling?.querySelector(".back");
  if (!back || back.querySelector(".picked")) return;
  const words = document.createElement("p");
  words.className = "small quiet";
  words.textContent = `You said: ${turn.querySelector(".said").textContent}`;
  back.querySelector(".row")?.replaceWith(words);
}

function busy() {
  stop.hidden = !running;
  box.querySelector("[type=submit]").hidden = Boolean(running);
}

// The answer as text, with what each mark stands for below it.
function inWords(turn) {
  const marked = turn.querySelector(".reading").cloneNode(true);
  marked.querySelectorAll(".cite").forEach((chip) => chip.replaceWith(` [${chip.textContent}]`));
  const sources = [...turn.querySelectorAll(".evidence li")].map((one) => {
    const [excerpt, where] = [one.querySelector("mark"), one.querySelector("p")].map((part) => part.textContent.trim());
    return `[${one.querySelector(".cite").textContent}] ${where}: “${excerpt}”`;
  });
  return [marked.textContent.trim(), sources.join("\n")].filter(Boolean).join("\n\n");
}

async function copy(button) {
  await navigator.clipboard.writeText(inWords(button.closest(".turn")));
  const words = button.lastElementChild;
  const before = (button.dataset.said ??= words.textContent);
  words.textContent = "Copied";
  setTimeout(() => (words.textContent = before), 2000);
}

talk.addEventListener("click", (event) => {
  const unknown = event.target.closest("[data-unknown]");
  if (unknown) leaveOpen(unknown, textarea);
  const copies = event.target.closest("[data-copies-turn]");
  if (copies) copy(copies);
});
stop.addEventListener("click", () => running?.abort());
asksOnEnter(textarea);
prepare(document);
if (!location.hash && talk.children.length > 1) talk.lastElementChild.scrollIntoView();
