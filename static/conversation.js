// A private conversation: its runs go on when the page is left, and are shown by every page that is opened meanwhile.
import { connectForms, showScripted } from "./ask_form.js";
import { csrfToken } from "./csrf_token.js";
import { connectCopies, showAsReply, showReply } from "./talk.js";

const box = document.getElementById("chat-form");
const talk = document.getElementById("talk");
const stop = box.querySelector("[data-stop]");
const send = box.querySelector("[type=submit]");
const announcer = document.getElementById("chat-said");

function prepare(element) {
  showScripted(element);
  if (element !== document) htmx.process(element);
  if (navigator.clipboard) element.querySelectorAll("[data-copies-turn]").forEach((button) => (button.hidden = false));
}

// The run hears of it by itself: what was written until then comes as the turn that stays. A conversation that begins has
// no address yet: it is stopped once it has.
let isHaltWanted = false;
function halt() {
  isHaltWanted = !box.elements.session.value;
  if (!isHaltWanted) fetch(`/c/${box.elements.session.value}/stop`, { method: "POST", headers: { "X-CSRFToken": csrfToken() } });
}

const textarea = connectForms({
  root: document,
  box,
  place: talk,
  problem: document.getElementById("chat-error"),
  announcer,
  replyText: (form, fields) => fields.get("answer"),
  prepare,
  halt,
  async ask(begin, { text, isReply }) {
    isHaltWanted = false;
    const { turn, outcome } = await begin({
      begun(element) {
        if (isReply) showAsReply(element);
        element.scrollIntoView();
      },
      accept: (response) => showConversation(response, { text, isReply }),
      whole: showLast,
      addressOf: (run) => `/c/${box.elements.session.value}/runs/${run}`,
    });
    if (outcome === "refused") return false;
    showReply(turn.element);
    return true;
  },
});

// Whether nobody writes the next message, or is anywhere else on the page.
function isFocusFree() {
  const at = document.activeElement;
  return !textarea.value && ([document.body, textarea, stop, send].includes(at) || at.matches(":disabled"));
}

// What is asked back wants an answer next, where that takes the focus from nobody; otherwise whoever had the focus in what
// is gone goes on in the box.
function showLast() {
  const last = talk.lastElementChild;
  last.scrollIntoView();
  const field = last.querySelector(".back:not([disabled]) :is(input, button)");
  if (field && isFocusFree()) field.focus({ preventScroll: true });
  else if (document.activeElement === document.body) textarea.focus({ preventScroll: true });
}

// Whoever types at the options answers in words: Enter would press the option instead.
talk.addEventListener("keydown", ({ target, key, ctrlKey, metaKey, altKey }) => {
  const isCharacter = key.length === 1 && key !== " " && !ctrlKey && !metaKey && !altKey;
  if (isCharacter && target.matches(".back button")) textarea.focus();
});

// From now on the conversation has an address, and the beginning of its first message for a title.
function showConversation(response, { text, isReply }) {
  if (!box.elements.session.value) document.querySelector(".talk-top h1 bdi").textContent = text.slice(0, 100);
  const address = response.headers.get("content-location");
  box.elements.session.value = address.split("/").pop();
  if (location.pathname !== address) history.replaceState(null, "", address);
  document.getElementById("beginning")?.remove();
  talk.querySelectorAll(".back").forEach((fieldset) => (fieldset.disabled = true));
  if (!isReply) textarea.value = "";
  clearAttachments();
  if (isHaltWanted) halt();
}

// What comes along goes with one message.
const attach = box.querySelector(".attach");
const attached = attach.querySelector("[data-attached]");

function clearAttachments() {
  attach.querySelectorAll("input[type=checkbox]").forEach((one) => (one.checked = false));
  attach.querySelectorAll("[name=text], [name=text_name]").forEach((field) => (field.value = ""));
  attach.open = false;
  countAttachments();
}

function countAttachments() {
  const count = attach.querySelectorAll(":checked").length + (attach.querySelector("[name=text]").value.trim() ? 1 : 0);
  attached.textContent = count;
  attached.hidden = !count;
}

// A run that was at work when the page was opened.
async function followRunning(running) {
  const { follow, iconsFrom, LiveTurn } = await import("./live_answer.js");
  const announce = (words) => (announcer.textContent = words);
  const question = running.querySelector(".said").textContent;
  const turn = new LiveTurn(question, talk, { icon: iconsFrom(talk.dataset.icons), announce, prepare });
  if (running.querySelector(".note")) turn.interrupt(Number(running.dataset.last));
  running.remove();
  [stop.hidden, send.hidden] = [false, true];
  await follow(turn, { address: running.dataset.events });
  [stop.hidden, send.hidden] = [true, false];
}

attach.addEventListener("input", countAttachments);
attach.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !attach.open) return;
  attach.open = false;
  attach.querySelector("summary").focus();
});
countAttachments();
connectCopies(talk);
const running = talk.querySelector("[data-events]");
if (running) followRunning(running);
else if (!location.hash && talk.children.length > 1) talk.lastElementChild.scrollIntoView();
