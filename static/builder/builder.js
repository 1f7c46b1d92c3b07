"use strict";
// Every request that htmx makes carries the token that Django asks of forms.
document.addEventListener("htmx:configRequest", (event) => {
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
  if (token) event.detail.headers["X-CSRFToken"] = decodeURIComponent(token[1]);
});
// Where the tabs do not all fit, the one that is open is in sight.
document.addEventListener("DOMContentLoaded", () => {
  const tabs = document.querySelector(".hub-tabs");
  const open = tabs?.querySelector("[aria-current]");
  if (open) tabs.scrollLeft = open.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - open.clientWidth) / 2;
});
// The box that chooses plugins labels a picture as if it were text; named a picture, it is read out. The admin's own
// script makes the box when the page has loaded.
window.addEventListener("load", () => setTimeout(() => {
  for (const picture of document.querySelectorAll("span.help-tooltip[aria-label]")) picture.setAttribute("role", "img");
  // What scrolls is a region; the theme calls each of them the same.
  document.querySelectorAll(".simplebar-content-wrapper[role=region]").forEach((region, index) => {
    const name = region.closest("#nav-sidebar") ? "Menu" : "Table";
    region.setAttribute("aria-label", index && name === "Table" ? `${name} ${index}` : name);
  });
}));
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
