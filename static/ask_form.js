// Forms that ask. The answer is shown as it comes, and each page says by hooks what else happens. Without this the server
// answers with a whole page.

// What it needs to show an answer is fetched when somebody is about to ask.
const liveAnswer = () => import("./live_answer.js");

// What only works with a script is shown.
export const showScripted = (element) =>
  element.querySelectorAll("[data-unknown]").forEach((button) => (button.hidden = false));

// `root` holds all forms that ask, and `box` is the one with the text to write. Answers go to `place`, errors before the
// first event to `problem`, and what is read out to `announcer`. `prepare` gets the server's HTML once it is in the page,
// and `replyText` gives the text above the answer to a reply.
// `halt` stops what is being answered; without one the connection is closed, which stops it.
// `ask(begin, { fields, text, button, isReply })` begins one answer or more, and resolves to whether it was asked.
export function connectForms({ root, box, place, problem, announcer, prepare = showScripted, replyText, halt, ask }) {
  const textarea = box.querySelector("textarea[name=question]");
  const stop = box.querySelector("[data-stop]");
  const announce = (words) => (announcer.textContent = words);
  let running = null;

  function showRunning(abort) {
    running = abort;
    stop.hidden = !running;
    box.querySelector("[type=submit]").hidden = Boolean(running);
  }

  root.addEventListener("submit", async (event) => {
    const { target: form, submitter: button } = event;
    if (!form.matches("[data-asks]") || !window.ReadableStream) return;
    event.preventDefault();
    if (running) return;
    const fields = new FormData(form, button);
    if (button?.name === "question") fields.set("question", button.value);
    const isReply = fields.has("token");
    const text = ((isReply ? replyText(form, fields) : fields.get("question")) || "").trim();
    if (!text) return textarea.focus();
    const fieldset = form.querySelector("fieldset.back");
    if (fieldset) fieldset.disabled = true;
    problem.replaceChildren();
    showRunning(new AbortController());
    const isAsked = await ask((options) => begin({ fields, text, button, ...options }), { fields, text, button, isReply });
    showRunning(null);
    if (fieldset && !isAsked) fieldset.disabled = false;
  });

  // One answer: its turn goes to `begun`, the response to `accept`, the last event to `whole`. Gives turn and outcome.
  async function begin({ fields, text, button, into = place, begun = () => {}, accept = () => {}, whole, addressOf }) {
    const { converse, iconsFrom, LiveTurn, noteWith } = await liveAnswer();
    const icon = iconsFrom(place.dataset.icons);
    const turn = new LiveTurn(text, into, { icon, announce, prepare });
    begun(turn.element);
    const outcome = await converse(turn, {
      action: box.action,
      fields,
      signal: running.signal,
      whole,
      addressOf,
      refuse(words, status) {
        const note = noteWith(icon)(words, status === 429 ? "warn" : "no");
        // A visitor at the limit goes on with a key, in another tab: the question stays here.
        const { keyAddress, keyWords } = problem.dataset;
        if (status === 429 && keyAddress) {
          const key = { href: keyAddress, target: "_blank", rel: "noopener", textContent: keyWords };
          note.lastElementChild.append(" ", Object.assign(document.createElement("a"), key));
        }
        problem.replaceChildren(note);
        announce(words);
      },
      accept(response) {
        if (button?.name === "answer") {
          button.classList.add("picked");
          button.prepend(icon("check"));
        }
        accept(response);
      },
    });
    if (outcome === "unreachable" && !fields.has("token")) textarea.value ||= text;
    return { turn, outcome };
  }

  root.addEventListener("click", async (event) => {
    const unknown = event.target.closest("[data-unknown]");
    if (unknown) (await liveAnswer()).leaveOpen(unknown, textarea);
  });
  // Enter asks, with the shift key it begins a line.
  textarea.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    box.requestSubmit();
  });
  textarea.addEventListener("focus", liveAnswer, { once: true });
  // It takes the place of the button that asks: a double click on that does not stop.
  stop.addEventListener("click", ({ detail: clicks }) => clicks < 2 && (halt ? halt() : running?.abort()));
  prepare(root);
  return textarea;
}

// The question that a form of a turn belongs to.
export const questionOf = (form) => form.closest(".turn").querySelector(".said").textContent;
