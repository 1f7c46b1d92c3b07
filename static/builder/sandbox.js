// A question is posted, its events are read as they come, and at the end the server's own turn takes their place.
// Without this script the same forms answer with a whole page.
import { asksOnEnter, eventsOf, iconsFrom, leaveOpen, LiveTurn, noteWith } from "../live_answer.js";

(() => {
  const box = document.getElementById("sandbox");
  const talk = document.getElementById("talk");
  const composer = document.getElementById("ask-form");
  if (!box || !composer || !window.ReadableStream) return;
  // Not by its name: the questions that are offered as buttons belong to the same form and have that name too.
  const textarea = composer.querySelector("textarea[name=question]");
  const stop = composer.querySelector("[data-stop]");
  const announcer = document.getElementById("announce");
  const running = new Set();

  const announce = (words) => (announcer.textContent = words);

  const icon = iconsFrom(box.dataset.icons);
  const note = noteWith(icon);

  // --- Asking --------------------------------------------------------------------------------------------

  // Resolves to the id of the finished query, or to null.
  async function stream(fields, question, place, abort) {
    const turn = new LiveTurn(question, place, { icon, announce, prepare });
    turn.element.scrollIntoView({ block: "nearest" });
    let id = null;
    try {
      const response = await fetch(box.dataset.ask, {
        method: "POST",
        body: fields,
        headers: { Accept: "text/event-stream", "X-CSRFToken": fields.get("csrfmiddlewaretoken") },
        signal: abort.signal,
      });
      if (!(response.headers.get("content-type") || "").startsWith("text/event-stream")) {
        turn.element.remove();
        return await refuseToAsk(response);
      }
      for await (const event of eventsOf(response)) {
        turn.take(event);
        if (event.type === "turn") id = event.id;
        if (id) break; // the last event: what is asked next need not wait for the connection's end
      }
      uncover(turn.element);
      if (id === null) turn.fail({ error: "The answer stopped early.", hint: "What you see is verified; the rest was not sent." });
    } catch (error) {
      const wasStopped = error.name === "AbortError";
      turn.fail(
        wasStopped
          ? { error: "Stopped.", hint: "What you see is verified; the rest was not written." }
          : { error: "The server cannot be reached.", hint: "Your question is kept in the box; ask again in a moment." },
      );
      if (!wasStopped) throw error;
    }
    return id;
  }

  // The box for the next question stays at the foot of the screen: on a phone it would lie over the answer.
  function uncover(turn) {
    const isCovered = turn.getBoundingClientRect().bottom > composer.getBoundingClientRect().top;
    if (isCovered) turn.scrollIntoView({ block: "start" });
  }

  async function refuseToAsk(response) {
    let said = { error: "You are no longer signed in, or may not ask this.", hint: "Open the page anew." };
    try {
      said = await response.json();
    } catch {
      // a page, not our JSON: the words above say what it can mean
    }
    box.querySelector("[data-refused]")?.remove();
    const words = note(`${said.error} ${said.hint || ""}`.trim());
    words.dataset.refused = "";
    composer.before(words);
    throw new Error(said.error);
  }

  async function ask(fields, question) {
    const abort = new AbortController();
    running.add(abort);
    busy();
    box.querySelector("[data-refused]")?.remove();
    document.getElementById("vacant")?.remove();
    const other = fields.get("other");
    fields.delete("other");
    let place = talk;
    const asked = [];
    if (other && other !== fields.get("version")) {
      place = document.createElement("div");
      place.className = "compare";
      talk.append(place);
      asked.push(stream(fields, question, place, abort), stream(asking(fields, other), question, place, abort));
    } else {
      asked.push(stream(fields, question, place, abort));
    }
    const [first] = await Promise.allSettled(asked);
    if (place !== talk && !place.firstElementChild) place.remove();
    running.delete(abort);
    busy();
    if (first.status === "rejected") return false;
    if (first.value) remember(first.value);
    return true;
  }

  function asking(fields, version) {
    const copy = new FormData();
    for (const [name, value] of fields) copy.append(name, value);
    copy.set("version", version);
    return copy;
  }

  function remember(id) {
    const field = composer.elements.namedItem("earlier");
    const ids = [...field.value.split(",").filter(Boolean), id].slice(-10);
    field.value = ids.join(",");
    const address = new URL(location.href);
    address.searchParams.set("turns", field.value);
    address.pathname = address.pathname.replace(/ask\/$/, "");
    history.replaceState(null, "", address);
  }

  function busy() {
    stop.hidden = running.size === 0;
    composer.querySelector("[type=submit]").hidden = running.size > 0;
  }

  // --- Forms and buttons ---------------------------------------------------------------------------------

  box.addEventListener("submit", async (event) => {
    const form = event.target;
    if (!form.matches("[data-asks]")) return;
    event.preventDefault();
    if (running.size) return;
    const fields = new FormData(form, event.submitter);
    if (form !== composer) return answerBack(form, event.submitter, fields);
    if (event.submitter?.name === "question") fields.set("question", event.submitter.value);
    const question = fields.get("question").trim();
    if (!question) return textarea.focus();
    const kept = textarea.value;
    textarea.value = "";
    if (!(await ask(fields, question))) textarea.value ||= kept || question;
    textarea.focus();
  });

  async function answerBack(form, button, fields) {
    const question = form.closest(".turn").querySelector(".said").textContent;
    const fieldset = form.querySelector("fieldset");
    fieldset.disabled = true;
    if (button?.name === "answer") {
      button.classList.add("picked");
      button.prepend(icon("check"));
    }
    if (!(await ask(fields, question))) fieldset.disabled = false;
    textarea.focus();
  }

  box.addEventListener("click", (event) => {
    const unknown = event.target.closest("[data-unknown]");
    if (unknown) leaveOpen(unknown, textarea);
    const closes = event.target.closest("[data-closes]");
    if (closes) {
      event.preventDefault();
      closes.closest("[id^=remark-]").replaceChildren();
    }
  });

  stop.addEventListener("click", () => running.forEach((abort) => abort.abort()));

  asksOnEnter(textarea);

  function prepare(element) {
    window.htmx?.process(element);
    element.querySelectorAll("[data-unknown]").forEach((button) => (button.hidden = false));
  }
  prepare(box);
})();
