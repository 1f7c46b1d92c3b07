// The chat in a frame of another site, before the first paint: what leads elsewhere on this site opens in a new tab, for
// only the chat may be framed; the page around it says whether it is light or dark.

if (window.parent !== window) {
  const root = document.documentElement;
  root.classList.add("framed");
  const tell = (what) => window.parent.postMessage(what, "*"); // says nothing that a stranger may not know
  const asked = new URLSearchParams(location.search).get("theme");
  const remembered = () => {
    try {
      if (asked) sessionStorage.setItem("lexic-theme", asked);
      return sessionStorage.getItem("lexic-theme");
    } catch {
      return asked; // no storage in this frame
    }
  };
  const theme = remembered();
  if (theme === "light" || theme === "dark") {
    root.classList.toggle("light", theme === "light");
    root.classList.toggle("dark", theme === "dark");
  }
  addEventListener("keydown", (event) => event.key === "Escape" && !event.defaultPrevented && tell("lexic:close"));
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.origin !== location.origin) return;
    const isChat = /^\/chat\//.test(link.pathname) || link.getAttribute("href").startsWith("#");
    if (!isChat) link.target = "_blank";
  }, { capture: true });
  addEventListener("DOMContentLoaded", () => tell("lexic:ready"));
}
