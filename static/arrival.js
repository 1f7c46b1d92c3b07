"use strict";
// Where the keyboard begins on a page that answers a form: at the first wrong field, else at what is said; and the field
// that a page is for, because the builder's theme hides the page while the browser looks for it.
addEventListener("DOMContentLoaded", () => {
  const wrong = document.querySelector("main [aria-invalid=true]:not([type=hidden])");
  for (let box = wrong?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  const said = [...document.querySelectorAll("main .messages, main .note[role=alert], main .errorlist.nonfield")].find((one) => one.textContent.trim());
  const first = wrong ?? document.querySelector("[autofocus]");
  if (first) return first.focus();
  if (!said || location.hash || document.activeElement !== document.body) return;
  said.tabIndex = -1;
  said.focus();
});
// Where a menu does not fit in its row, what is open stands in the middle of it.
addEventListener("DOMContentLoaded", () => {
  for (const row of document.querySelectorAll(".hub-tabs, .menu-row")) {
    const open = row.querySelector("[aria-current]")?.getBoundingClientRect();
    const shown = row.getBoundingClientRect();
    if (open) row.scrollLeft += open.left + open.width / 2 - shown.left - shown.width / 2;
  }
});
