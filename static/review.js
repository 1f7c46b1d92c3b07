// Keys in a review: J and K move between findings, A accepts and D dismisses the one in focus, Esc goes back to it.
// Everything that a key does is a link or a button as well.
const box = document.getElementById("use-keys");
const text = document.getElementById("contract-text");
const findings = () => [...document.querySelectorAll(".finding")];
let current = null; // the number of the finding that was in focus last

box.closest("[data-keys]").hidden = false;
box.checked = localStorage.reviewKeys !== "off";
box.addEventListener("change", () => (localStorage.reviewKeys = box.checked ? "on" : "off"));

function focusOn(finding) {
  if (!finding) return;
  current = finding.dataset.number;
  finding.focus({ preventScroll: true });
  finding.scrollIntoView({ block: "nearest" });
  show(current);
}

// The quoted words of a finding come into view in the document, and are told apart from those of others.
function show(number) {
  for (const mark of text.querySelectorAll("mark")) {
    mark.toggleAttribute("data-current", mark.dataset.by.split(" ").includes(number));
  }
  const first = text.querySelector("mark[data-current]");
  if (first && text.scrollHeight > text.clientHeight) {
    text.scrollTop += first.getBoundingClientRect().top - text.getBoundingClientRect().top - text.clientHeight / 3;
  }
  return first;
}

const here = () => document.activeElement.closest(".finding") ?? document.getElementById(`finding-${current}`);

function move(by) {
  const all = findings();
  const at = all.indexOf(here());
  focusOn(all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))]);
}

const press = (key) => here()?.querySelector(`[data-key=${key}]`)?.click();
const ACTS = { j: () => move(1), k: () => move(-1), a: () => press("a"), d: () => press("d") };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return focusOn(here());
  if (!box.checked || event.target.matches("input:not([type=checkbox]), textarea, select")) return;
  const act = ACTS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});
document.addEventListener("focusin", (event) => {
  const finding = event.target.closest(".finding");
  if (!finding || finding.dataset.number === current) return;
  current = finding.dataset.number;
  show(current);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-shows]");
  if (!link) return;
  event.preventDefault();
  current = link.dataset.shows;
  show(current);
  text.focus();
  if (text.scrollHeight <= text.clientHeight) text.querySelector("mark[data-current]")?.scrollIntoView({ block: "center" });
});
// A finding that was decided on comes back from the server: it keeps the focus.
document.body.addEventListener("htmx:afterSwap", () => {
  const focused = document.getElementById(`finding-${current}`);
  if (focused && document.activeElement === document.body) focused.focus({ preventScroll: true });
});
