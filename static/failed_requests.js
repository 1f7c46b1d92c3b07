// What people are told when a request that htmx sends for them fails, or finds them signed out. Of itself it says nothing.
import { isSignInPage, SIGN_IN } from "./sign_in_page.js";

(() => {
  const KEPT = "What you typed is still on this page.";
  let note = null;
  let isOfSent = false;

  function reasonFor({ status, getResponseHeader }) {
    const seconds = getResponseHeader("Retry-After");
    const later = seconds ? `Try again in ${seconds} second${seconds === "1" ? "" : "s"}.` : "Try again in a moment.";
    if (!status) return ["The server cannot be reached.", "Check your connection, and try again in a moment."];
    if ([502, 503, 504].includes(status)) return ["The site is not available just now.", later];
    if (status === 429) return ["Too many requests.", later];
    if (status === 413) return ["This is too large to be sent at once.", "Send less."];
    if (status === 403) return ["You may not do this, or this page was open for too long.", "Copy what you typed, then reload the page."];
    if (status === 404) return ["This is not here any more.", "Reload the page to see what is."];
    if (status < 500) return ["This could not be done.", "Reload the page and try again."];
    const number = (getResponseHeader("X-Request-Id") ?? "").split("-")[0];
    return ["Something went wrong on our side.", `Try again in a moment; if it happens again, tell the operators of this site what you did${number ? `, and the number ${number}` : ""}.`];
  }

  function show([what, next], { wasSent, link = "" }) {
    hide();
    const text = document.createElement("p");
    const strong = document.createElement("strong");
    strong.textContent = what;
    text.append(strong, ` ${next}${wasSent ? ` ${KEPT}` : ""} `);
    if (link) {
      const anchor = Object.assign(document.createElement("a"), { href: link, target: "_blank", textContent: "Sign in in a new tab" });
      text.append(anchor, ".");
    }
    const close = Object.assign(document.createElement("button"), { type: "button", className: "btn btn-s btn-bare", textContent: "Close" });
    close.addEventListener("click", hide);
    note = Object.assign(document.createElement("div"), { className: "lexic note no failed-request", role: "alert" });
    note.append(text, close);
    document.body.append(note);
    isOfSent = wasSent;
  }

  function hide() {
    note?.remove();
    note = null;
  }

  const wasSent = (detail) => (detail.requestConfig?.verb ?? "get") !== "get";

  // A part of a page that asks again and again says it once, and does not talk over what became of something sent.
  const isNews = (what, detail) => !note || wasSent(detail) || !(isOfSent || note.textContent.startsWith(what));

  function tell({ detail }) {
    const { xhr } = detail;
    const words = reasonFor({ status: xhr.status, getResponseHeader: (name) => (xhr.status ? xhr.getResponseHeader(name) : null) });
    if (isNews(words[0], detail)) show(words, { wasSent: wasSent(detail) });
  }
  for (const failure of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) document.addEventListener(failure, tell);

  // The page of the sign-in would be put where a list was.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!isSignInPage(event.detail.xhr.responseURL)) return;
    event.detail.shouldSwap = false;
    const words = ["You are signed out.", "Sign in, then do this again."];
    if (isNews(words[0], event.detail)) show(words, { wasSent: wasSent(event.detail), link: SIGN_IN });
    event.detail.isError = false;
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.successful && !isSignInPage(detail.xhr?.responseURL) && (wasSent(detail) || !isOfSent)) hide();
  });
})();
