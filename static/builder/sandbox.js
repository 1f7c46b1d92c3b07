"use strict";
// A question is posted, its events are read as they come, and at the end the server's own turn takes their place.
// Without this script the same forms answer with a whole page.
(() => {
  const box = document.getElementById("sandbox");
  const talk = document.getElementById("talk");
  const composer = document.getElementById("ask-form");
  if (!box || !composer || !window.ReadableStream) return;
  // Not by its name: the questions that are offered as buttons belong to the same form and have that name too.
  const textarea = composer.querySelector("textarea[name=question]");
  const stop = composer.querySelector("[data-stop]");
  const announcer = document.getElementById("announce");
  const MARK = /\[Source (\d{1,6})\]/;
  const running = new Set();

  const announce = (words) => (announcer.textContent = words);

  function icon(name, spins) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("class", spins ? "i spin" : "i");
    svg.setAttribute("viewBox", "0 0 20 20");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    use.setAttribute("href", `${box.dataset.icons}#${name}`);
    svg.append(use);
    return svg;
  }

  function note(words) {
    const paragraph = document.createElement("p");
    paragraph.className = "note no";
    paragraph.setAttribute("role", "alert");
    paragraph.append(icon("alert"), words);
    return paragraph;
  }

  // --- One turn while it is being answered ---------------------------------------------------------------

  class LiveTurn {
    constructor(question, place) {
      this.element = document.getElementById("live-turn").content.firstElementChild.cloneNode(true);
      this.element.querySelector(".said").textContent = question;
      this.steps = this.element.querySelector(".steps");
      this.reading = this.element.querySelector(".reading");
      this.held = this.element.querySelector(".held-line");
      place.append(this.element);
      this.began = performance.now();
    }

    take(event) {
      const takers = { status: this.step, delta: this.write, error: this.fail, done: this.finish, turn: this.replace };
      takers[event.type]?.call(this, event);
    }

    step(event) {
      this.endStep();
      const item = document.createElement("li");
      item.className = "now";
      item.append(icon("wait", true), event.message);
      this.steps.append(item);
      if (event.status === "generating") this.held.hidden = false;
    }

    endStep() {
      const item = this.steps.lastElementChild;
      if (!item?.classList.contains("now")) return;
      item.classList.remove("now");
      item.firstElementChild.replaceWith(icon("check"));
      const took = document.createElement("span");
      took.className = "num";
      took.textContent = `${Math.round(performance.now() - this.began)} ms`;
      item.append(took);
    }

    write(event) {
      const span = document.createElement("span");
      span.className = "fresh";
      event.text.split(MARK).forEach((part, at, parts) => {
        if (at % 2 === 0) return span.append(at < parts.length - 1 ? part.replace(/ +$/, "") : part);
        const chip = document.createElement("span");
        chip.className = "cite";
        chip.textContent = part;
        span.append(chip);
      });
      this.reading.append(span);
      announce(event.text.replace(/ ?\[Source \d{1,6}\]/g, ""));
    }

    fail(event) {
      this.finish();
      this.element.append(note(`${event.error} ${event.hint || ""}`.trim()));
      announce(event.error);
    }

    finish() {
      this.endStep();
      this.held.hidden = true;
      this.element.setAttribute("aria-busy", "false");
    }

    replace(event) {
      if (!event.html) return;
      const holder = document.createElement("template");
      holder.innerHTML = event.html; // rendered by our own template, which escapes what others wrote
      const finished = holder.content.firstElementChild;
      this.element.replaceWith(finished);
      this.element = finished;
      prepare(finished);
      const refusal = finished.querySelector(".refusal .reading, .back legend");
      if (refusal) announce(refusal.textContent);
    }
  }

  // --- Asking --------------------------------------------------------------------------------------------

  async function* eventsOf(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value;
      const blocks = buffer.split("\n\n");
      buffer = blocks.pop();
      for (const block of blocks) if (block.startsWith("data: ")) yield JSON.parse(block.slice(6));
    }
  }

  // Resolves to the id of the finished query, or to null.
  async function stream(fields, question, place, abort) {
    const turn = new LiveTurn(question, place);
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
    if (unknown) {
      const fieldset = unknown.closest("fieldset");
      fieldset.disabled = true;
      const said = document.createElement("p");
      said.className = "small quiet";
      said.textContent = "It stays open. Ask something else, or ask this again once you know.";
      fieldset.after(said);
      textarea.focus();
    }
    const closes = event.target.closest("[data-closes]");
    if (closes) {
      event.preventDefault();
      closes.closest("[id^=remark-]").replaceChildren();
    }
  });

  stop.addEventListener("click", () => running.forEach((abort) => abort.abort()));

  textarea.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    composer.requestSubmit();
  });

  function prepare(element) {
    window.htmx?.process(element);
    element.querySelectorAll("[data-unknown]").forEach((button) => (button.hidden = false));
  }
  prepare(box);
})();
