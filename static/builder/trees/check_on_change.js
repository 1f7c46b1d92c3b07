// Asks the server what is wrong, a moment after each change; an older question is given up for a newer one.

import { send } from "./server.js";

const WAIT = 350; // milliseconds

export function checkOnChange(desk, { busy }) {
  let timer = null;
  let asking = null;
  const ask = async () => {
    asking?.abort();
    asking = new AbortController();
    const { draft } = desk;
    try {
      const checked = await send(desk.urls.check, { data: { tree: draft.tree, cases: draft.cases }, signal: asking.signal });
      if (draft === desk.draft) {
        busy(false);
        desk.judge(checked);
      }
    } catch (error) {
      if (error.name === "AbortError") return;
      busy(false);
      desk.tell("unchecked", { words: `${error.message} ${error.hint ?? ""}`.trim() });
    }
  };
  desk.on("draft", () => {
    if (!desk.mayChange) return;
    busy(true);
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
}
