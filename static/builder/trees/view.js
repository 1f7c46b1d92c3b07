// Zoom, fit and pan. The canvas is an ordinary scrolling box, so touch and wheel work as everywhere.

import { follow } from "./drag.js";

const LEAST = 0.25;
const MOST = 2;
const STEP = 1.25;

export class View {
  constructor(canvas, svg, shown) {
    Object.assign(this, { canvas, svg, shown, zoom: 1, width: 0, height: 0 });
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#drag(event));
  }

  size({ width, height }) {
    Object.assign(this, { width, height });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#apply();
  }

  #apply() {
    this.svg.setAttribute("width", Math.round(this.width * this.zoom));
    this.svg.setAttribute("height", Math.round(this.height * this.zoom));
    this.shown.textContent = `${Math.round(this.zoom * 100)} %`;
  }

  /** Zoom so that the point of the canvas stays where it is; without one, its middle. */
  to(zoom, { x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2 } = {}) {
    const before = this.zoom;
    this.zoom = Math.min(MOST, Math.max(LEAST, zoom));
    const ratio = this.zoom / before;
    const [left, top] = [(this.canvas.scrollLeft + x) * ratio - x, (this.canvas.scrollTop + y) * ratio - y];
    this.#apply();
    this.canvas.scrollTo(left, top);
  }

  in() {
    this.to(this.zoom * STEP);
  }

  out() {
    this.to(this.zoom / STEP);
  }

  /** The zoom at which the whole tree can be seen, but never larger than it is. The canvas grows to its greatest height. */
  get #whole() {
    const height = parseFloat(getComputedStyle(this.canvas).maxHeight) || this.canvas.clientHeight;
    return Math.min(1, this.canvas.clientWidth / this.width, height / this.height);
  }

  fit() {
    this.to(this.#whole);
  }

  /** Its whole height if that leaves it readable; otherwise one looks at the first node. */
  begin(root) {
    this.to(this.#whole >= 0.6 ? this.#whole : 0.8);
    if (root) this.reveal(root);
  }

  /** Scroll the canvas, and nothing else, until the box can be seen. */
  reveal({ x, y, width, height }) {
    const room = 24;
    const [left, top] = [x * this.zoom - room, y * this.zoom - room];
    const [right, bottom] = [(x + width) * this.zoom + room, (y + height) * this.zoom + room];
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.canvas;
    const across = left < scrollLeft ? left : right > scrollLeft + clientWidth ? right - clientWidth : scrollLeft;
    const down = top < scrollTop ? top : bottom > scrollTop + clientHeight ? bottom - clientHeight : scrollTop;
    this.canvas.scrollTo(Math.min(across, left), Math.min(down, top));
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = this.canvas.getBoundingClientRect();
    this.to(this.zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1), { x: event.clientX - left, y: event.clientY - top });
  }

  #drag(event) {
    // A branch is ground as well, but for its end: lines fill most of a large tree. Pressed with the wheel, nodes are too.
    const isGround = !event.target.closest?.("[data-node]");
    const isPan = (event.button === 0 && isGround) || event.button === 1;
    if (event.pointerType !== "mouse" || !isPan) return;
    if (event.button === 1) event.preventDefault();
    const start = { x: event.clientX, y: event.clientY, left: this.canvas.scrollLeft, top: this.canvas.scrollTop };
    const move = (to) => this.canvas.scrollTo(start.left + start.x - to.clientX, start.top + start.y - to.clientY);
    this.canvas.classList.add("panning");
    follow(event, { move, end: () => this.canvas.classList.remove("panning") });
  }
}
