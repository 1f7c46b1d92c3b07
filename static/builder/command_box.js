"use strict";
// The theme's search box opens itself with Ctrl+K, outside of text fields. Here it becomes a dialog: it says so, the page
// behind it rests, Escape closes it from anywhere, what is found is read out, and the focus goes back to where it was.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector("[x-data='searchCommand()']");
  const page = document.getElementById("page");
  const field = box?.querySelector("input[type=search]");
  if (!field || !page) return;
  box.setAttribute("role", "dialog");
  box.setAttribute("aria-modal", "true");
  box.setAttribute("aria-label", "Find a plugin, a tab, a document or an action");
  field.setAttribute("aria-label", "Find");
  // It stands before a field that searches while one types, and does nothing.
  Object.assign(box.querySelector("#command-submit"), { tabIndex: -1, type: "button", ariaHidden: "true" });
  const said = Object.assign(document.createElement("p"), { className: "sr", role: "status" });
  box.append(said);
  let before = null;

  const isOpen = () => box.style.display !== "none";
  new MutationObserver(() => {
    if (isOpen() === page.inert) return;
    if (isOpen()) before = document.activeElement;
    page.inert = isOpen();
    if (isOpen()) return;
    said.textContent = "";
    before?.focus();
  }).observe(box, { attributeFilter: ["style"] });

  // The theme closes it when Escape is pressed in the empty field.
  const closeWithEscape = (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    field.value = "";
    if (event.target !== field) field.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  };
  document.addEventListener("keydown", closeWithEscape, { capture: true });
  // The one that Enter would open. The theme marks it a moment after the key.
  field.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    setTimeout(() => {
      const all = [...box.querySelectorAll("#command-results-list li")];
      const at = all.findIndex((one) => one.classList.contains("active"));
      const { title, description } = all[at]?.querySelector("a").dataset ?? {};
      if (title) said.textContent = `${title}, ${description}, ${at + 1} of ${all.length}`;
    });
  });
  box.addEventListener("htmx:afterSettle", () => {
    const count = box.querySelectorAll("#command-results-list a").length;
    said.textContent = count ? `${count} found` : "Nothing found";
  });
});
