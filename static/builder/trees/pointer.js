// What the pointer and the keyboard do in the drawing. Everything here can be done in the panel as well.

import { s } from "./dom.js";
import { follow } from "./drag.js";
import { branches, connect, freeBranch, kindOf, leadingTo, nodeAt, readingOrder, remove } from "./model.js";

export function listen({ desk, drawing, view, openPanel, showPanel }) {
  const { svg } = drawing;
  svg.addEventListener("click", (event) => {
    const id = nodeUnder(event.target);
    const branch = event.target.closest?.("[data-from]");
    if (id !== null) desk.select(id);
    else if (branch) desk.select(branch.dataset.from, { open: `branch:${branch.dataset.key}` });
    else if (event.target === svg) desk.select(null);
    if (id !== null || branch) showPanel();
  });
  svg.addEventListener("dblclick", (event) => nodeUnder(event.target) !== null && openPanel());
  // On the canvas: an SVG that listens for the focus would itself be a stop of Tab.
  svg.parentElement.addEventListener("focusin", (event) => {
    const id = nodeUnder(event.target);
    if (id !== null && event.target.matches(":focus-visible")) view.reveal(drawing.placed.nodes.get(id));
  });
  svg.addEventListener("keydown", (event) => pressed(event, { desk, drawing, openPanel }));
  svg.addEventListener("pointerdown", (event) => drawBranch(event, { desk, drawing }));
}

function nodeUnder(element) {
  return element?.closest?.("[data-node]")?.dataset.node ?? null;
}

function pressed(event, { desk, drawing, openPanel }) {
  const id = nodeUnder(event.target);
  if (id === null || event.ctrlKey || event.metaKey || event.altKey) return;
  const go = (to) => to !== undefined && to !== null && drawing.focus(to);
  const keys = {
    Enter: () => open(desk, id, openPanel),
    " ": () => open(desk, id, openPanel),
    Delete: () => removeNode({ desk, drawing }, id),
    Backspace: () => removeNode({ desk, drawing }, id),
    ArrowRight: () => go(branches(nodeAt(desk.tree, id)).map((branch) => branch.child).find((child) => nodeAt(desk.tree, child))),
    ArrowLeft: () => go(leadingTo(desk.tree, id)[0]?.from),
    ArrowDown: () => go(beside(desk.tree, id, 1)),
    ArrowUp: () => go(beside(desk.tree, id, -1)),
  };
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
}

function open(desk, id, openPanel) {
  desk.select(id);
  openPanel();
}

/** The next child of the same parent; at the end of them the next node in reading order. */
function beside(tree, id, step) {
  const parent = leadingTo(tree, id)[0]?.from;
  const siblings = branches(nodeAt(tree, parent)).map((branch) => branch.child).filter((child) => nodeAt(tree, child));
  const order = readingOrder(tree);
  return siblings[siblings.indexOf(id) + step] ?? order[order.indexOf(id) + step];
}

/** Take the node out, and put the focus on what led to it. */
export function removeNode({ desk, drawing }, id) {
  if (!desk.mayChange || !nodeAt(desk.tree, id)) return;
  const order = readingOrder(desk.tree);
  const next = leadingTo(desk.tree, id).map(({ from }) => from).find((from) => from !== id) ?? order.find((one) => one !== id);
  desk.change(`Removed “${desk.labelOf(id)}”`, (draft) => {
    remove(draft, id);
    return next;
  });
  if (next !== undefined) drawing.focus(next);
}

/** Draw a branch from a node's handle, or the end of a line to another node. */
function drawBranch(event, { desk, drawing }) {
  const grip = event.target.closest?.(".handle, .tip");
  if (event.button !== 0 || !desk.mayChange || !grip || !isSeen(grip, event)) return;
  event.stopPropagation(); // the canvas would move with it
  const branch = grip.closest("[data-from]");
  const from = branch ? branch.dataset.from : nodeUnder(grip);
  const { svg } = drawing;
  const line = s("path", { class: "edge drawn" });
  const place = drawing.placed.nodes.get(from);
  const start = { x: place.x + place.width, y: place.y + place.height / 2 };
  const move = (to) => {
    if (!line.isConnected) svg.append(line);
    const at = pointIn(svg, to);
    line.setAttribute("d", `M${start.x} ${start.y}L${at.x} ${at.y}`);
  };
  const end = (at) => {
    line.remove();
    const to = at && nodeUnder(document.elementFromPoint(at.clientX, at.clientY));
    if (to !== null && to !== from) lead(desk, from, branch?.dataset.key ?? null, to);
  };
  follow(event, { move, end });
}

/** A mouse shows what it stands on. A finger does not, and scrolls: it draws from the handle of the selected node alone. */
function isSeen(grip, { pointerType }) {
  return pointerType === "mouse" || grip.matches(".node.sel > .handle");
}

function pointIn(svg, { clientX, clientY }) {
  return new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
}

export function lead(desk, from, key, to) {
  const known = key ?? branches(nodeAt(desk.tree, from)).find((branch) => !nodeAt(desk.tree, branch.child))?.key;
  if (known === undefined && kindOf(nodeAt(desk.tree, from)) !== "question") {
    desk.say(`Both ways from “${desk.labelOf(from)}” lead somewhere. Drag the end of one of its lines, or choose in the panel.`);
    return;
  }
  if (key !== null && branches(nodeAt(desk.tree, from)).some((branch) => branch.key === key && branch.child === to)) return;
  desk.change(`“${desk.labelOf(from)}” leads to “${desk.labelOf(to)}”`, (draft) => {
    connect(draft, from, known ?? freeBranch(draft, from), to);
    return from;
  });
}
