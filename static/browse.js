// Filters and the order act at once; without this script the button applies them. The page is the server's own: its
// parts are put in the place of the old ones, and the address is the same as without a script.

const finder = document.querySelector("#finder");
const PARTS = ["#filters", "#results"];
let latest = 0;

function address() {
  const said = new URLSearchParams(new FormData(finder));
  for (const [name, value] of [...said]) {
    if (!value || (name === "trust" && value === "any")) said.delete(name, value);
  }
  return `${finder.action}?${said}`;
}

async function show(url, { focus } = {}) {
  const turn = ++latest;
  const results = document.querySelector("#results");
  results.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(response.status);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (turn !== latest) return;
    const isOpen = document.querySelector(".fold").open;
    for (const part of PARTS) document.querySelector(part).replaceWith(page.querySelector(part));
    document.querySelector(".fold").open = isOpen;
    settle();
    if (focus) document.querySelector(focus)?.focus();
  } catch {
    location.assign(url);
  }
}

function settle() {
  document.querySelector(".apply")?.setAttribute("hidden", "");
}

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.form !== finder || field.id === "q") return;
  const url = address();
  history.pushState(null, "", url);
  const same = field.id ? `#${field.id}` : `[name="${field.name}"][value="${CSS.escape(field.value)}"]`;
  show(url, { focus: same });
});
// Back: the form says again what the address says, so the page is the server's.
addEventListener("popstate", () => location.reload());
settle();
