// What a tree is made of, and every change that can be made to it. A change gets a copy of the draft to work on
// (`history.js`), so these functions may alter what they are given.
//
// A draft is {name, description, tree: {rootNodeId, nodes, fields}, cases}.

export const KINDS = { question: "Question", condition: "Condition", action: "Action" };
export const OPERATORS = {
  eq: "equal to",
  gt: "greater than",
  gte: "at least",
  lt: "less than",
  lte: "at most",
  contains: "containing",
  in: "one of",
};
const SIGNS = { eq: "=", gt: ">", gte: "≥", lt: "<", lte: "≤", contains: "contains", in: "is one of" };
const SIDES = { true: "trueChildId", false: "falseChildId" };

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const asText = (value) => (typeof value === "string" ? value : "");
const same = (one, other) => one.trim().toLowerCase() === other.trim().toLowerCase();

/** The tree with nodes that can be drawn, whatever was stored. */
export function sound(tree) {
  const given = isObject(tree) ? tree : {};
  const nodes = isObject(given.nodes) ? given.nodes : {};
  const mended = Object.entries(nodes).map(([id, node]) => [id, isObject(node) ? node : { id, label: String(node) }]);
  return { ...given, rootNodeId: asText(given.rootNodeId), nodes: Object.fromEntries(mended) };
}

export function nodeAt(tree, id) {
  return typeof id === "string" && Object.hasOwn(tree.nodes, id) ? tree.nodes[id] : null;
}

export function kindOf(node) {
  return Object.hasOwn(KINDS, asText(node?.type)) ? node.type : "unknown";
}

export function kindWord(node) {
  return KINDS[kindOf(node)] ?? "Unknown kind";
}

export function labelOf(tree, id) {
  const node = nodeAt(tree, id);
  return asText(node?.label).trim() || id;
}

/** The name of the fact that a question or a condition reads. */
export function factOf(id, node) {
  if (kindOf(node) === "condition") return asText(node.condition?.field);
  return kindOf(node) === "question" ? asText(node.question?.extractFrom) || id : "";
}

/** What stands under the label. */
export function summary(id, node) {
  if (kindOf(node) === "condition") {
    const { operator, value } = node.condition ?? {};
    return `${factOf(id, node)} ${SIGNS[operator] ?? asText(operator)} ${Array.isArray(value) ? value.join(", ") : (value ?? "")}`;
  }
  if (kindOf(node) === "question") {
    const count = branches(node).length;
    const answers = count === 1 ? "1 answer" : `${count} answers`;
    return node.question?.extractFrom ? `${factOf(id, node)}, ${answers}` : answers;
  }
  if (kindOf(node) !== "action") return "no known kind";
  const { recommendation, sourceHint } = node.action ?? {};
  return same(asText(recommendation), asText(node.label)) ? asText(sourceHint) : asText(recommendation);
}

/** The ways on from a node: {key, label, child}; `child` is null where nothing follows yet. */
export function branches(node) {
  if (kindOf(node) === "condition") {
    return Object.entries(SIDES).map(([key, side]) => ({
      key,
      label: key === "true" ? "yes" : "no",
      child: asText(node[side]) || null,
    }));
  }
  if (kindOf(node) !== "question") return [];
  const led = isObject(node.childrenByAnswer) ? node.childrenByAnswer : {};
  const keys = Object.keys(led);
  const offered = options(node).map((label) => ({ label, key: keys.find((key) => same(key, label)) ?? label }));
  const others = keys.filter((key) => !offered.some((one) => one.key === key)).map((key) => ({ key, label: key }));
  return [...offered, ...others].map((one) => ({ ...one, child: asText(led[one.key]) || null }));
}

function options(node) {
  const offered = node.question?.options;
  return Array.isArray(offered) ? offered.filter((option) => typeof option === "string") : [];
}

