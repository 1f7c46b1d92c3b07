// The tree as JSON: what is drawn can be read there, and what is written there can be drawn.

import { h } from "./dom.js";
import { sound } from "./model.js";
import { Refused, send } from "./server.js";

const isCase = (one) => typeof one?.sentence === "string" && typeof one.facts === "object" && one.facts !== null;

// What was exported holds beside the tree what it is called and decides, and its test cases, which have places of their own.
function takeTree(draft, { name, description, cases, ...tree }) {
  for (const [field, text] of Object.entries({ name, description })) {
    if (typeof text === "string" && text.trim()) draft[field] = text.trim();
  }
  if (Array.isArray(cases) && cases.every(isCase)) draft.cases = cases;
  draft.tree = sound(tree);
}

export class JsonView {
  #last = ""; // what was put into the box: anything else was typed

  constructor(desk, { sheet, toggle, shown }) {
    Object.assign(this, { desk, sheet, toggle, shown });
    this.text = sheet.querySelector("textarea");
    this.said = sheet.querySelector("[data-said]");
    this.applyButton = sheet.querySelector("[data-apply]");
    toggle.addEventListener("click", () => this.show(this.sheet.hidden));
    sheet.querySelector("[data-close]").addEventListener("click", () => this.show(false));
    this.applyButton?.addEventListener("click", () => this.apply());
    this.text.addEventListener("input", () => this.said.replaceChildren());
  }

  get isOpen() {
    return !this.sheet.hidden;
  }

  /** Whether something is written here that is not in the drawing. */
  get isTyped() {
    return this.isOpen && this.text.value !== this.#last;
  }

  show(isOpen) {
    if (!isOpen && this.isTyped && !window.confirm("What you wrote as JSON is not in the drawing yet. Leave it?")) return;
    this.sheet.hidden = !isOpen;
    this.toggle.setAttribute("aria-expanded", String(isOpen));
    this.shown(isOpen);
    this.text.value = this.#last;
    this.refresh();
    this.said.replaceChildren();
    (isOpen ? this.text : this.toggle).focus();
  }

  /** What is drawn now; what somebody is writing is left alone. */
  refresh() {
    if (!this.isOpen || this.isTyped) return;
    this.#last = JSON.stringify(this.desk.tree, null, 2);
    this.text.value = this.#last;
  }

  async apply() {
    const { desk } = this;
    const written = this.text.value; // more may be written while the server looks at it
    try {
      const told = await send(desk.urls.check, { data: { text: written, cases: desk.draft.cases } });
      if (typeof told.tree !== "object" || told.tree === null || Array.isArray(told.tree) || typeof (told.tree.nodes ?? {}) !== "object") {
        this.#complain("A tree is an object with “rootNodeId” and “nodes”. The drawing is as it was.", 1);
        return false;
      }
      this.#last = written;
      desk.change("Took the tree from its JSON", (draft) => takeTree(draft, told.tree));
      desk.judge(told);
      this.#list(told.problems);
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#complain(`${error.message} The drawing is as it was.`, error.said.line, error.said.column);
      return false;
    }
  }

  #complain(words, line = 0, column = 1) {
    this.said.replaceChildren(h("p", { class: "note no" }, h("span", {}, words, " ", line ? this.#lineButton(line, column) : null)));
    this.desk.say(words);
    if (line) this.#goTo(line, column);
  }

  #list(problems) {
    const items = problems.slice(0, 50).map(({ message, node }) => h("li", {}, message, " ", this.#lineButton(this.#lineOf(node))));
    const words = problems.length ? "Drawn. What is wrong with it:" : "Drawn. Nothing is wrong with it.";
    this.said.replaceChildren(h("div", { class: problems.length ? "note warn" : "note ok" }, h("div", { class: "stack-s" }, h("p", {}, words), h("ul", {}, items))));
    this.desk.say(words);
  }

  #lineOf(id) {
    if (id === null) return 0;
    const at = this.text.value.split("\n").findIndex((line) => line.includes(`${JSON.stringify(id)}: {`));
    return at + 1;
  }

  #lineButton(line, column = 1) {
    return line ? h("button", { type: "button", class: "copy", onclick: () => this.#goTo(line, column) }, `Go to line ${line}`) : null;
  }

  /** Select the line, and bring it into view. */
  #goTo(line, column) {
    const lines = this.text.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(start + Math.max(0, Math.min(column, (lines[line - 1] ?? "").length) - 1), start + (lines[line - 1] ?? "").length);
    this.text.scrollTop = (this.text.scrollHeight / lines.length) * Math.max(0, line - 5);
  }
}
