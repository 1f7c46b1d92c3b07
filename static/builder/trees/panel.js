// The side panel: every field of the selected node, or of the tree when none is selected.

import { button, choice, field, h, onceArrived } from "./dom.js";
import { factForm, factTitle, typeWords } from "./facts.js";
import {
  KINDS, OPERATORS, add, addAnswer, branches, connect, duplicate, factOf, freeBranch, kindOf, kindWord, labelOf, leadingTo, nodeAt,
  openBranches, readingOrder, removeAnswer, rename, renameAnswer, summary, turnInto,
} from "./model.js";

const SEVERITIES = [["", "none"], ["info", "info"], ["warning", "warning"], ["critical", "critical"]];

export class Panel {
  constructor(desk, { sheet, remove, hintOf, endPart }) {
    Object.assign(this, { desk, sheet, removeNode: remove, hintOf, endPart });
    this.title = sheet.querySelector("h2");
    this.code = sheet.querySelector("[data-id]");
    this.form = sheet.querySelector("form");
    this.form.addEventListener("submit", (event) => event.preventDefault());
  }

  draw() {
    const kept = this.#focus();
    const { desk } = this;
    const node = nodeAt(desk.tree, desk.selected);
    this.title.textContent = node ? kindWord(node) : "Tree";
    this.code.textContent = node ? desk.selected : "";
    const parts = node ? this.#ofNode(desk.selected, node) : this.#ofTree();
    this.form.replaceChildren(h("fieldset", { class: "stack", disabled: !desk.mayChange }, h("legend", { class: "sr" }, this.title.textContent), parts));
    this.#restore(this.drawn === desk.selected ? kept : { open: kept.open });
    this.drawn = desk.selected;
  }

  /** The first thing to type in, or the control that is named. */
  focus(name = "", { replace = false } = {}) {
    const named = name && this.form.querySelector(`[data-name="${CSS.escape(name)}"]`);
    const control = named || this.form.querySelector("input, textarea, select, button");
    for (let box = control?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
    control?.focus();
    if (replace) control?.select?.();
    this.sheet.scrollIntoView({ block: "nearest" });
  }

  /** Comes up to who chose a node, where it lies below the drawing, as on a phone. */
  show() {
    if (this.sheet.getBoundingClientRect().top > innerHeight - 100) this.sheet.scrollIntoView();
  }

  #focus() {
    const { activeElement: at } = document;
    const open = [...this.form.querySelectorAll("details[open]")].map((one) => one.dataset.name);
    if (!this.form.contains(at) || !at.dataset.name) return { open };
    return { open, name: at.dataset.name, start: at.selectionStart, end: at.selectionEnd };
  }

