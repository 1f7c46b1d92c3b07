// The public chat of a plugin on a page of another site: a button, and a panel with the chat in a frame.
//
//   <script src="https://lexic.example.org/widget.js" data-plugin="concrete-cover" defer></script>
//
// The page's own policy needs this site in script-src and frame-src, and nothing else: styles are set by the script,
// not written into the page. What the page looks like does not reach inside, and nothing of this reaches the page.

(() => {
  const script = document.currentScript;
  // In the language of the browser, as the chat inside is.
  const TEXTS = {
    en: ["Ask the expert", "Close", "This page may not show the chat. Its author can add ${origin} under Sharing.", "Open the chat on its own page", "This page’s own policy blocks the chat. Its web master can add ${site} to frame-src."],
    de: ["Experten fragen", "Schließen", "Diese Seite darf den Chat nicht zeigen. Der Autor kann ${origin} unter „Sharing“ hinzufügen.", "Den Chat auf eigener Seite öffnen", "Die Richtlinie dieser Seite blockiert den Chat. Ihr Betreiber kann ${site} in frame-src aufnehmen."],
    es: ["Preguntar al experto", "Cerrar", "Esta página no puede mostrar el chat. Su autor puede añadir ${origin} en «Sharing».", "Abrir el chat en su propia página", "La política de esta página bloquea el chat. Su responsable puede añadir ${site} a frame-src."],
    fr: ["Demander à l’expert", "Fermer", "Cette page ne peut pas afficher le chat. Son auteur peut ajouter ${origin} sous « Sharing ».", "Ouvrir le chat sur sa propre page", "La politique de cette page bloque le chat. Son responsable peut ajouter ${site} à frame-src."],
    hi: ["विशेषज्ञ से पूछें", "बंद करें", "यह पृष्ठ चैट नहीं दिखा सकता। इसका लेखक “Sharing” में ${origin} जोड़ सकता है।", "चैट अलग पृष्ठ पर खोलें", "इस पृष्ठ की अपनी नीति चैट को रोकती है। इसके संचालक frame-src में ${site} जोड़ सकते हैं।"],
    pt: ["Perguntar ao especialista", "Fechar", "Esta página não pode mostrar o chat. O autor pode adicionar ${origin} em “Sharing”.", "Abrir o chat em sua própria página", "A política desta página bloqueia o chat. O responsável pode adicionar ${site} a frame-src."],
    zh: ["向专家提问", "关闭", "此网页不能显示聊天。作者可以在“Sharing”下添加 ${origin}。", "在单独的页面打开聊天", "此网页自身的策略阻止了聊天。网站管理员可以将 ${site} 加入 frame-src。"],
  };
  const spoken = (navigator.languages ?? [navigator.language]).map((tag) => tag.slice(0, 2)).find((code) => code in TEXTS);
  const [ask, closing, refusal, elsewhere, blocked] = TEXTS[spoken ?? "en"];
  const { plugin, label = ask, position = "right", color = "", textColor = "", theme = "auto", open } = script?.dataset ?? {};
  if (!plugin || document.querySelector(`lexic-widget[data-plugin="${CSS.escape(plugin)}"]`)) return;
  const site = new URL(script.src).origin;
  const READY_SECONDS = 10;
  const STYLES = `
    :host { all: initial; color-scheme: ${{ light: "light", dark: "dark" }[theme] ?? "light dark"}; position: fixed; z-index: 2147483000; bottom: 16px; ${position === "left" ? "left" : "right"}: 16px; font: 500 15px/1.4 system-ui, sans-serif; }
    button { font: inherit; cursor: pointer; border: 0; border-radius: 6px; min-height: 44px; padding: 0 18px; background: var(--color, #005a70); color: var(--text-color, #fff); box-shadow: 0 1px 4px rgb(0 0 0 / 30%); }
    button:focus-visible { outline: 2px solid var(--color, #005a70); outline-offset: 2px; }
    .panel { position: fixed; bottom: 76px; ${position === "left" ? "left" : "right"}: 16px; width: min(420px, calc(100vw - 32px)); height: min(640px, calc(100vh - 100px)); background: light-dark(#fff, #0f1416); color: light-dark(#1a1d1f, #e8ecee); border: 1px solid #8a9296; border-radius: 6px; overflow: hidden; display: flex; flex-direction: column; }
    .panel[hidden] { display: none; }
    .close { display: none; align-self: end; min-height: 40px; margin: 4px; background: none; color: inherit; box-shadow: none; }
    iframe { flex: 1; width: 100%; border: 0; }
    p { margin: 0; padding: 16px; font: 400 14px/1.5 system-ui, sans-serif; }
    p[hidden], iframe[hidden] { display: none; }
    a { color: light-dark(#005a70, #7cc7d8); }
    @media (max-width: 480px) {
      .panel { inset: 0; width: auto; height: auto; border: 0; border-radius: 0; }
      .close { display: block; }
    }
    @media print { :host { display: none; } }`;

  const host = document.createElement("lexic-widget");
  host.dataset.plugin = plugin;
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLES);
  root.adoptedStyleSheets = [sheet];
  for (const [name, value] of [["--color", color], ["--text-color", textColor]]) {
    if (/^#[0-9a-f]{3,8}$/i.test(value)) host.style.setProperty(name, value);
  }

  const make = (tag, attributes = {}, text = "") => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };
  const address = `${site}/chat/${encodeURIComponent(plugin)}`;
  const button = make("button", { type: "button", "aria-expanded": "false", "aria-controls": "panel" }, label);
  const panel = make("div", { class: "panel", id: "panel", role: "dialog", "aria-label": label, hidden: "" });
  const close = make("button", { type: "button", class: "close" }, closing);
  const refused = make("p", { role: "alert", hidden: "" });
  const own = make("a", { href: address, target: "_blank", rel: "noopener" }, elsewhere);
  panel.append(close, refused);
  root.append(panel, button);
  let frame = null;

  function load() {
    frame = make("iframe", { src: `${address}?theme=${encodeURIComponent(theme)}`, title: label, allow: "clipboard-write" });
    // What this page's policy forbids is known at once; whether the chat lets itself be shown here, once it does not come.
    document.addEventListener("securitypolicyviolation", (event) => {
      if (event.effectiveDirective === "frame-src" && event.blockedURI.startsWith(site)) refuse(blocked.replace("${site}", site));
    });
    panel.append(frame);
    setTimeout(() => frame.dataset.ready !== "yes" && refused.hidden && refuse(refusal.replace("${origin}", location.origin)), READY_SECONDS * 1000);
  }

  function refuse(words) {
    refused.replaceChildren(`${words} `, own);
    refused.hidden = false;
    if (root.activeElement === frame) own.focus();
    frame.hidden = true;
  }

  function toggle(isOpen, { moveFocus = true } = {}) {
    if (isOpen && !frame) load();
    panel.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (moveFocus) (isOpen ? frame : button).focus();
  }

  button.addEventListener("click", () => toggle(panel.hidden));
  close.addEventListener("click", () => toggle(false));
  host.addEventListener("keydown", (event) => event.key === "Escape" && !panel.hidden && toggle(false));
  addEventListener("message", (event) => {
    if (!frame || event.source !== frame.contentWindow || event.origin !== site) return;
    if (event.data === "lexic:ready") {
      frame.dataset.ready = "yes";
      refused.hidden = true;
      frame.hidden = false;
    } else if (event.data === "lexic:close") toggle(false);
  });
  document.body.append(host);
  if (open !== undefined) toggle(true, { moveFocus: false });
})();