/** Ids from the root on, each branch to its end before the next; then those that nothing leads to. */
export function readingOrder(tree) {
  const seen = new Set();
  const waiting = [...Object.keys(tree.nodes).reverse(), tree.rootNodeId];
  while (waiting.length) {
    const id = waiting.pop();
    const node = nodeAt(tree, id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    waiting.push(...branches(node).map((branch) => branch.child).filter(Boolean).reverse());
  }
  return [...seen];
}

export function reachable(tree) {
  const seen = new Set();
  const waiting = [tree.rootNodeId];
  while (waiting.length) {
    const id = waiting.pop();
    const node = nodeAt(tree, id);
    if (!node || seen.has(id)) continue;
    seen.add(id);
    waiting.push(...branches(node).map((branch) => branch.child).filter(Boolean));
  }
  return seen;
}

/** Every branch that leads to a node: {from, key, label}. */
export function leadingTo(tree, id) {
  return Object.entries(tree.nodes).flatMap(([from, node]) =>
    branches(node).filter((branch) => branch.child === id).map(({ key, label }) => ({ from, key, label })),
  );
}

/** Every branch that leads nowhere: {from, key, label}. */
export function openBranches(tree) {
  return Object.entries(tree.nodes).flatMap(([from, node]) =>
    branches(node).filter((branch) => !nodeAt(tree, branch.child)).map(({ key, label }) => ({ from, key, label })),
  );
}

function freshId(tree, base) {
  for (let number = 1; ; number += 1) if (!Object.hasOwn(tree.nodes, `${base}_${number}`)) return `${base}_${number}`;
}

function blank(id, kind) {
  const node = { id, type: kind, label: `New ${kind}` };
  if (kind === "question") return { ...node, question: { text: "", options: [] }, childrenByAnswer: {} };
  if (kind === "condition") return { ...node, condition: { field: "", operator: "eq", value: "" } };
  return { ...node, action: { recommendation: "", sourceHint: "" } };
}

/** A new node, led to from the branch or, without one, from whatever way on the node `from` still has. Returns its id. */
export function add(draft, kind, { from = null, key = null, id = null } = {}) {
  const { tree } = draft;
  const made = id && !Object.hasOwn(tree.nodes, id) ? id : freshId(tree, kind);
  tree.nodes[made] = blank(made, kind);
  if (!nodeAt(tree, tree.rootNodeId)) tree.rootNodeId = made;
  else if (from !== null) connect(draft, from, key ?? freeBranch(draft, from), made);
  return made;
}

/** The first branch of a node that leads nowhere; of a question without one, a new answer; null where all are taken. */
export function freeBranch(draft, from) {
  const node = nodeAt(draft.tree, from);
  const open = branches(node).find((branch) => !nodeAt(draft.tree, branch.child));
  if (open) return open.key;
  return kindOf(node) === "question" ? addAnswer(draft, from) : null;
}

/** Lead a branch to a node, or to nothing. */
export function connect(draft, from, key, to) {
  const node = nodeAt(draft.tree, from);
  if (key === null || !node) return;
  if (kindOf(node) === "condition") {
    if (to) node[SIDES[key]] = to;
    else delete node[SIDES[key]];
  } else if (kindOf(node) === "question") {
    node.childrenByAnswer = isObject(node.childrenByAnswer) ? node.childrenByAnswer : {};
    if (to) node.childrenByAnswer[key] = to;
    else delete node.childrenByAnswer[key];
    if (!branches(node).some((branch) => branch.key === key)) offer(node, key);
  }
}

function offer(node, answer) {
  node.question = isObject(node.question) ? node.question : { text: "" };
  // Options are all or none: a list with this one alone would say that the others are no answers.
  const offered = options(node).length ? options(node) : branches(node).map((branch) => branch.label);
  node.question.options = [...offered, answer];
}

export function addAnswer(draft, id) {
  const node = nodeAt(draft.tree, id);
  const taken = branches(node).map((branch) => branch.label);
  let number = taken.length + 1;
  while (taken.some((label) => same(label, `answer ${number}`))) number += 1;
  offer(node, `answer ${number}`);
  return `answer ${number}`;
}

/** Say an answer in other words; the branch and its synonyms stay. */
export function renameAnswer(draft, id, key, label) {
  const node = nodeAt(draft.tree, id);
  const old = branches(node).find((branch) => branch.key === key);
  const led = Object.entries(isObject(node.childrenByAnswer) ? node.childrenByAnswer : {});
  node.childrenByAnswer = Object.fromEntries(led.map(([answer, child]) => [answer === key ? label : answer, child]));
  if (options(node).length) node.question.options = options(node).map((one) => (one === old?.label ? label : one));
  const synonyms = node.question?.synonyms;
  if (isObject(synonyms) && old && Object.hasOwn(synonyms, old.label)) {
    node.question.synonyms = Object.fromEntries(Object.entries(synonyms).map(([one, words]) => [one === old.label ? label : one, words]));
  }
}

export function removeAnswer(draft, id, key) {
  const node = nodeAt(draft.tree, id);
  const old = branches(node).find((branch) => branch.key === key);
  if (isObject(node.childrenByAnswer)) delete node.childrenByAnswer[key];
  if (options(node).length) node.question.options = options(node).filter((one) => one !== old?.label);
  if (old && isObject(node.question?.synonyms)) delete node.question.synonyms[old.label];
}

/** Take a node out. What led to it leads nowhere afterwards, so that nothing is forgotten. */
export function remove(draft, id) {
  const { tree } = draft;
  const next = branches(nodeAt(tree, id)).map((branch) => branch.child).find((child) => child !== id && nodeAt(tree, child));
  for (const { from, key } of leadingTo(tree, id)) connect(draft, from, key, null);
  delete tree.nodes[id];
  if (tree.rootNodeId === id) tree.rootNodeId = next ?? Object.keys(tree.nodes)[0] ?? "";
}

/** A copy that nothing leads to yet. Returns its id. */
export function duplicate(draft, id) {
  const copy = structuredClone(nodeAt(draft.tree, id));
  copy.id = freshId(draft.tree, id.replace(/_\d+$/, ""));
  copy.label = `${asText(copy.label)} (copy)`;
  draft.tree.nodes[copy.id] = copy;
  return copy.id;
}

/** Give a node another id, everywhere: in branches, at the start, in test cases. False when it is taken or empty. */
export function rename(draft, id, wanted) {
  const { tree } = draft;
  if (!wanted || wanted === "__proto__" || Object.hasOwn(tree.nodes, wanted)) return false;
  const led = leadingTo(tree, id);
  // A question without a fact of its own is asked for by its id: the fact keeps its name.
  const node = tree.nodes[id];
  if (kindOf(node) === "question" && isObject(node.question) && !node.question.extractFrom) node.question.extractFrom = id;
  tree.nodes = Object.fromEntries(Object.entries(tree.nodes).map(([key, one]) => (key === id ? [wanted, { ...one, id: wanted }] : [key, one])));
  for (const { from, key } of led) connect(draft, from === id ? wanted : from, key, wanted);
  if (tree.rootNodeId === id) tree.rootNodeId = wanted;
  for (const one of draft.cases) if (one.expectation === "reaches" && one.expected === id) one.expected = wanted;
  return true;
}

/** Make another kind of node of it. Its label stays; where it led is forgotten. */
export function turnInto(draft, id, kind) {
  const { label } = nodeAt(draft.tree, id);
  draft.tree.nodes[id] = { ...blank(id, kind), label: asText(label) };
}

/** What the author says about a fact; an empty declaration is taken out. */
export function declare(draft, name, key, value) {
  const fields = isObject(draft.tree.fields) ? draft.tree.fields : {};
  const declared = isObject(fields[name]) ? { ...fields[name] } : {};
  const isEmpty = value === "" || (Array.isArray(value) && !value.length) || (isObject(value) && !Object.keys(value).length);
  if (isEmpty) delete declared[key];
  else declared[key] = value;
  if (key === "type" && value !== "number") delete declared.unit;
  if (key === "type" && !value) delete fields[name];
  else fields[name] = declared;
  draft.tree.fields = fields;
  if (!Object.keys(fields).length) delete draft.tree.fields;
}

/** The answers of all questions that ask for a fact. */
export function answersOf(tree, name) {
  const asking = Object.entries(tree.nodes).filter(([id, node]) => kindOf(node) === "question" && factOf(id, node) === name);
  return asking.flatMap(([, node]) => branches(node).map((branch) => branch.label));
}

export function declarationOf(tree, name) {
  return isObject(tree.fields) && Object.hasOwn(tree.fields, name) && isObject(tree.fields[name]) ? tree.fields[name] : {};
}
