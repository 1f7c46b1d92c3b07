// Test cases: what the tree must do with a sentence or with facts. They run with every check, and are saved with the tree.

import { button, choice, h, icon, onceArrived } from "./dom.js";
import { labelOf, nodeAt, readingOrder } from "./model.js";

const MOST = 100;

export class Cases {
  constructor(desk, { sheet, tryIt }) {
    Object.assign(this, { desk, tryIt });
    this.list = sheet.querySelector("ul");
    this.count = sheet.querySelector("[data-count]");
    this.foot = sheet.querySelector("footer");
  }

  draw() {
    const { cases } = this.desk.draft;
    const results = this.desk.checked.cases;
    const passed = results.filter((result) => result.passed).length;
    const vacant = h("li", { class: "small" }, "None yet. Run a question under “Try it” and save it as a test case: every later change is checked against it.");
    this.list.replaceChildren(...(cases.length ? cases.map((one, index) => this.#item(one, results[index], index)) : [vacant]));
    this.count.className = `state row-end ${passed === cases.length ? "ok" : "no"}`;
    this.count.hidden = !cases.length;
    this.count.replaceChildren(icon(passed === cases.length ? "check" : "x"), `${passed} of ${cases.length} pass`);
    this.#cover();
  }

  #item(one, result, index) {
    const { desk } = this;
    const sign = result?.passed ? h("span", { class: "ok" }, icon("check"), h("span", { class: "sr" }, "Passes: ")) : h("span", { class: "no" }, icon("x"), h("span", { class: "sr" }, "Fails: "));
    const wants = one.expectation === "asks" ? `must ask for ${one.expected}` : `must reach “${labelOf(desk.tree, one.expected)}”`;
    const said = result && !result.passed ? `, but ${result.said}` : "";
    const facts = Object.entries(one.facts).map(([name, value]) => `${name} ${value}`).join(", ");
    const input = [one.sentence && `“${one.sentence}”`, facts].filter(Boolean).join(" with ");
    return h("li", { class: "problem" }, sign, h("div", { class: "stack-s grow" }, [
      h("span", {}, h("b", {}, one.name), h("br"), input, h("br"), h("span", { class: result?.passed === false ? "no" : "faint" }, `${wants}${said}`)),
      h("span", { class: "row" }, [
        button("Show", () => this.#show(one), { look: "btn-bare", "aria-label": `Show the path of “${one.name}”` }),
        ...(desk.mayChange ? [this.#edit(one, index), button("Remove", () => this.#change(`Removed the case “${one.name}”`, (list) => list.splice(index, 1)), { look: "btn-bare btn-stop", "aria-label": `Remove the case “${one.name}”` })] : []),
      ]),
    ]));
  }

  #edit(one, index) {
    const { desk } = this;
    const set = (key) => (event) => ![one[key], ""].includes(event.target.value.trim()) && this.#change("Changed a case", (list) => void (list[index][key] = event.target.value.trim()));
    const nodes = readingOrder(desk.tree).map((id) => [JSON.stringify(["reaches", id]), `reaches ${labelOf(desk.tree, id)}`]);
    const asks = desk.checked.facts.map((fact) => [JSON.stringify(["asks", fact.name]), `asks for ${fact.name}`]);
    const value = JSON.stringify([one.expectation, one.expected]);
    const isKnown = [...nodes, ...asks].some(([known]) => known === value);
    const wanted = choice([...(isKnown ? [] : [[value, `${one.expectation} ${one.expected} (gone)`]]), { group: "Node", options: nodes }, { group: "Question", options: asks }], value, (chosen) => {
      const [expectation, expected] = JSON.parse(chosen);
      this.#change("Changed a case", (list) => Object.assign(list[index], { expectation, expected }));
    }, { "aria-label": `What “${one.name}” must do` });
    const name = h("input", { class: "input", "data-when-left": true, value: one.name, maxlength: 120, "aria-label": `Name of the case “${one.name}”`, onchange: onceArrived(set("name")) });
    return h("details", { class: "fold" }, h("summary", {}, "Edit"), h("div", { class: "stack-s" }, name, wanted));
  }

  #change(said, alter) {
    this.desk.change(said, (draft) => void alter(draft.cases));
  }

  #show(one) {
    const { tryIt } = this;
    tryIt.sentence.value = one.sentence;
    tryIt.facts = Object.fromEntries(Object.entries(one.facts).map(([name, value]) => [name, String(value)]));
    tryIt.drawFacts();
    tryIt.walk();
  }

  /** Keep a walk as a case that expects what the walk did. */
  keep({ walked, sentence, facts }) {
    const { desk } = this;
    if (desk.draft.cases.length >= MOST) return desk.say(`A tree has at most ${MOST} test cases.`);
    const end = walked.path.at(-1);
    if (!end) return desk.say("The walk did not start: there is nothing to expect.");
    const wants = walked.missing ? { expectation: "asks", expected: walked.missing.field } : { expectation: "reaches", expected: end.node };
    const name = (sentence.value.trim() || end.label || end.node).slice(0, 120);
    const one = { name, sentence: sentence.value.trim(), facts: { ...facts }, ...wants };
    return this.#change(`Kept as a test case: ${name}`, (list) => list.push(one));
  }

  #cover() {
    const { ends, branches, missedEnds, missedBranches } = this.desk.checked.coverage;
    if (!this.desk.draft.cases.length) return this.foot.replaceChildren(h("span", {}, "Nothing is covered yet."));
    const missed = [
      ...missedEnds.filter((id) => nodeAt(this.desk.tree, id)).map((id) => [id, labelOf(this.desk.tree, id)]),
      ...missedBranches.filter(([id]) => nodeAt(this.desk.tree, id)).map(([id, key]) => [id, `${labelOf(this.desk.tree, id)}: ${{ true: "yes", false: "no" }[key] ?? key}`]),
    ];
    const items = missed.map(([id, words]) => h("li", {}, button(words, () => this.desk.select(id, { focus: true }), { look: "btn-bare" })));
    return this.foot.replaceChildren(
      h("span", { class: "num" }, `Cases reach ${ends - missedEnds.length} of ${ends} ends, ${branches - missedBranches.length} of ${branches} branches`),
      items.length ? h("details", { class: "fold" }, h("summary", {}, `${items.length} not reached`), h("ul", {}, items)) : "",
    );
  }
}
