"use strict";
// Documents are selected for one change to all of them. The list is fetched anew while documents are read: what is
// selected stays selected.
(() => {
  const count = document.getElementById("bulk-count");
  if (!count) return;
  const chosen = new Set();
  const boxes = () => [...document.querySelectorAll('#documents [name="documents"]')];

  function show() {
    const all = document.getElementById("all-documents");
    const shown = boxes();
    for (const box of shown) box.checked = chosen.has(box.value);
    const here = shown.filter((box) => box.checked).length;
    count.textContent = `${here} selected`;
    if (!all) return;
    all.closest("label").hidden = shown.length < 2;
    all.checked = here > 0 && here === shown.length;
    all.indeterminate = here > 0 && here < shown.length;
  }

  document.addEventListener("change", ({ target }) => {
    if (target.id === "all-documents") {
      for (const box of boxes()) chosen[target.checked ? "add" : "delete"](box.value);
      show();
    } else if (target.name === "documents") {
      chosen[target.checked ? "add" : "delete"](target.value);
      show();
    }
  });
  document.addEventListener("htmx:afterSettle", show);
  for (const box of boxes()) if (box.checked) chosen.add(box.value);
  show();
})();
