"use strict";
// Forms that open under an answer or a topic, in its [id^=remark-]: the focus goes in, and back to what opened it when the
// form is closed, with Escape too, or sent.
(() => {
  const placeOf = (element) => element.closest?.("[id^=remark-]");
  const openers = new WeakMap();

  function close(place) {
    place.replaceChildren();
    giveBack(place);
  }

  function giveBack(place) {
    (openers.get(place) ?? document.querySelector(`[hx-target="#${place.id}"]`))?.focus();
  }

  document.addEventListener("htmx:beforeRequest", ({ target, detail }) => {
    const place = placeOf(detail.target);
    if (place && !place.contains(target)) openers.set(place, target);
  });
  document.addEventListener("click", (event) => {
    const closes = event.target.closest("[data-closes]");
    if (!closes) return;
    event.preventDefault();
    close(placeOf(closes));
  });
  document.addEventListener("keydown", (event) => {
    const place = event.key === "Escape" && !event.defaultPrevented && placeOf(event.target);
    if (place && place.querySelector("[data-closes]")) close(place);
  });
  document.addEventListener("htmx:afterSwap", ({ target }) => {
    const place = placeOf(target);
    if (!place) return;
    const form = place.querySelector("form");
    if (!form) return giveBack(place);
    const wrong = form.querySelector("[aria-invalid=true]");
    (wrong ?? form.querySelector("textarea, input:not([type=hidden]), select"))?.focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  });
})();
