// The form on a plugin's page, which shows one answer at a time, and the tabs.
import { connectForms, questionOf } from "./ask_form.js";

const place = document.getElementById("try-answer");
const left = document.getElementById("try-left");

const textarea = connectForms({
  root: document.getElementById("try"),
  box: document.getElementById("try-form"),
  place,
  problem: document.getElementById("try-error"),
  announcer: document.getElementById("try-said"),
  replyText: questionOf,
  async ask(begin, { text, button }) {
    if (button?.name === "question") textarea.value = text;
    const before = [...place.children];
    const { outcome } = await begin({
      begun: () => before.forEach((element) => (element.hidden = true)),
      whole: (event) => (left.textContent = event.left),
    });
    const isAsked = outcome !== "refused";
    before.forEach((element) => (isAsked ? element.remove() : (element.hidden = false)));
    return isAsked;
  },
});

// The tab of the section that was chosen is marked.
const tabs = [...document.querySelectorAll(".tabs a")];
function mark() {
  const current = tabs.find((tab) => tab.hash === location.hash) || tabs[0];
  tabs.forEach((tab) => (tab === current ? tab.setAttribute("aria-current", "true") : tab.removeAttribute("aria-current")));
}
addEventListener("hashchange", mark);
mark();
