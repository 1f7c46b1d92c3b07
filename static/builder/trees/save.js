// Saving against the version that was edited. When somebody else was quicker nothing is overwritten: one sees whose
// work it is, and chooses.

import { button, h } from "./dom.js";
import { sound } from "./model.js";
import { Refused, send } from "./server.js";

/** Whether the field is one that is taken over when it is left, and has not been left yet. */
const isBeingTyped = (field) => Boolean(field?.matches("input[data-when-left]")) && field.value !== field.defaultValue;

/** The time on the clock of whoever looks. */
const clockOf = (moment) => new Date(moment).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });

export class Saver {
  #isSaving = false;

  constructor(desk, { saveButton, state, notice, json }) {
    Object.assign(this, { desk, saveButton, state, notice, json });
    saveButton?.addEventListener("click", () => this.save());
    window.addEventListener("beforeunload", (event) => {
      if (desk.isDirty || json.isTyped || isBeingTyped(document.activeElement)) event.preventDefault();
    });
  }

  draw() {
    const { desk } = this;
    const words = this.#isSaving ? "Saving…" : desk.isDirty ? "Not saved" : `Saved ${clockOf(desk.savedAt)}`;
    this.state.textContent = desk.mayChange ? words : "You may look at this tree, and change nothing.";
  }

  async save() {
    const { desk } = this;
    if (this.#isSaving || !desk.mayChange) return;
    this.#isSaving = true;
    this.draw();
    try {
      if (this.json.isTyped && !(await this.json.apply())) return;
      const { draft } = desk;
      const told = await send(desk.urls.save, { method: "PUT", data: draft, headers: { "If-Match": `"${desk.version}"` } });
      this.notice.replaceChildren();
      desk.keep({ draft, version: told.version, savedAt: told.savedAt });
      if (draft === desk.draft) desk.judge(told.checked);
      const failed = told.checked.cases.filter((one) => !one.passed).length;
      desk.say(`Saved ${clockOf(told.savedAt)}.${failed ? ` ${failed} test cases fail.` : ""}`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#explain(error);
    } finally {
      this.#isSaving = false;
      this.draw();
    }
  }

  #explain(error) {
    const { current } = error.said;
    const choices = current ? [button("Take theirs", () => this.#takeTheirs(current)), button("Keep mine", () => this.#keepMine(current))] : [];
    this.notice.replaceChildren(
      h("div", { class: "note no", role: "alert" }, h("div", { class: "stack-s" }, [
        h("p", {}, h("strong", {}, error.message), " ", error.hint || "Your text is below."),
        choices.length ? h("p", { class: "row" }, choices, h("span", { class: "small" }, "Theirs can be undone; mine overwrites theirs at the next save.")) : null,
      ])),
    );
  }

  #takeTheirs({ draft, version, savedAt }) {
    const { desk } = this;
    desk.change("Took the tree as it was saved by somebody else", (mine) => void Object.assign(mine, draft, { tree: sound(draft.tree) }));
    desk.keep({ draft: desk.draft, version, savedAt });
    this.notice.replaceChildren();
  }

  #keepMine({ version, savedAt }) {
    Object.assign(this.desk, { version, savedAt });
    this.notice.replaceChildren();
    this.desk.say("Yours is kept. Saving overwrites theirs.");
    this.saveButton.focus();
  }
}
