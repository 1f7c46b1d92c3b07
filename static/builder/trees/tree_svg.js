// The tree as SVG. Elements are kept by id: a change touches what changed, and a selection touches two nodes.

import { h, s } from "./dom.js";
import { HEIGHTS, WIDTH, arrange, fitted, signature } from "./layout.js";
import { kindOf, kindWord, labelOf, summary } from "./model.js";

const LABEL = "500 13px Inter, system-ui, sans-serif";
const SUB = "400 12px Inter, system-ui, sans-serif";
const END = 10; // half of the length of a line at whose end it is dragged to another node
const INSET = { question: 24, condition: 24, action: 14, unknown: 14 };

export class TreeSvg {
  #nodes = new Map();
  #edges = new Map();
  #signature = "";
  #worst = new Map();
  #selected = null;

  constructor(svg) {
    this.svg = svg;
    this.edgeLayer = s("g", {});
    this.nodeLayer = s("g", {});
    svg.append(s("defs", {}, tip("tree-tip", ""), tip("tree-tip-lit", "lit"), tip("tree-tip-gone", "gone")));
    svg.append(this.edgeLayer, this.nodeLayer);
    this.placed = { width: 0, height: 0, nodes: new Map(), edges: [] };
  }

  /** Draw the tree. Only a change of its shape is laid out anew; says whether it was. */
  draw(tree) {
    const now = signature(tree);
    const isNew = now !== this.#signature;
    performance.mark("tree-layout-start");
    if (isNew) this.placed = arrange(tree);
    performance.measure("tree-layout", "tree-layout-start");
    performance.mark("tree-draw-start");
    if (isNew) this.#drawEdges();
    this.#drawNodes(tree);
    this.#signature = now;
    performance.measure("tree-draw", "tree-draw-start");
    return isNew;
  }

  #drawEdges() {
    const gone = new Set(this.#edges.keys());
    for (const edge of this.placed.edges) {
      gone.delete(edge.id);
      const element = this.#edges.get(edge.id) ?? this.#newEdge(edge);
      const [hit, line, label, end] = element.children;
      element.setAttribute("class", edge.to ? "branch" : "branch open");
      hit.setAttribute("d", edge.path);
      line.setAttribute("d", edge.path);
      line.setAttribute("marker-end", `url(#tree-tip${edge.to ? "" : "-gone"})`);
      label.setAttribute("x", edge.labelX);
      label.setAttribute("y", edge.labelY + 4);
      label.textContent = edge.words;
      end.setAttribute("cx", edge.end.x - END);
      end.setAttribute("cy", edge.end.y);
    }
    for (const id of gone) {
      this.#edges.get(id).remove();
      this.#edges.delete(id);
    }
  }

