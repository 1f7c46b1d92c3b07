// Each end tried against the plugin's documents: whether a page says what it recommends, or people would be refused.

import { button, h, icon } from "./dom.js";
import { kindOf, labelOf, readingOrder } from "./model.js";
import { send } from "./server.js";

const SIGNS = { answered: ["ok", "check"], refused: ["no", "refuse"], unverified: ["warn", "alert"], unchecked: ["", "off"] };
const WORDS = {
  refused: "No page says this: people who get here are refused.",
  unverified: "No page says this: people who get here are told that it is not verified.",
  unchecked: "No page says this. Citations are off, so it is given all the same.",
};

// Each end takes a search.
const MOST_AFTER_SAVING = 40;

export class Ends {
  /** What was found for each text, so that a change of an end forgets its result and undoing brings it back. */
  #found = new Map();
  #trying = false;

  constructor(desk, { sheet }) {
    Object.assign(this, { desk, sheet });
    this.list = sheet?.querySelector("ul");
    this.count = sheet?.querySelector("[data-count]");
    this.all = sheet?.querySelector("[data-all-ends]");
    this.all?.addEventListener("click", () => this.tryAll());
  }

  get #ids() {
    return readingOrder(this.desk.tree).filter((id) => kindOf(this.desk.tree.nodes[id]) === "action");
  }

  #texts(id) {
    const node = this.desk.tree.nodes[id];
    const { recommendation, sourceHint } = node.action ?? {};
    return { label: labelOf(this.desk.tree, id), recommendation: String(recommendation ?? ""), sourceHint: String(sourceHint ?? "") };
  }

  resultOf(id) {
    return this.#found.get(JSON.stringify(this.#texts(id))) ?? null;
  }

  /** Ends that the documents do not support, as problems of their nodes. */
  get problems() {
    return this.#ids
      .map((id) => [id, this.resultOf(id)])
      .filter(([, found]) => found && found.outcome !== "answered" && found.outcome !== "unchecked")
      .map(([node, found]) => ({ node, severity: "warning", message: found.error || saidOf(found) }));
  }

  async tryOne(id) {
    const texts = this.#texts(id);
    try {
      this.#found.set(JSON.stringify(texts), await send(this.desk.urls.end, { data: texts }));
    } catch (error) {
      this.#found.set(JSON.stringify(texts), { outcome: "", cited: null, error: `${error.message} ${error.hint}`.trim() });
    }
    this.desk.tell("ends");
    return this.#found.get(JSON.stringify(texts));
  }

  /** What was saved is tried at once, so that no end is a surprise when the plugin is published. */
  tryAfterSaving() {
    const written = this.#ids.filter((id) => this.#texts(id).recommendation.trim());
    if (this.sheet && written.length <= MOST_AFTER_SAVING) this.tryAll({ ids: written, isAsked: false });
  }

  async tryAll({ ids = this.#ids, isAsked = true } = {}) {
    if (this.#trying) return;
    this.#trying = true;
    for (const id of ids) {
      if (!this.#found.get(JSON.stringify(this.#texts(id)))?.outcome) await this.tryOne(id);
    }
    this.#trying = false;
    this.desk.tell("ends");
    const { problems } = this;
    if (!isAsked && !problems.length) return;
    this.desk.say(problems.length ? `${problems.length} of ${this.#ids.length} ends are not supported by the documents.` : "The documents support every end.");
  }

  draw() {
    if (!this.sheet) return;
    const ids = this.#ids;
    const results = ids.map((id) => this.resultOf(id));
    const tried = results.filter(Boolean).length;
    const bad = this.problems.length;
    this.list.replaceChildren(...(ids.length ? ids.map((id, index) => this.#item(id, results[index])) : [h("li", { class: "small" }, "No ends yet. An action is where a way ends.")]));
    this.count.hidden = !tried;
    this.count.className = `state row-end ${bad ? "warn" : "ok"}`;
    this.count.replaceChildren(icon(bad ? "alert" : "check"), `${tried - bad} of ${ids.length} supported`);
    this.#drawShown();
    this.all.disabled = !ids.length;
    this.all.ariaDisabled = String(this.#trying); // a disabled button would lose the focus
    this.all.textContent = this.#trying ? `Trying, ${tried} of ${ids.length}` : "Try all ends";
  }

  #item(id, found) {
    const go = (event) => {
      event.preventDefault();
      this.desk.select(id, { focus: true });
    };
    const { recommendation } = this.#texts(id);
    const link = h("a", { href: "#tree-canvas", onclick: go }, recommendation || labelOf(this.desk.tree, id));
    return h("li", { class: "problem" }, h("div", { class: "stack-s grow" }, [h("span", {}, link), found ? endLine(found) : h("p", { class: "small faint" }, "not tried")]));
  }

  /** What the panel of an end shows. */
  panelPart(id) {
    if (!this.sheet) return null;
    const tryIt = button("Try it against the documents", async (event) => {
      // Not disabled: that would take the focus away.
      const { currentTarget: pressed } = event;
      if (pressed.ariaBusy === "true") return;
      pressed.ariaBusy = "true";
      await this.tryOne(id);
      pressed.ariaBusy = "false";
    }, { icon: "search", "data-name": "try-end" });
    this.shown = { id, box: h("div", { "aria-live": "polite" }) };
    this.#drawShown();
    return h("div", { class: "stack-s" }, [h("p", {}, tryIt), this.shown.box]);
  }

  /** The result of the end in the panel, which is typed in while it stays on the page. */
  #drawShown() {
    if (!this.shown || kindOf(this.desk.tree.nodes[this.shown.id]) !== "action") return;
    const found = this.resultOf(this.shown.id);
    this.shown.box.replaceChildren(...(found ? [endLine(found, { withExcerpt: true })] : []));
  }
}

/** What people get where no page says it, and what is lacking. */
function saidOf({ outcome, why }) {
  return [WORDS[outcome], why].filter(Boolean).join(" ");
}

/** Whether a page supports an end, for the panels that speak of one. */
export function endLine({ outcome, cited, why, error }, { withExcerpt = false } = {}) {
  if (error) return h("p", { class: "small" }, h("span", { class: "warn" }, icon("alert")), ` It could not be tried: ${error}`);
  const [look, sign] = SIGNS[outcome];
  if (!cited) return h("p", { class: "small" }, h("span", { class: look }, icon(sign)), ` ${saidOf({ outcome, why })} Add the page that says it, or word the recommendation as the page does.`);
  const link = h("a", { href: cited.url, target: "_blank" }, cited.title);
  const line = h("p", { class: "small" }, h("span", { class: look }, icon(sign)), " Supported by ", link, ".");
  return withExcerpt ? h("div", { class: "stack-s" }, [line, h("blockquote", { class: "small end-excerpt" }, cited.excerpt)]) : line;
}
