// Walks the tree by a sentence and by facts: the path is lit in the drawing, and what would be asked next is asked here.

import { button, choice, field, h, icon } from "./dom.js";
import { factTitle } from "./facts.js";
import { Refused, send } from "./server.js";

export class WalkPanel {
  #asking = null;
  facts = {};
  walked = null;

  /** `support` gives a line that says whether a page supports an end, once that is found. */
  constructor(desk, { sheet, keep, support }) {
    Object.assign(this, { desk, keep, support });
    this.form = sheet.querySelector("form");
    this.sentence = sheet.querySelector("textarea");
    this.factBox = sheet.querySelector("[data-facts]");
    this.result = sheet.querySelector("[data-result]");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.walk();
    });
    this.sentence.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.walk();
    });
  }

  /** A field for every fact of the tree; what was filled in stays. */
  drawFacts() {
    const { facts } = this.desk.checked;
    const before = document.activeElement?.dataset?.fact;
    const controls = facts.map((fact) => field(fact.unit ? `${fact.name}, in ${fact.unit}` : fact.name, this.#control(fact)));
    this.factBox.replaceChildren(...(controls.length ? controls : [h("p", { class: "small" }, "The tree reads no facts yet.")]));
    if (before) this.factBox.querySelector(`[data-fact="${CSS.escape(before)}"]`)?.focus({ preventScroll: true });
  }

  #control(fact) {
    const value = this.facts[fact.name] ?? "";
    const set = (text) => {
      if (text.trim()) this.facts[fact.name] = text.trim();
      else delete this.facts[fact.name];
    };
    if (!fact.options.length) return h("input", { class: "input", value, maxlength: 500, "data-fact": fact.name, onchange: (event) => set(event.target.value) });
    const known = [["", "not said"], ...fact.options.map((option) => [option, option])];
    const options = value && !fact.options.includes(value) ? [...known, [value, value]] : known;
    return choice(options, value, set, { "data-fact": fact.name });
  }

  async walk({ isAgain = false } = {}) {
    this.#asking?.abort();
    this.#asking = new AbortController();
    this.result.setAttribute("aria-busy", "true");
    try {
      const walked = await this.#ask(this.#asking.signal);
      this.walked = walked;
      this.desk.light({ nodes: walked.path.map((step) => step.node), branches: walked.branches });
      this.#show(walked);
      if (!isAgain) this.desk.say(`The walk ${walked.outcome}.`);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Refused)) throw error;
      this.result.replaceChildren(h("p", { class: "note no" }, `${error.message} ${error.hint}`.trim()));
    }
    this.result.removeAttribute("aria-busy");
  }

  #ask(signal) {
    const asked = { sentence: this.sentence.value, facts: this.facts };
    if (this.desk.mayChange) return send(this.desk.urls.walk, { data: { ...asked, tree: this.desk.tree }, signal });
    const query = new URLSearchParams({ sentence: asked.sentence, facts: JSON.stringify(asked.facts) });
    return send(`${this.desk.urls.walk}?${query}`, { method: "GET", signal });
  }

  /** The tree has changed: a path that is lit is walked once more. */
  again() {
    if (this.walked) this.walk({ isAgain: true });
  }

  clear() {
    this.walked = null;
    this.facts = {};
    this.sentence.value = "";
    this.result.replaceChildren();
    this.desk.light(null);
    this.drawFacts();
    this.sentence.focus();
  }

  #show(walked) {
    const steps = walked.path.flatMap((step, index) => [index ? h("li", { class: "to", "aria-hidden": "true" }, icon("next")) : null, this.#step(step)]);
    this.result.replaceChildren(
      ...[
        walked.path.length ? h("ol", { class: "path", "aria-label": "Decision path" }, steps) : null,
        this.#end(walked),
        walked.hint && hintLine(walked.hint),
        walked.action?.recommendation?.trim() && this.#support(walked.path.at(-1).node),
        walked.selection && h("p", { class: "small faint" }, selectionText(walked.selection)),
        h("p", { class: "row" }, this.desk.mayChange ? button("Save as a test case", () => this.keep(this), { icon: "flag" }) : null, button("Clear", () => this.clear(), { look: "btn-bare" })),
      ].filter(Boolean),
    );
  }

  #support(id) {
    const box = h("div", { "aria-live": "polite" });
    this.support(id).then((line) => line && box.replaceChildren(line));
    return box;
  }

  #step(step) {
    if (step.kind === "action") return h("li", { class: "end" }, step.result);
    const read = step.source === "question" && step.span ? h("span", { class: "faint" }, `read from “${step.span}”`) : null;
    const fact = factTitle(this.desk, step.field);
    if (step.value === null) return h("li", {}, fact, " ", h("span", { class: "faint" }, "not known"));
    const judged = step.kind === "condition" ? [` ${this.desk.labelOf(step.node)} `, h("b", {}, step.result === "true" ? "yes" : "no")] : [];
    return h("li", {}, fact, " ", h("b", {}, step.value), read, judged.length ? h("span", {}, "·", ...judged) : null);
  }

  #end({ action, missing, path }) {
    if (action) return null;
    if (!missing) return h("p", { class: "small no" }, icon("alert"), path.length ? ` The way ends at “${path.at(-1).label}”: no branch follows.` : " The tree has no first node to start from.");
    const answer = (value) => () => {
      this.facts[missing.field] = value;
      this.drawFacts();
      this.walk();
    };
    const options = missing.options.map((option) => h("button", { type: "button", class: "btn", onclick: answer(option) }, option));
    return h("fieldset", { class: "asks stack-s" }, h("legend", {}, "Asked next: ", h("b", {}, missing.question)), h("div", { class: "row" }, options.length ? options : this.#open(missing, answer)));
  }

  #open(missing, answer) {
    const input = h("input", { class: "input input-s", "aria-label": missing.question, maxlength: 500 });
    const go = () => input.value.trim() && answer(input.value.trim())();
    input.addEventListener("keydown", (event) => event.key === "Enter" && (event.preventDefault(), go()));
    return [input, h("button", { type: "button", class: "btn", onclick: go }, "Answer")];
  }
}

/** Whether the hint of an action finds its page. */
export function hintLine({ hint, found, error }) {
  if (error) return h("p", { class: "small" }, h("span", { class: "warn" }, icon("alert")), ` The hint could not be looked up: ${error}`);
  if (!hint) return h("p", { class: "small" }, h("span", { class: "warn" }, icon("alert")), " This action has no source hint.");
  if (!found) return h("p", { class: "small" }, h("span", { class: "warn" }, icon("alert")), ` The hint “${hint}” finds no passage in the current documents.`);
  return h("p", { class: "small" }, h("span", { class: "ok" }, icon("check")), ` The hint “${hint}” finds `, h("a", { href: found.url, target: "_blank" }, found.title), ".");
}

/** Whether a question put so enters the tree at all, in words. */
function selectionText({ taken, others }) {
  if (others.length) {
    const named = others.map((word) => `“${word}”`).join(", ");
    return `The question is also about ${named}, which this tree does not name: while no fact is known, the plugin answers from the documents. If it should ask back, put these words into the tree’s name or “Decides”.`;
  }
  if (taken) return "The plugin uses this tree for a question like this.";
  return "The plugin answers a question like this from the documents, without this tree. If it should use the tree, put the words of the question into its name or “Decides”.";
}