  #newEdge({ id, from, key }) {
    // Everything a branch can do is in the panel of its node: here it is for the pointer alone.
    const element = s("g", { "aria-hidden": "true", "data-from": from, "data-key": key });
    element.append(s("path", { class: "hit" }), s("path", { class: "edge" }), s("text", { "text-anchor": "middle" }));
    element.append(s("circle", { class: "tip", r: END }));
    this.#edges.set(id, element);
    this.edgeLayer.append(element);
    return element;
  }

  #drawNodes(tree) {
    const gone = new Set(this.#nodes.keys());
    let before = null;
    for (const [id, place] of this.placed.nodes) {
      gone.delete(id);
      const one = this.#nodes.get(id) ?? this.#newNode(id);
      this.#dress(one, tree, id);
      const at = `translate(${place.x} ${place.y})`;
      if (one.at !== at) one.element.setAttribute("transform", (one.at = at));
      this.#putAfter(before, one.element);
      before = one.element;
    }
    for (const id of gone) {
      this.#nodes.get(id).element.remove();
      this.#nodes.delete(id);
    }
  }

  /** Focus goes in reading order; an element that stands right is not moved, for moving it would lose the focus. */
  #putAfter(before, element) {
    const expected = before ? before.nextSibling : this.nodeLayer.firstChild;
    if (expected === element) return;
    const hadFocus = element === document.activeElement;
    this.nodeLayer.insertBefore(element, expected);
    if (hadFocus) element.focus({ preventScroll: true });
  }

  #newNode(id) {
    const element = s("g", { tabindex: "0", role: "button", "data-node": id });
    const one = { element, look: "", at: "" };
    this.#nodes.set(id, one);
    return one;
  }

  #dress(one, tree, id) {
    const node = tree.nodes[id];
    const [kind, label, sub] = [kindOf(node), labelOf(tree, id), summary(id, node)];
    const problem = this.#worst.get(id);
    const isRoot = id === tree.rootNodeId;
    const look = JSON.stringify([kind, label, sub, problem, isRoot, node.action?.severity]);
    if (one.look !== look) {
      one.look = look;
      one.element.replaceChildren(...inside(kind, label, sub, problem?.severity));
      const spoken = [kindWord(node), label, sub, isRoot && "the first node", severity(node), problem && `problem: ${problem.message}`];
      one.element.setAttribute("aria-label", spoken.filter(Boolean).join(", "));
    }
    this.#style(one.element, id, kind);
  }

  #style(element, id, kind) {
    const { severity: worst } = this.#worst.get(id) ?? {};
    const classes = ["node", kind === "action" && "act", worst === "error" && "bad", worst === "warning" && "hint"];
    classes.push(id === this.#selected && "sel", this.lit?.nodes.has(id) && "lit");
    const wanted = classes.filter(Boolean).join(" ");
    if (element.getAttribute("class") !== wanted) element.setAttribute("class", wanted);
    if (id === this.#selected) element.setAttribute("aria-current", "true");
    else element.removeAttribute("aria-current");
  }

  #restyle(id, tree) {
    const one = this.#nodes.get(id);
    if (one && tree.nodes[id]) this.#style(one.element, id, kindOf(tree.nodes[id]));
  }

  select(id, tree) {
    const before = this.#selected;
    this.#selected = id;
    if (before !== id) this.#restyle(before, tree);
    this.#restyle(id, tree);
  }

  /** Show each problem on the node it belongs to, the worst first. */
  mark(problems, tree) {
    const before = this.#worst;
    this.#worst = new Map();
    for (const problem of problems) if (problem.node !== null && !this.#worst.has(problem.node)) this.#worst.set(problem.node, problem);
    for (const id of new Set([...before.keys(), ...this.#worst.keys()])) {
      const one = this.#nodes.get(id);
      if (one && tree.nodes[id]) this.#dress(one, tree, id);
    }
  }

  /** Light up nodes and branches: {nodes: [ids], branches: [[id, key]]}, or null for none. */
  light(path, tree) {
    const before = this.lit;
    this.lit = path && { nodes: new Set(path.nodes), edges: new Set(path.branches.map((branch) => JSON.stringify(branch))) };
    for (const id of new Set([...(before?.nodes ?? []), ...(this.lit?.nodes ?? [])])) this.#restyle(id, tree);
    for (const id of new Set([...(before?.edges ?? []), ...(this.lit?.edges ?? [])])) this.#lightEdge(id);
  }

  #lightEdge(id) {
    const element = this.#edges.get(id);
    if (!element) return;
    const isLit = this.lit?.edges.has(id) ?? false;
    element.classList.toggle("lit", isLit);
    element.children[1].setAttribute("marker-end", `url(#tree-tip${isLit ? "-lit" : ""})`);
    if (isLit) this.edgeLayer.append(element); // above those that are not
  }

  elementOf(id) {
    return this.#nodes.get(id)?.element ?? null;
  }

  focus(id) {
    this.elementOf(id)?.focus({ preventScroll: true });
  }
}

function severity(node) {
  return kindOf(node) === "action" && node.action?.severity ? `severity ${node.action.severity}` : "";
}

function tip(id, look) {
  const shape = s("path", { class: `edge ${look}`, d: "M1 1 7 4 1 7" });
  return s("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" }, shape);
}

function inside(kind, label, sub, worst) {
  const height = HEIGHTS[kind];
  const most = WIDTH - 2 * INSET[kind];
  const at = { x: INSET[kind], most };
  return [
    s("title", {}, label),
    shape(kind, height),
    // The node is named in full; what is drawn is not read a second time.
    ...line(label, LABEL, { ...at, y: height / 2 + (sub ? -3 : 4), look: "" }),
    " ", // keeps the two apart where they are copied as one text
    ...(sub ? line(sub, SUB, { ...at, y: height / 2 + 14, look: "sub" }) : []),
    worst ? badge(worst) : null,
    kind === "question" || kind === "condition" ? handle(height) : null,
  ].filter(Boolean);
}

/** A line of a node. Where it is too long it is cut on the screen alone: its words stay those that name the node, so that
    it is found by what is read on it. HTML can be cut so, and is then no wider than what is seen of it; SVG text cannot. */
function line(words, font, { x, y, most, look }) {
  const whole = words.replace(/\s+/g, " ");
  if (fitted(whole, most, font) === whole) return [s("text", { class: look, x, y, "aria-hidden": "true" }, whole)];
  const cut = h("div", { class: `cut ${look}`, "aria-hidden": "true" }, whole);
  return [s("foreignObject", { x, y: y - 13, width: most, height: 18 }, cut)];
}

function shape(kind, height) {
  if (kind === "condition") {
    const [right, middle] = [WIDTH, height / 2];
    return s("path", { class: "b box", d: `M14 0H${right - 14}L${right} ${middle}L${right - 14} ${height}H14L0 ${middle}Z` });
  }
  return s("rect", { class: "b", width: WIDTH, height, rx: kind === "question" ? height / 2 : 4 });
}

function badge(worst) {
  const x = WIDTH - 6;
  return s("g", { class: worst === "error" ? "badge" : "badge w" }, s("circle", { cx: x, cy: 2, r: 9 }), s("path", { d: `M${x} -3v6m0 3v.1` }));
}

/** Where a branch can be drawn from with the pointer. */
function handle(height) {
  const middle = height / 2;
  return s("g", { class: "handle" }, s("circle", { cx: WIDTH, cy: middle, r: 12, class: "hit" }), s("circle", { cx: WIDTH, cy: middle, r: 5 }));
}
