// The editor of a decision tree: puts the parts on the desk, and says who listens to what.

import { Cases } from "./cases.js";
import { checkOnChange } from "./check_on_change.js";
import { Ends, endLine } from "./ends.js";
import { EditorState } from "./editor_state.js";
import { h, useIcons } from "./dom.js";
import { TreeSvg } from "./tree_svg.js";
import { JsonView } from "./json.js";
import { add, kindOf, nodeAt, reachable } from "./model.js";
import { Panel } from "./panel.js";
import { listen, removeNode } from "./pointer.js";
import { Problems } from "./problems.js";
import { Saver } from "./save.js";
import { WalkPanel, hintLine } from "./walk_panel.js";
import { View } from "./view.js";

const editor = document.getElementById("tree-editor");
const find = (name) => editor.querySelector(`[data-part="${name}"]`);
const own = (name) => document.querySelector(`[data-part="${name}"]`);

useIcons(editor.dataset.icons);
const desk = new EditorState(JSON.parse(document.getElementById("tree-data").textContent));
const drawing = new TreeSvg(find("drawing"));
const view = new View(find("canvas"), drawing.svg, find("zoom"));
const ends = new Ends(desk, { sheet: find("ends") });
const panel = new Panel(desk, { sheet: find("panel"), remove: (id) => removeNode({ desk, drawing }, id), hintOf, endPart: (id) => ends.panelPart(id) });
const openPanel = (name, how) => panel.focus(name, how);
const problems = new Problems(desk, { sheet: find("problems"), state: own("state"), openPanel, found: () => ends.problems });
const tryIt = new WalkPanel(desk, { sheet: find("try"), keep: (walked) => cases.keep(walked), support });
const cases = new Cases(desk, { sheet: find("cases"), tryIt });
const json = new JsonView(desk, { sheet: find("json"), toggle: own("json-toggle"), shown: (isOpen) => (find("sketch").hidden = isOpen) });
const saving = new Saver(desk, { saveButton: own("save"), state: own("saved"), notice: find("notice"), json });

const titleAfterName = document.title.slice(desk.draft.name.length);

function hintOf(id) {
  const { walked } = tryIt;
  return walked?.hint && walked.path.at(-1)?.node === id ? hintLine(walked.hint) : null;
}

async function support(id) {
  return desk.mayChange ? endLine(ends.resultOf(id) ?? (await ends.tryOne(id))) : null;
}

function drawTree() {
  if (drawing.draw(desk.tree)) view.size(drawing.placed);
  drawing.select(desk.selected, desk.tree);
  const nodes = Object.values(desk.tree.nodes);
  const ends = nodes.filter((node) => kindOf(node) === "action").length;
  find("counts").textContent = `${nodes.length} nodes · ${reachable(desk.tree).size} reachable · ${ends} ends`;
}

/** The saved name of the tree, wherever the page says it. */
function drawName({ draft: { name } }) {
  own("name").textContent = name;
  drawing.svg.setAttribute("aria-label", `Decision tree ${name}`);
  document.title = name + titleAfterName;
}

function markNodes() {
  const errors = desk.checked.problems.filter((problem) => problem.severity === "error");
  drawing.mark([...errors, ...ends.problems, ...desk.checked.problems], desk.tree);
  ends.draw();
}

function drawButtons() {
  for (const [name, can] of [["undo", desk.canUndo], ["redo", desk.canRedo]]) if (own(name)) own(name).disabled = !can;
  saving.draw();
}

desk.on("draft", ({ quiet }) => {
  drawTree();
  drawButtons();
  if (!quiet) {
    panel.draw();
    json.refresh();
    if (desk.selected !== null) view.reveal(drawing.placed.nodes.get(desk.selected));
  }
});
desk.on("selection", ({ focus, open }) => {
  drawing.select(desk.selected, desk.tree);
  panel.draw();
  if (desk.selected !== null) view.reveal(drawing.placed.nodes.get(desk.selected));
  if (focus) {
    find("canvas").scrollIntoView({ block: "nearest" });
    drawing.focus(desk.selected);
  }
  if (open) openPanel(open);
});
let counted = null;
desk.on("checked", () => {
  markNodes();
  const words = problems.draw();
  if (counted !== null && counted !== words) desk.say(words);
  counted = words;
  cases.draw();
  tryIt.drawFacts();
  if (!find("panel").contains(document.activeElement)) panel.draw();
});
desk.on("draft", () => cases.draw());
desk.on("draft", () => ends.draw());
desk.on("ends", () => {
  markNodes();
  counted = problems.draw();
});
desk.on("checked", () => tryIt.again());
desk.on("lit", () => {
  drawing.light(desk.lit, desk.tree);
  if (!find("panel").contains(document.activeElement)) panel.draw();
});
desk.on("saved", drawButtons);
desk.on("saved", drawName);
desk.on("saved", () => ends.tryAfterSaving());
desk.on("unchecked", ({ words }) => problems.draw(words));
desk.on("said", ({ words }) => (find("said").textContent = words));

checkOnChange(desk, { busy: (isBusy) => find("problems").setAttribute("aria-busy", String(isBusy)) });
listen({ desk, drawing, view, openPanel, showPanel: () => panel.show() });
find("panel").addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || desk.selected === null) return;
  event.preventDefault();
  drawing.focus(desk.selected);
});

for (const kind of ["question", "condition", "action"]) {
  find(`add-${kind}`)?.addEventListener("click", () => {
    const from = nodeAt(desk.tree, desk.selected) ? desk.selected : null;
    desk.change(`Added a ${kind}`, (draft) => add(draft, kind, { from }));
    openPanel("", { replace: true });
  });
}
const press = { undo: () => desk.undo(), redo: () => desk.redo() };
for (const [name, act] of Object.entries(press)) own(name)?.addEventListener("click", act);
const zooming = { "zoom-in": () => view.in(), "zoom-out": () => view.out(), fit: () => view.fit(), whole: () => desk.select(null) };
for (const [name, act] of Object.entries(zooming)) find(name).addEventListener("click", act);
find("canvas").addEventListener("keydown", (event) => {
  const keys = { "+": () => view.in(), "=": () => view.in(), "-": () => view.out(), 0: () => view.fit(), Escape: () => desk.select(null) };
  if (event.ctrlKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "s") {
    event.preventDefault();
    // What is written is taken over when its field is left, and here it is not.
    if (document.activeElement?.matches?.("#tree-editor input")) document.activeElement.dispatchEvent(new Event("change"));
    saving.save();
  } else if ((key === "z" || key === "y") && !(event.target.closest?.("[data-part=json], [data-part=try]"))) {
    event.preventDefault();
    if (key === "y" || event.shiftKey) desk.redo();
    else desk.undo();
  }
});

drawTree();
view.begin(drawing.placed.nodes.get(desk.tree.rootNodeId));
panel.draw();
desk.judge(desk.checked);
drawButtons();
if (!Object.keys(desk.tree.nodes).length) find("notice").append(h("p", { class: "note" }, "This tree has no nodes. Add a question: it is where the tree starts."));
editor.dataset.ready = "yes";
