// What is wrong, in a list: each with a link to its node and, where it is obvious, a way to mend it.

import { h, icon } from "./dom.js";
import { add, branches, connect, leadingTo, nodeAt, openBranches, readingOrder, remove } from "./model.js";

export class Problems {
  /** `found` gives the problems that are found by trying, beside those of the checks. */
  constructor(desk, { sheet, state, openPanel, found }) {
    Object.assign(this, { desk, openPanel, state, found });
    this.list = sheet.querySelector("ul");
    this.count = sheet.querySelector("[data-count]");
  }

  draw(note = "") {
    const problems = [...this.desk.checked.problems, ...this.found()];
    const errors = problems.filter((problem) => problem.severity === "error").length;
    const items = problems.map((problem) => this.#item(problem));
    const none = h("li", { class: "problem" }, h("span", { class: "ok" }, icon("check")), h("span", {}, "Nothing is wrong: every way leads to a recommendation."));
    this.list.replaceChildren(...(note ? [h("li", { class: "problem" }, h("span", { class: "warn" }, icon("alert")), h("span", {}, `Not checked. ${note}`))] : []), ...(items.length ? items : note ? [] : [none]));
    standing(this.count, errors, problems.length - errors, errors === 1 ? "1 blocks a release" : `${errors} block a release`);
    const words = counted(errors, problems.length - errors);
    standing(this.state, errors, problems.length - errors, words);
    return words;
  }

  #item(problem) {
    const isError = problem.severity === "error";
    const sign = h("span", { class: isError ? "no" : "warn" }, icon("alert"), h("span", { class: "sr" }, isError ? "Blocks: " : "Worth a look: "));
    return h("li", { class: "problem" }, sign, h("span", {}, this.#words(problem), " ", ...this.#fixes(problem)));
  }

  /** The message, with the node's name as a link to it. */
  #words(problem) {
    const { desk } = this;
    if (problem.node === null || !nodeAt(desk.tree, problem.node)) return h("span", {}, problem.message, problem.hint && ` ${problem.hint}`);
    const label = desk.labelOf(problem.node);
    const link = h("a", { href: "#tree-canvas", onclick: (event) => this.#go(event, problem.node) }, label);
    const quoted = [`“${label}”`, `“${problem.node}”`].find((name) => problem.message.includes(name));
    if (!quoted) return h("span", {}, link, ": ", problem.message);
    const at = problem.message.indexOf(quoted);
    return h("span", {}, problem.message.slice(0, at), link, problem.message.slice(at + quoted.length));
  }

  #go(event, id) {
    event.preventDefault();
    this.desk.select(id, { focus: true });
  }

  #fixes(problem) {
    if (!this.desk.mayChange) return [];
    const fix = fixOf(this.desk, problem, this.openPanel);
    return (fix ?? []).map(([words, name, act]) => h("button", { type: "button", class: "copy", onclick: act }, icon(name), words));
  }
}

/** As the list of trees says it: what blocks no release is no problem yet. */
function counted(errors, warnings) {
  if (errors) return errors === 1 ? "1 problem" : `${errors} problems`;
  return warnings ? `${warnings} to look at` : "no problems";
}

function standing(element, errors, warnings, words) {
  element.className = `state ${errors ? "no" : warnings ? "warn" : "ok"} ${element.dataset.look ?? ""}`;
  const said = errors || element.dataset.all !== undefined ? words : warnings ? counted(0, warnings) : "checked";
  element.replaceChildren(icon(errors || warnings ? "alert" : "check"), said);
}

/** [[words, icon, act]] for a problem whose remedy is plain; null for the others. */
function fixOf(desk, { code, node: id, message }, openPanel) {
  const node = nodeAt(desk.tree, id);
  const open = (name) => () => {
    desk.select(id);
    openPanel(name);
  };
  const change = (said, alter) => () => desk.change(said, alter);
  const named = node ? branches(node).find(({ label, key }) => message.includes(`“${label.slice(0, 60)}”`) || message.includes(`“${key.slice(0, 60)}”`)) : null;
  const fixes = {
    unmatched_answer: () => unmatched(desk, id, named, message, openPanel),
    missing_child: () => missingChild(desk, id, message, openPanel),
    dangling_child: () => dangling(desk, id),
    unreachable: () => [...connecting(desk, id, open), ["Remove it", "x", change(`Removed “${desk.labelOf(id)}”`, (draft) => remove(draft, id))]],
    id_mismatch: () => [["Make them the same", "check", change("Made the ids the same", (draft) => void (draft.tree.nodes[id].id = id))]],
    missing_root: () => start(desk),
    no_nodes: () => [["Add a question", "plus", change("Added a question", (draft) => add(draft, "question"))]],
    missing_source_hint: () => [["Add a source hint", "pen", open("sourceHint")]],
    missing_label: () => [["Write it", "pen", open("label")]],
    missing_question: () => [["Write it", "pen", open("text")]],
    missing_recommendation: () => [["Write it", "pen", open("recommendation")]],
    missing_field: () => [["Name the fact", "pen", open("fact")]],
    wrong_value: () => [["Correct the value", "pen", open("value")]],
    not_an_option: () => [["Correct the value", "pen", open("value")]],
    unknown_type: () => [["Choose the kind", "pen", open("kind")]],
  };
  return Object.hasOwn(fixes, code) && (node || id === null) ? fixes[code]() : null;
}

function unmatched(desk, id, branch, message, openPanel) {
  if (!branch) return null;
  if (message.includes("is not one of its options")) {
    const offer = (draft) => void draft.tree.nodes[id].question.options.push(branch.key);
    return [["Add it to the options", "plus", () => desk.change(`Added the option “${branch.key}”`, offer)]];
  }
  return [addBranch(desk, id, branch, openPanel)];
}

function addBranch(desk, id, { key, label }, openPanel) {
  const act = () => {
    desk.change(`Added an action; “${label}” leads to it`, (draft) => add(draft, "action", { from: id, key }));
    openPanel("", { replace: true });
  };
  return ["Add the branch", "plus", act];
}

function missingChild(desk, id, message, openPanel) {
  const node = nodeAt(desk.tree, id);
  const side = ["true", "false"].find((one) => message.endsWith(`${one}.`));
  const branch = branches(node).find(({ key }) => key === side) ?? branches(node)[0];
  if (branch) return [addBranch(desk, id, branch, openPanel)];
  return [["Add an answer", "plus", () => (desk.select(id), openPanel("add-answer"))]];
}

function dangling(desk, id) {
  const lost = branches(nodeAt(desk.tree, id)).filter(({ child }) => child && !nodeAt(desk.tree, child));
  return lost.slice(0, 1).flatMap(({ key, child }) => [
    ["Add the node", "plus", () => desk.change(`Added “${child}”`, (draft) => add(draft, "action", { id: child }))],
    ["Lead it nowhere for now", "x", () => desk.change("Took the branch back", (draft) => connect(draft, id, key, null))],
  ]);
}

function connecting(desk, id, open) {
  const free = openBranches(desk.tree).filter(({ from }) => from !== id);
  if (free.length !== 1) return [["Connect it", "right", open("lead-here")]];
  const [{ from, key, label }] = free;
  return [[`Connect it to “${label}”`, "right", () => desk.change(`“${label}” leads to “${desk.labelOf(id)}”`, (draft) => void connect(draft, from, key, id))]];
}

function start(desk) {
  const order = readingOrder(desk.tree);
  const first = order.find((one) => !leadingTo(desk.tree, one).length) ?? order[0];
  return first ? [[`Start at “${desk.labelOf(first)}”`, "flag", () => desk.change(`Starts at “${desk.labelOf(first)}”`, (draft) => void (draft.tree.rootNodeId = first))]] : null;
}
