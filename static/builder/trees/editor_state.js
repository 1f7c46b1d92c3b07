// What lies on the desk: the draft with its past and future, what is selected, what the server said of it.

import { labelOf, nodeAt, sound } from "./model.js";

const MOST_STEPS = 200;
const PAUSE = 1200; // milliseconds; typing without a longer pause is one step

export class EditorState extends EventTarget {
  #past = [];
  #future = [];
  #saved;
  #lastKey = null;
  #lastTime = 0;

  constructor({ draft, version, checked, urls, mayChange, savedAt }) {
    super();
    Object.assign(this, { version, checked, urls, mayChange, savedAt, selected: null, lit: null });
    this.draft = { ...draft, tree: sound(draft.tree) };
    this.#saved = this.draft;
  }

  get tree() {
    return this.draft.tree;
  }

  get isDirty() {
    return this.draft !== this.#saved;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  tell(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  on(names, listener) {
    for (const name of names.split(" ")) this.addEventListener(name, (event) => listener(event.detail));
  }

  say(words) {
    this.tell("said", { words });
  }

  /**
   * Change the draft. `alter` gets a copy and may return the id to select. Changes with the same `key` shortly after
   * one another are undone together. `quiet` says that the panel itself was typed in and need not be drawn again.
   */
  change(said, alter, { key = null, quiet = false } = {}) {
    if (!this.mayChange) return;
    const next = structuredClone(this.draft);
    const chosen = alter(next);
    const now = Date.now();
    if (!(key && key === this.#lastKey && now - this.#lastTime < PAUSE && this.canUndo)) {
      this.#past = [...this.#past.slice(1 - MOST_STEPS), { draft: this.draft, said, selected: this.selected }];
    }
    Object.assign(this, { draft: next });
    this.#future = [];
    this.#lastKey = key;
    this.#lastTime = now;
    if (typeof chosen === "string") this.selected = chosen;
    this.#settle({ quiet });
    if (!quiet) this.say(said);
  }

  undo() {
    this.#travel(this.#past, this.#future, "Undone");
  }

  redo() {
    this.#travel(this.#future, this.#past, "Done again");
  }

  #travel(from, to, word) {
    const step = from.pop();
    if (!step) return;
    to.push({ draft: this.draft, said: step.said, selected: this.selected });
    this.draft = step.draft;
    this.selected = step.selected;
    this.#lastKey = null;
    this.#settle({ quiet: false });
    this.say(`${word}: ${step.said}`);
  }

  #settle(detail) {
    if (this.selected !== null && !nodeAt(this.tree, this.selected)) this.selected = null;
    this.tell("draft", detail);
  }

  select(id, { focus = false, open = "" } = {}) {
    const before = this.selected;
    this.selected = id !== null && nodeAt(this.tree, id) ? id : null;
    this.tell("selection", { before, focus, open });
  }

  light(walked) {
    this.lit = walked;
    this.tell("lit");
  }

  judge(checked) {
    this.checked = checked;
    this.tell("checked");
  }

  /** What is saved now is what lay on the desk when saving began; what was typed since is still unsaved. */
  keep({ draft, version, savedAt }) {
    Object.assign(this, { version, savedAt });
    this.#saved = draft;
    this.#lastKey = null;
    this.tell("saved", { draft });
  }

  labelOf(id) {
    return labelOf(this.tree, id);
  }
}
