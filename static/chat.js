// The public chat: a conversation that has an address of its own, and answers that can be copied.
import { connectForms, showScripted } from "./ask_form.js";

const box = document.getElementById("chat-form");
const talk = document.getElementById("talk");
const forgets = document.getElementById("forgets");
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

const textarea = connectForms({
  root: document,
  box,
  place: talk,
  problem: document.getElementById("chat-error"),
  announcer: document.getElementById("chat-said"),
  replyText: (form, fields) => fields.get("answer"),
  prepare(element) {
    showScripted(element);
    element.querySelectorAll("[data-timezone]").forEach((field) => (field.value = zone));
    if (navigator.clipboard) element.querySelectorAll("[data-copies-turn]").forEach((button) => (button.hidden = false));
  },
  async ask(begin, { isReply }) {
    const { turn, outcome } = await begin({
      begun(element) {
        if (isReply) showAsReply(element);
        element.scrollIntoView();
      },
      accept: (response) => showConversation(response, { isReply }),
      whole(event) {
        document.getElementById("chat-left").textContent = event.left;
        talk.lastElementChild.scrollIntoView();
      },
    });
    if (outcome === "refused") return false;
    showReply(turn.element);
    return true;
  },
});

// A reply stands in the question that it answers; here only for those who cannot see that.
function showAsReply(element) {
  element.classList.add("after-reply");
  element.querySelector(".said").classList.add("sr");
}

// From now on the conversation has an address, also when it is stopped before its end.
function showConversation(response, { isReply }) {
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

// What was typed as a reply stands where it was asked, as the server shows it when the page is opened again.
function showReply(turn) {
  const back = turn.classList.contains("after-reply") && turn.previousElementSibling?.querySelector(".back");
  if (!back || back.querySelector(".picked")) return;
  const words = document.createElement("p");
  words.className = "small quiet";
  words.textContent = `You said: ${turn.querySelector(".said").textContent}`;
  back.querySelector(".row")?.replaceWith(words);
}

// The answer as text, with what each mark stands for below it.
function asText(turn) {
  const marked = turn.querySelector(".reading").cloneNode(true);
  marked.querySelectorAll(".cite").forEach((chip) => chip.replaceWith(` [${chip.textContent}]`));
  const sources = [...turn.querySelectorAll(".evidence li")].map((one) => {
    const [excerpt, where] = [one.querySelector("mark"), one.querySelector("p")].map((part) => part.textContent.trim());
    return `[${one.querySelector(".cite").textContent}] ${where}: “${excerpt}”`;
  });
  return [marked.textContent.trim(), sources.join("\n")].filter(Boolean).join("\n\n");
}

talk.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies-turn]");
  if (!button) return;
  await navigator.clipboard.writeText(asText(button.closest(".turn")));
  const words = button.lastElementChild;
  const before = (button.dataset.said ??= words.textContent);
  words.textContent = "Copied";
  setTimeout(() => (words.textContent = before), 2000);
});
if (!location.hash && talk.children.length > 1) talk.lastElementChild.scrollIntoView();
