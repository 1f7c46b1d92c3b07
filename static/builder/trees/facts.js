// What the author says about a fact: its type, unit, options, other words, and how it is asked for.

import { choice, field, h } from "./dom.js";
import { answersOf, declarationOf, declare, nodeAt } from "./model.js";

const TYPES = [["", "as the nodes use it"], ["choice", "one of several words"], ["number", "a number"], ["boolean", "yes or no"], ["text", "any text"]];

/** What people call a fact: where the answer of a question has no name of its own, by the question's label. */
export function factTitle(desk, name) {
  const asked = nodeAt(desk.tree, name);
  return asked?.question && !asked.question.extractFrom ? desk.labelOf(name) : name.replaceAll("_", " ");
}

/** The type of a fact, in words. */
export const typeWords = (type) => TYPES.find(([key]) => key === type)?.[1] ?? type;

export function factForm(desk, name) {
  const declared = declarationOf(desk.tree, name);
  const set = (key, read, quiet = true) => (value) =>
    desk.change(`Changed the fact “${name}”`, (draft) => declare(draft, name, key, read(value)), { key: `fact:${name}:${key}`, quiet });
  const plain = (value) => value;
  const known = [...(declared.options ?? []), ...answersOf(desk.tree, name), ...Object.keys(declared.synonyms ?? {})];
  const type = choice(TYPES, declared.type ?? "", set("type", plain, false), { "data-name": `fact:${name}:type` });
  const line = (key, value, read = plain) =>
    h("input", { class: "input", type: "text", "data-name": `fact:${name}:${key}`, value, maxlength: 2000, oninput: (event) => set(key, read)(event.target.value) });
  const area = (key, value, read) =>
    h("textarea", { class: "input short", "data-name": `fact:${name}:${key}`, oninput: (event) => set(key, read)(event.target.value) }, value);
  if (!declared.type) return h("div", { class: "stack-s" }, field("Type", type, "Say it yourself to give a unit, options or other words."));
  return h("div", { class: "stack-s" }, [
    field("Type", type),
    declared.type === "number" ? field("Unit", line("unit", declared.unit ?? ""), "What a bare number is in: mm, kg, %.") : null,
    declared.type === "choice" ? field("Options", area("options", (declared.options ?? []).join("\n"), lines), "One on a line.") : null,
    field("Other words", area("synonyms", written(declared.synonyms), (text) => groups(text, known)), "One option on a line: “severe: coastal, sea spray”."),
    field("Asked as", line("question", declared.question ?? ""), "The question when it is missing."),
  ]);
}

function lines(text) {
  return text.split("\n").map((line) => line.trim()).filter(Boolean);
}

function written(synonyms) {
  return Object.entries(synonyms ?? {}).map(([option, words]) => `${option}: ${[words].flat().join(", ")}`).join("\n");
}

/** The words of each option. A line begins with the longest option it can: options may have a colon themselves. */
function groups(text, known) {
  return Object.fromEntries(lines(text).map((line) => parted(line, known)).filter(([option]) => option));
}

function parted(line, known) {
  const begins = known.filter((option) => line.startsWith(option) && /^\s*(:|$)/.test(line.slice(option.length)));
  const longest = begins.sort((one, other) => other.length - one.length)[0];
  const [option, words] = longest === undefined ? atFirstColon(line) : [longest, line.slice(longest.length).replace(/^\s*:/, "")];
  return [option, words.split(",").map((word) => word.trim()).filter(Boolean)];
}

function atFirstColon(line) {
  const [option, ...words] = line.split(":");
  return [option.trim(), words.join(":")];
}
