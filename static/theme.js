// Light or dark, as the reader chose. Loaded before the first paint, so that nothing flashes.
const KEY = "adminTheme";
const root = document.documentElement;

function chosen() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? "auto";
  } catch {
    return "auto";
  }
}

function show(theme) {
  root.classList.toggle("light", theme === "light");
  root.classList.toggle("dark", theme === "dark");
}

show(chosen());
addEventListener("storage", (event) => event.key === KEY && show(chosen()));
addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-theme]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const isDark = getComputedStyle(root).colorScheme === "dark" || (chosen() === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
      const next = isDark ? "light" : "dark";
      localStorage.setItem(KEY, JSON.stringify(next));
      show(next);
    });
  }
});
