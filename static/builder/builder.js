"use strict";
// The box that chooses plugins labels a picture as if it were text; named a picture, it is read out. The admin's own
// script makes the box when the page has loaded.
window.addEventListener("load", () => setTimeout(() => {
  for (const picture of document.querySelectorAll("span.help-tooltip[aria-label]")) picture.setAttribute("role", "img");
  // What scrolls is a region; the theme calls each of them the same.
  document.querySelectorAll(".simplebar-content-wrapper[role=region]").forEach((region, index) => {
    const name = region.closest("#nav-sidebar") ? "Menu" : region.closest("[x-data='searchCommand()']") ? "Results" : "Table";
    region.setAttribute("aria-label", index && name === "Table" ? `${name} ${index}` : name);
  });
}));

// The theme draws icons as words in a typeface of its own: “space_dashboard” is no name of a link.
const ICON_WORDS = { more_horiz: "More", more_vert: "More", close: "Close", filter_list: "Filters" };
function hideIconNames() {
  for (const picture of document.querySelectorAll(".material-symbols-outlined:not([aria-hidden])")) {
    picture.setAttribute("aria-hidden", "true");
    const control = picture.closest("a, button, summary");
    const drawn = picture.textContent.trim();
    // A control that shows nothing but the icon is named by it.
    if (control && control.textContent.trim() === drawn && !control.ariaLabel && !control.title) control.ariaLabel = ICON_WORDS[drawn] ?? drawn.replaceAll("_", " ");
  }
}
document.addEventListener("DOMContentLoaded", hideIconNames);
document.addEventListener("htmx:afterSettle", hideIconNames);

// --- The keyboard ---
const SINGLE_KEYS = "lexic.single-keys";
const isTyped = (element) => Boolean(element?.closest?.("input, textarea, select, [contenteditable], [role=textbox], .cm-editor"));
function showShortcuts() {
  const dialog = document.getElementById("shortcuts");
  if (dialog && !dialog.open) dialog.showModal();
}
// A single key can be switched off, for those who speak to their computer.
document.addEventListener("keydown", (event) => {
  if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return;
  if (isTyped(event.target) || localStorage.getItem(SINGLE_KEYS) === "off") return;
  event.preventDefault();
  showShortcuts();
});
document.addEventListener("DOMContentLoaded", () => {
  const choice = document.querySelector("[data-single-keys]");
  if (!choice) return;
  choice.checked = localStorage.getItem(SINGLE_KEYS) !== "off";
  choice.addEventListener("change", () => localStorage.setItem(SINGLE_KEYS, choice.checked ? "on" : "off"));
});
// From the search box, whichever way it opens its results: what was found is on this page.
addEventListener("hashchange", openFromAddress);
document.addEventListener("DOMContentLoaded", openFromAddress);
function openFromAddress() {
  if (location.hash !== "#keyboard-shortcuts") return;
  history.replaceState(null, "", location.pathname + location.search);
  const find = document.getElementById("search-input-command");
  // The theme closes its box when Escape is pressed in the empty field.
  if (find?.offsetParent) {
    find.value = "";
    find.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
  }
  setTimeout(showShortcuts); // once the box has given the focus back
}
// The theme writes the name of a chosen file into a text field near it. Our forms have none, and what is near is
// another field: for them it must believe that it listens already.
const listened = new WeakSet();
Object.defineProperty(HTMLInputElement.prototype, "hasChangeListener", {
  get() {
    return listened.has(this) || this.closest(".lexic") !== null;
  },
  set() {
    listened.add(this);
  },
});