  #restore({ open, name, start, end }) {
    for (const box of this.form.querySelectorAll("details")) box.open = open.includes(box.dataset.name);
    const control = name && this.form.querySelector(`[data-name="${CSS.escape(name)}"]`);
    if (!control) return;
    control.focus({ preventScroll: true });
    if (typeof start === "number" && control.setSelectionRange && control.type === "text") control.setSelectionRange(start, end);
  }

  // --- the tree

  #ofTree() {
    const { desk } = this;
    const { draft, tree } = desk;
    const set = (key) => (value) => desk.change(`Changed the ${key}`, (next) => void (next[key] = value), { key: `tree:${key}`, quiet: true });
    return [
      field("Name", this.#line("name", draft.name, set("name"), { maxlength: 120, required: true }), "What it decides, in the words people ask in: questions find the tree by them."),
      field("Decides", this.#area("description", draft.description, set("description"), { maxlength: 5000 }), "When it applies, in the same words."),
      field("Starts at", this.#target("root", tree.rootNodeId, (id) => desk.change(`Starts at “${desk.labelOf(id)}”`, (next) => void (next.tree.rootNodeId = id)), { isRoot: true })),
      h("h3", {}, "Facts"),
      h("p", { class: "small" }, desk.checked.facts.length ? "What the tree needs to know: read from the question, or asked for." : "None yet: a question or a condition names the fact it reads."),
      ...desk.checked.facts.map((fact) => this.#fact(fact.name)),
    ];
  }

  #fact(name) {
    const known = this.desk.checked.facts.find((fact) => fact.name === name);
    const words = known ? ` ${typeWords(known.type)}${known.unit ? ` in ${known.unit}` : ""}` : "";
    return h("details", { class: "fold", "data-name": `fact:${name}` }, h("summary", {}, factTitle(this.desk, name), h("span", { class: "faint" }, words)), factForm(this.desk, name));
  }

  // --- a node

  #ofNode(id, node) {
    const own = { question: () => this.#question(id, node), condition: () => this.#condition(id, node), action: () => this.#action(id, node) };
    return [
      field("Label", this.#line("label", node.label, this.#setter(id, "label", (one, value) => (one.label = value)), { maxlength: 2000 })),
      ...(own[kindOf(node)]?.() ?? [h("p", { class: "small no" }, "This kind of node is not known. Choose one below.")]),
      ...this.#around(id, node),
      h("p", { class: "row" }, this.#actions(id)),
    ];
  }

  #setter(id, name, set, said = "Changed") {
    return (value) =>
      this.desk.change(`${said} “${this.desk.labelOf(id)}”`, (draft) => void set(draft.tree.nodes[id], value), { key: `${id}:${name}`, quiet: true });
  }

  #line(name, value, onchange, more = {}) {
    return h("input", { class: "input", type: "text", autocomplete: "off", "data-name": name, value: value ?? "", ...more, oninput: (event) => onchange(event.target.value) });
  }

  #area(name, value, onchange, more = {}) {
    return h("textarea", { class: "input short", "data-name": name, maxlength: 2000, ...more, oninput: (event) => onchange(event.target.value) }, value ?? "");
  }

  #factName(id, value, set, help) {
    const list = h("datalist", { id: "tree-facts" }, this.desk.checked.facts.map((fact) => h("option", { value: fact.name })));
    return h("div", {}, field("Fact", this.#line("fact", value, set, { list: "tree-facts", maxlength: 200, class: "input mono" }), help), list);
  }

  #question(id, node) {
    const ask = (one) => (one.question = one.question ?? {});
    const setFact = this.#setter(id, "fact", (one, value) => (value ? (ask(one).extractFrom = value) : delete ask(one).extractFrom));
    return [
      field("Question", this.#area("text", node.question?.text, this.#setter(id, "text", (one, value) => (ask(one).text = value))), "Asked back, word for word, when the answer is not known."),
      this.#factName(id, node.question?.extractFrom, setFact, `The name of the answer. Empty: “${id}”. Nodes with the same fact are asked once.`),
      h("h3", {}, "Answers"),
      h("ul", { class: "answers" }, branches(node).map((branch, index) => this.#answer(id, branch, index))),
      h("p", {}, button("Add an answer", () => this.#addAnswer(id), { icon: "plus", "data-name": "add-answer" })),
      this.#synonyms(id, node),
    ];
  }

  #answer(id, { key, label, child }, index) {
    const { desk } = this;
    const renamed = (event) => {
      const wanted = event.target.value.trim();
      const isTaken = branches(nodeAt(desk.tree, id)).some((one) => one.key !== key && one.label.toLowerCase() === wanted.toLowerCase());
      if (!wanted || isTaken || wanted === "__proto__") {
        event.target.value = label;
        desk.say(wanted ? `There is an answer “${wanted}” already.` : "An answer needs a word.");
      } else if (wanted !== label) desk.change(`Answer “${label}” is now “${wanted}”`, (draft) => renameAnswer(draft, id, key, wanted));
    };
    return h(
      "li",
      {},
      h("input", { class: "input", "aria-label": `Answer ${index + 1}`, "data-name": `answer:${index}`, "data-when-left": true, maxlength: 200, value: label, onchange: onceArrived(renamed) }),
      this.#target(`branch:${key}`, child, (to) => this.#lead(id, key, label, to), { "aria-label": `“${label}” leads to`, except: id }),
      h("button", { type: "button", class: "btn btn-s btn-bare", "aria-label": `Remove the answer “${label}”`, onclick: () => desk.change(`Removed the answer “${label}”`, (draft) => removeAnswer(draft, id, key)) }, "Remove"),
    );
  }

  #addAnswer(id) {
    this.desk.change("Added an answer", (draft) => void addAnswer(draft, id));
    this.focus(`answer:${branches(nodeAt(this.desk.tree, id)).length - 1}`, { replace: true });
  }

  #synonyms(id, node) {
    const of = (label) => (node.question?.synonyms?.[label] ?? []).join(", ");
    const set = (label) =>
      this.#setter(id, `synonyms:${label}`, (one, text) => {
        const words = text.split(",").map((word) => word.trim()).filter(Boolean);
        const { [label]: _, ...others } = one.question.synonyms ?? {};
        one.question.synonyms = words.length ? { ...others, [label]: words } : others;
        if (!Object.keys(one.question.synonyms).length) delete one.question.synonyms;
      });
    const lines = branches(node).map(({ label }) => field(label, this.#line(`synonyms:${label}`, of(label), set(label))));
    return h("details", { class: "fold", "data-name": "synonyms" }, h("summary", {}, "Other words for the answers"), h("div", { class: "stack-s" }, h("p", { class: "small" }, "Separated by commas: “coastal, sea spray”."), lines));
  }

  #condition(id, node) {
    const { operator = "eq", value = "" } = node.condition ?? {};
    const on = (one) => (one.condition = one.condition ?? { field: "", operator: "eq", value: "" });
    const set = (name, put) => this.#setter(id, name, put);
    const known = this.desk.checked.facts.find((fact) => fact.name === factOf(id, node));
    const help = known ? `A ${known.type}${known.unit ? ` in ${known.unit}` : ""}, read from the question or asked for.` : "A name for what has to be known.";
    const isList = operator === "in";
    const shown = Array.isArray(value) ? value.join("\n") : String(value);
    const control = isList
      ? this.#area("value", shown, set("value", (one, text) => (on(one).value = listed(text))))
      : this.#line("value", shown, set("value", (one, text) => (on(one).value = typed(text))), { maxlength: 2000 });
    const chooseOperator = (chosen) => this.desk.change(`Compares otherwise: ${OPERATORS[chosen]}`, (draft) => recast(on(draft.tree.nodes[id]), chosen));
    return [
      this.#factName(id, node.condition?.field, set("fact", (one, name) => (on(one).field = name)), help),
      h("div", { class: "duo" }, field("Is", choice(Object.entries(OPERATORS), operator, chooseOperator, { "data-name": "operator" })), field(isList ? "Values" : "Value", control, isList ? "One on a line." : "")),
      h("div", { class: "duo" }, branches(node).map(({ key, label, child }) => field(`If ${label}`, this.#target(`branch:${key}`, child, (to) => this.#lead(id, key, label, to), { except: id })))),
    ];
  }

  #action(id, node) {
    const on = (one) => (one.action = one.action ?? { recommendation: "" });
    const set = (name) => this.#setter(id, name, (one, value) => (value || name === "recommendation" ? (on(one)[name] = value) : delete on(one)[name]));
    const severity = (value) => this.desk.change(`Severity of “${this.desk.labelOf(id)}”: ${value || "none"}`, (draft) => {
      if (value) on(draft.tree.nodes[id]).severity = value;
      else delete on(draft.tree.nodes[id]).severity;
    });
    return [
      field("Recommendation", this.#area("recommendation", node.action?.recommendation, set("recommendation")), "What a professional would do here, with its unit."),
      field("Source hint", this.#line("sourceHint", node.action?.sourceHint, set("sourceHint"), { maxlength: 2000 }), "Words that find the page that proves it: “Table 16, note 3”."),
      this.hintOf(id),
      this.endPart(id),
      field("Severity", choice(SEVERITIES, node.action?.severity ?? "", severity, { "data-name": "severity" })),
    ];
  }

  // --- what every node has

  #around(id, node) {
    const { desk } = this;
    const fact = factOf(id, node);
    const kinds = Object.entries(KINDS);
    const turn = (kind) => desk.change(`“${desk.labelOf(id)}” is now a ${kind}`, (draft) => turnInto(draft, id, kind));
    return [
      fact ? this.#fact(fact) : null,
      h("details", { class: "fold", "data-name": "from" }, h("summary", {}, "What leads here ", h("span", { class: "faint num" }, leadingTo(desk.tree, id).length)), h("div", { class: "stack-s" }, this.#from(id))),
      h("details", { class: "fold", "data-name": "more" }, h("summary", {}, "Id and kind"), h("div", { class: "stack-s" }, [
        field("Id", h("input", { class: "input mono", "data-name": "id", "data-when-left": true, value: id, maxlength: 200, onchange: onceArrived((event) => this.#rename(id, event.target)) }), "Test cases and golden questions name it; test cases follow."),
        field("Kind", choice(kindOf(node) === "unknown" ? [["", "choose"], ...kinds] : kinds, kindOf(node), turn, { "data-name": "kind" }), "Another kind keeps the label and forgets the rest."),
      ])),
    ];
  }

  #from(id) {
    const { desk } = this;
    const led = leadingTo(desk.tree, id).map(({ from, label }) => h("li", {}, button(`${desk.labelOf(from)}: ${label}`, () => desk.select(from, { focus: true }), { look: "btn-bare" })));
    const open = openBranches(desk.tree).filter(({ from }) => from !== id);
    const more = readingOrder(desk.tree).filter((one) => one !== id && kindOf(desk.tree.nodes[one]) === "question");
    const options = [
      ["", "choose a branch"],
      ...open.map(({ from, key, label }) => [JSON.stringify([from, key]), `${desk.labelOf(from)}: ${label}`]),
      ...more.map((from) => [JSON.stringify([from, null]), `${desk.labelOf(from)}: a new answer`]),
    ];
    const lead = (chosen) => {
      if (!chosen) return;
      const [from, key] = JSON.parse(chosen);
      desk.change(`“${desk.labelOf(from)}” leads to “${desk.labelOf(id)}”`, (draft) => connect(draft, from, key ?? freeBranch(draft, from), id));
    };
    return [
      desk.tree.rootNodeId === id ? h("p", { class: "small" }, "The tree starts here.") : null,
      led.length ? h("ul", {}, led) : null,
      field("Lead here from", choice(options, "", lead, { "data-name": "lead-here" })),
      desk.tree.rootNodeId === id ? null : button("Start the tree here", () => desk.change(`Starts at “${desk.labelOf(id)}”`, (draft) => void (draft.tree.rootNodeId = id)), { icon: "flag" }),
    ];
  }

  #rename(id, input) {
    const wanted = input.value.trim();
    if (wanted === id) return;
    const isTaken = !wanted || wanted === "__proto__" || nodeAt(this.desk.tree, wanted) !== null;
    if (isTaken) {
      input.value = id;
      this.desk.say(wanted ? `Another node has the id “${wanted}”.` : "A node needs an id.");
      return;
    }
    this.desk.change(`The id is now “${wanted}”`, (draft) => (rename(draft, id, wanted) ? wanted : id));
  }

  #actions(id) {
    return [
      button("Duplicate", () => this.desk.change(`Copied “${this.desk.labelOf(id)}”; nothing leads to the copy yet`, (draft) => duplicate(draft, id)), { icon: "copy" }),
      button("Remove", () => this.removeNode(id), { look: "btn-bare btn-stop" }),
    ];
  }

  /** A select of nodes, with a new one of each kind. */
  #target(name, value, onchange, { isRoot = false, except = null, ...more } = {}) {
    const { tree } = this.desk;
    const nodes = readingOrder(tree).filter((id) => id !== except).map((id) => [id, distinctName(tree, id)]);
    const isKnown = nodes.some(([id]) => id === value);
    const lost = value && !isKnown ? [[value, `${value} (does not exist)`]] : [];
    const made = isRoot ? [] : [{ group: "New", options: Object.entries(KINDS).map(([kind, word]) => [JSON.stringify({ kind }), `New ${word.toLowerCase()}`]) }];
    const options = [["", isRoot ? "choose a node" : "nowhere yet"], ...lost, { group: "Nodes", options: nodes }, ...made];
    return choice(options, value ?? "", onchange, { "data-name": name, ...more });
  }

  #lead(id, key, label, to) {
    const { desk } = this;
    if (to.startsWith("{")) {
      const { kind } = JSON.parse(to);
      desk.change(`Added a ${kind}; “${label}” leads to it`, (draft) => add(draft, kind, { from: id, key }));
      this.focus("", { replace: true });
    } else desk.change(`“${label}” leads to ${to ? `“${desk.labelOf(to)}”` : "nothing"}`, (draft) => connect(draft, id, key, to || null));
  }
}

/** The label of a node; where another has the same, with what tells them apart. */
function distinctName(tree, id) {
  const label = labelOf(tree, id);
  if (!Object.keys(tree.nodes).some((other) => other !== id && labelOf(tree, other) === label)) return label;
  const [led] = leadingTo(tree, id);
  const more = kindOf(tree.nodes[id]) === "action" ? summary(id, tree.nodes[id]) : led ? `after “${led.label}”` : "";
  return more ? `${label} · ${more}` : `${label} · ${id}`;
}

/** A number where a number was written; otherwise the text, which may carry a unit. */
function typed(text) {
  return /^-?(0|[1-9]\d{0,14})(\.\d{1,10})?$/.test(text.trim()) ? Number(text) : text;
}

function listed(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean).map(typed);
}

function recast(condition, operator) {
  condition.operator = operator;
  if (operator === "in" && !Array.isArray(condition.value)) condition.value = condition.value === "" ? [] : [condition.value];
  if (operator !== "in" && Array.isArray(condition.value)) condition.value = condition.value[0] ?? "";
}
