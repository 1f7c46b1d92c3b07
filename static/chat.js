// The public chat: a conversation that has an address of its own, and answers that can be copied.
import { connectForms, showScripted } from "./ask_form.js";
import { connectCopies, showAsReply, showReply } from "./talk.js";

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

connectCopies(talk);
if (!location.hash && talk.children.length > 1) talk.lastElementChild.scrollIntoView();
