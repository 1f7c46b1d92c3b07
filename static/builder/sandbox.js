// The sandbox: a conversation that its address names, and two versions asked side by side.
import { connectForms, questionOf, showScripted } from "../ask_form.js";

const root = document.getElementById("sandbox");
const talk = document.getElementById("talk");
const composer = document.getElementById("ask-form");

const textarea = connectForms({
  root,
  box: composer,
  place: talk,
  problem: document.getElementById("ask-error"),
  announcer: document.getElementById("announce"),
  replyText: questionOf,
  prepare(element) {
    window.htmx?.process(element);
    showScripted(element);
  },
  async ask(begin, { fields, isReply }) {
    document.getElementById("vacant")?.remove();
    if (!composer.contains(document.activeElement)) textarea.focus({ preventScroll: true });
    const other = fields.get("other");
    fields.delete("other");
    const isCompared = Boolean(other) && other !== fields.get("version");
    const into = isCompared ? addComparison() : talk;
    const [first] = await Promise.all([
      answer(begin, { fields, into, isReply, whole: remember }),
      ...(isCompared ? [answer(begin, { fields: withVersion(fields, other), into, isReply })] : []),
    ]);
    if (isCompared && !into.childElementCount) into.remove();
    // Whoever went on to something else meanwhile stays there.
    if (document.activeElement.matches("body, :disabled, #ask-form button")) textarea.focus();
    return first;
  },
});

async function answer(begin, { fields, into, isReply, whole }) {
  const { turn, outcome } = await begin({
    fields,
    into,
    whole,
    begun: (element) => element.scrollIntoView({ block: "nearest" }),
    accept: () => isReply || (textarea.value = ""),
  });
  // The box for the next question stays at the foot of the screen: on a phone it would lie over the answer.
  const isCovered = turn.element.getBoundingClientRect().bottom > composer.getBoundingClientRect().top;
  if (isCovered) turn.element.scrollIntoView({ block: "start" });
  return outcome === "asked";
}

function addComparison() {
  const element = document.createElement("div");
  element.className = "compare";
  talk.append(element);
  return element;
}

function withVersion(fields, version) {
  const copy = new FormData();
  for (const [name, value] of fields) copy.append(name, value);
  copy.set("version", version);
  return copy;
}

function remember({ id }) {
  const field = composer.elements.namedItem("earlier");
  field.value = [...field.value.split(",").filter(Boolean), id].slice(-10).join(",");
  const address = new URL(location.href);
  address.searchParams.set("turns", field.value);
  address.pathname = address.pathname.replace(/ask\/$/, "");
  history.replaceState(null, "", address);
}
