// Where everything stands: layered from left to right by dagre.

import { Graph, layout } from "../../vendor/dagre-3.1.3.esm.js";
import { branches, kindOf, nodeAt, readingOrder } from "./model.js";

export const WIDTH = 190;
export const HEIGHTS = { question: 54, condition: 54, action: 48, unknown: 48 };
const MARGIN = 16;
const LABEL_FONT = "400 12px Inter, system-ui, sans-serif";

const ruler = document.createElement("canvas").getContext("2d");
const widths = new Map();

export function textWidth(text, font = LABEL_FONT) {
  const key = `${font}|${text}`;
  if (!widths.has(key)) {
    ruler.font = font;
    widths.set(key, ruler.measureText(text).width);
  }
  return widths.get(key);
}

/** The text, cut with an ellipsis where it is wider than `most`: after a word, unless one word alone is wider. */
export function fitted(text, most, font) {
  const line = text.replace(/\s+/g, " ");
  if (textWidth(line, font) <= most) return line;
  let [low, high] = [0, line.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(`${line.slice(0, middle)}…`, font) <= most) low = middle;
    else high = middle - 1;
  }
  const cut = line.slice(0, low);
  const end = line[low] === " " ? low : cut.lastIndexOf(" ");
  return `${(end > 0 ? cut.slice(0, end) : cut).trimEnd()}…`;
}

/** Every branch of the tree as an edge; `to` is null where it leads nowhere. */
export function edgesOf(tree) {
  return readingOrder(tree).flatMap((from) =>
    branches(tree.nodes[from]).map(({ key, label, child }) => {
      const to = nodeAt(tree, child) ? child : null;
      return { id: JSON.stringify([from, key]), from, key, to, words: words(label, child, to) };
    }),
  );
}

function words(label, child, to) {
  return fitted(to ? label : child ? `${label}: no “${child}”` : `${label} leads nowhere`, to ? 120 : 180);
}

/** Two trees with the same signature are laid out the same. */
export function signature(tree) {
  const nodes = Object.entries(tree.nodes).map(([id, node]) => [id, kindOf(node)]);
  return JSON.stringify([tree.rootNodeId, nodes, edgesOf(tree).map((edge) => [edge.id, edge.to, edge.words])]);
}

/** {width, height, nodes: Map of id to {x, y, width, height}, edges}; x and y are the upper left corner. */
export function arrange(tree) {
  const order = readingOrder(tree);
  const edges = edgesOf(tree);
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 34, edgesep: 10, marginx: MARGIN, marginy: MARGIN });
  for (const id of order) graph.setNode(`n${id}`, { width: WIDTH, height: HEIGHTS[kindOf(tree.nodes[id])] });
  for (const edge of edges) {
    const width = textWidth(edge.words) + 12;
    if (!edge.to) graph.setNode(`o${edge.id}`, { width: width + 8, height: 22 });
    const label = edge.to ? { width, height: 16, labelpos: "c" } : {};
    graph.setEdge(`n${edge.from}`, edge.to ? `n${edge.to}` : `o${edge.id}`, label, edge.id);
  }
  // Answers stand in the order in which they are written; dagre's search for fewer crossings would turn them over.
  layout(graph, { disableOptimalOrderHeuristic: true });
  const { width, height } = graph.graph();
  return {
    width: Math.max(width || 0, WIDTH + 2 * MARGIN),
    height: Math.max(height || 0, 2 * MARGIN),
    nodes: new Map(order.map((id) => [id, box(graph.node(`n${id}`))])),
    edges: edges.map((edge) => route(graph, edge)),
  };
}

function box({ x, y, width, height }) {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function route(graph, edge) {
  const start = graph.node(`n${edge.from}`);
  const end = graph.node(edge.to ? `n${edge.to}` : `o${edge.id}`);
  const laid = graph.edge(`n${edge.from}`, edge.to ? `n${edge.to}` : `o${edge.id}`, edge.id);
  const inner = (laid.points ?? []).slice(1, -1);
  const points = [{ x: start.x + start.width / 2, y: start.y }, ...inner, { x: end.x - end.width / 2, y: end.y }];
  const at = edge.to ? { x: laid.x ?? (start.x + end.x) / 2, y: laid.y ?? (start.y + end.y) / 2 } : { x: end.x, y: end.y };
  return { ...edge, path: curve(points), end: points.at(-1), labelX: at.x, labelY: at.y };
}

function curve(points) {
  const [first, ...others] = points;
  let from = first;
  let path = `M${round(from.x)} ${round(from.y)}`;
  for (const to of others) {
    const middle = round((from.x + to.x) / 2);
    path += `C${middle} ${round(from.y)} ${middle} ${round(to.y)} ${round(to.x)} ${round(to.y)}`;
    from = to;
  }
  return path;
}

const round = (number) => Math.round(number * 10) / 10;
