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
    en: ["Ask the expert", "Close", "The chat does not come: its site cannot be reached, or this page may not show it. Its author can add ${origin} under Sharing.", "Open the chat on its own page", "This page’s own policy blocks the chat. Its web master can add ${site} to frame-src.", "You are offline. The chat opens as soon as you are connected again."],
    de: ["Experten fragen", "Schließen", "Der Chat kommt nicht: Seine Website ist nicht erreichbar, oder diese Seite darf ihn nicht zeigen. Der Autor kann ${origin} unter „Sharing“ hinzufügen.", "Den Chat auf eigener Seite öffnen", "Die Richtlinie dieser Seite blockiert den Chat. Ihr Betreiber kann ${site} in frame-src aufnehmen.", "Sie sind offline. Der Chat öffnet sich, sobald wieder eine Verbindung besteht."],
    es: ["Preguntar al experto", "Cerrar", "El chat no llega: no se puede acceder a su sitio o esta página no puede mostrarlo. Su autor puede añadir ${origin} en «Sharing».", "Abrir el chat en su propia página", "La política de esta página bloquea el chat. Su responsable puede añadir ${site} a frame-src.", "No tiene conexión. El chat se abrirá en cuanto vuelva a tenerla."],
    fr: ["Demander à l’expert", "Fermer", "Le chat n’arrive pas : son site est injoignable, ou cette page ne peut pas l’afficher. Son auteur peut ajouter ${origin} sous « Sharing ».", "Ouvrir le chat sur sa propre page", "La politique de cette page bloque le chat. Son responsable peut ajouter ${site} à frame-src.", "Vous êtes hors ligne. Le chat s’ouvrira dès que la connexion sera rétablie."],
    hi: ["विशेषज्ञ से पूछें", "बंद करें", "चैट नहीं खुल रहा: उसकी साइट तक पहुँचा नहीं जा सकता, या यह पृष्ठ उसे नहीं दिखा सकता। इसका लेखक “Sharing” में ${origin} जोड़ सकता है।", "चैट अलग पृष्ठ पर खोलें", "इस पृष्ठ की अपनी नीति चैट को रोकती है। इसके संचालक frame-src में ${site} जोड़ सकते हैं।", "आप ऑफ़लाइन हैं। कनेक्शन लौटते ही चैट खुल जाएगा।"],
    pt: ["Perguntar ao especialista", "Fechar", "O chat não chega: seu site não pode ser acessado ou esta página não pode mostrá-lo. O autor pode adicionar ${origin} em “Sharing”.", "Abrir o chat em sua própria página", "A política desta página bloqueia o chat. O responsável pode adicionar ${site} a frame-src.", "Você está offline. O chat abre assim que a conexão voltar."],
    zh: ["向专家提问", "关闭", "聊天无法打开：无法连接其网站，或此网页不能显示它。作者可以在“Sharing”下添加 ${origin}。", "在单独的页面打开聊天", "此网页自身的策略阻止了聊天。网站管理员可以将 ${site} 加入 frame-src。", "您已离线。恢复连接后聊天会自动打开。"],
  };
  const spoken = (navigator.languages ?? [navigator.language]).map((tag) => tag.slice(0, 2)).find((code) => code in TEXTS);
  const [ask, closing, refusal, elsewhere, blocked, offline] = TEXTS[spoken ?? "en"];
  const { plugin, label = ask, position = "right", color = "", textColor = "", theme = "auto", open } = script?.dataset ?? {};
  if (!plugin || document.querySelector(`lexic-widget[data-plugin="${CSS.escape(plugin)}"]`)) return;
  const site = new URL(script.src).origin;
  const READY_SECONDS = 10;
  const side = position === "left" ? "left" : "right";
  // The widgets that a page shows on one side stand one above the other.
  const below = [...document.querySelectorAll(`lexic-widget[data-side="${side}"]`)].at(-1)?.getBoundingClientRect();
  // The page's own rules reach this element, and none of those inside; they lose against what is important here.
  const HOST = `all: initial; display: block; color-scheme: ${{ light: "light", dark: "dark" }[theme] ?? "light dark"}; position: fixed; z-index: 2147483000; bottom: ${below ? innerHeight - below.top + 12 : 16}px; ${side}: 16px; max-width: min(420px, calc(100vw - 32px)); font: 500 15px/1.4 system-ui, sans-serif;`;
  const STYLES = `
    :host { ${HOST.replaceAll(";", " !important;")} }
    :host([data-shown]) { z-index: 2147483001 !important; }
    button { font: inherit; cursor: pointer; border: 0; border-radius: 6px; min-height: 44px; max-width: 100%; padding: 8px 18px; overflow-wrap: anywhere; background: var(--color, #005a70); color: var(--text-color, #fff); box-shadow: 0 1px 4px rgb(0 0 0 / 30%); }
    button:focus-visible { outline: 2px solid var(--color, #005a70); outline-offset: 2px; }
    .panel { position: fixed; bottom: 76px; ${side}: 16px; width: min(420px, calc(100vw - 32px)); height: min(640px, calc(100vh - 100px)); background: light-dark(#fff, #0f1416); color: light-dark(#1a1d1f, #e8ecee); border: 1px solid #8a9296; border-radius: 6px; overflow: hidden; display: flex; flex-direction: column; }
    .panel[hidden] { display: none; }
    .close { display: none; align-self: end; margin: 4px; background: none; color: inherit; box-shadow: none; }
    iframe { flex: 1; width: 100%; border: 0; }
    p { outline: 0; margin: 0; padding: 16px; font: 400 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
    p[hidden], iframe[hidden] { display: none; }
    a { color: light-dark(#005a70, #7cc7d8); }
    @media (max-width: 480px) {
      .panel { inset: 0; width: auto; height: auto; border: 0; border-radius: 0; }
      .close { display: block; }
    }
    @media print { :host { display: none !important; } }`;

  const host = document.createElement("lexic-widget");
  Object.assign(host.dataset, { plugin, side });
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
  const refused = make("p", { role: "alert", tabindex: "-1", hidden: "" });
  const own = make("a", { href: address, target: "_blank", rel: "noopener" }, elsewhere);
  panel.append(close, refused);
  root.append(panel, button);
  let frame = null;

  function load() {
    frame?.remove();
    refused.hidden = true;
    const loading = make("iframe", { src: `${address}?theme=${encodeURIComponent(theme)}`, title: label, allow: "clipboard-write" });
    frame = loading;
    panel.append(frame);
    if (!navigator.onLine) refuse(offline);
    // What this page's policy forbids is known at once; whether the chat lets itself be shown here, once it does not come.
    else setTimeout(() => {
      if (frame === loading && loading.dataset.ready !== "yes" && refused.hidden) refuse(navigator.onLine ? refusal.replace("${origin}", location.origin) : offline);
    }, READY_SECONDS * 1000);
  }

  function refuse(words) {
    refused.replaceChildren(words, ...(words === offline ? [] : [" ", own]));
    refused.hidden = false;
    if (root.activeElement === frame) (words === offline ? refused : own).focus();
    frame.hidden = true;
  }

  function toggle(isOpen, { moveFocus = true } = {}) {
    panel.hidden = !isOpen;
    // Whoever opens it once more tries once more.
    if (isOpen && (!frame || frame.hidden)) load();
    host.toggleAttribute("data-shown", isOpen);
    button.setAttribute("aria-expanded", String(isOpen));
    if (moveFocus) (!isOpen ? button : frame.hidden ? refused : frame).focus();
  }

  document.addEventListener("securitypolicyviolation", (event) => {
    if (frame && event.effectiveDirective === "frame-src" && event.blockedURI.startsWith(site)) refuse(blocked.replace("${site}", site));
  });
  addEventListener("online", () => frame?.hidden && !panel.hidden && load());
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
