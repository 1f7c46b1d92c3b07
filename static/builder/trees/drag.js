// A pointer that is held down, until it is let go.

/** What happened nearer to where it began is a click. */
const STILL = 4; // pixels

/** Follow the pointer that was pressed, and no other. `move` hears where it goes. `end` hears where it is let go, or null
 * where it is not: it was a click, or the browser took the pointer, to scroll with the finger say. */
export function follow({ pointerId, clientX, clientY, currentTarget }, { move, end }) {
  const listening = new AbortController();
  const listen = (name, act) =>
    document.addEventListener(name, (event) => event.pointerId === pointerId && act(event), { signal: listening.signal });
  const stop = (at) => {
    listening.abort();
    end(at);
  };
  listen("pointermove", move);
  listen("pointerup", (up) => {
    const isClick = Math.hypot(up.clientX - clientX, up.clientY - clientY) <= STILL;
    if (!isClick) swallowClick(currentTarget);
    stop(isClick ? null : up);
  });
  listen("pointercancel", () => stop(null));
  listen("lostpointercapture", () => stop(null));
}

/** A drag is no click: it selects nothing, and gives nothing up. */
function swallowClick(element) {
  const swallow = (event) => event.stopPropagation();
  element.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => element.removeEventListener("click", swallow, { capture: true }));
}
