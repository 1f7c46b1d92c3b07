"use strict";
// The form of a golden question opens below its topic; closed again, the focus goes back to the link that opened it.
document.addEventListener("click", (event) => {
  const closes = event.target.closest("[data-closes]");
  if (!closes) return;
  event.preventDefault();
  const place = closes.closest("[id^=remark-]");
  place.replaceChildren();
  document.querySelector(`[hx-target="#${place.id}"]`)?.focus();
});
// A form that has come is where its reader goes on.
document.addEventListener("htmx:afterSwap", (event) => {
  event.target.querySelector("textarea, input:not([type=hidden])")?.focus();
});
