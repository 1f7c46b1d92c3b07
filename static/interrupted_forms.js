// Who was signed out while writing is sent to the sign-in, and the form that was sent is lost. So what a form with
// [data-unsaved] sends is kept in this tab until the next page: the page of the sign-in keeps it on, and the page of the
// form puts it back where it was typed, for the same account. Any other page shows that the form has arrived. Nothing is
// kept for whoever is not signed in, and whoever signs out leaves nothing. Who signed in again in another tab has another
// token than the form: the page that says so keeps it on as well, and leads back. Files cannot be put back, so it is said
// which ones have to be chosen again.
import { isSignInPage } from "./sign_in_page.js";

(() => {
  if (top !== window) return;
  const KEY = "lexic.interrupted-form";
  const NOT_SAVED = "You were signed out before this was saved. What you typed is back; save it again.";
  const CHOOSE_AGAIN = "You were signed out before this was sent. Choose the file again:";
  const MAX_AGE = 60 * 60 * 1000; // milliseconds
  // Hidden fields that say when the page was opened; all others tell forms with one address apart.
  const OF_THE_MOMENT = ["csrfmiddlewaretoken", "until", "seen"];
  const NOT_KEPT = ["hidden", "password", "file", "submit", "button"];
  const isSignIn = isSignInPage(location.href);
  const backLink = document.querySelector("[data-expired-form]");
  const account = () => document.querySelector("meta[name=account]")?.content;
  const here = location.pathname + location.search;

  function read() {
    try {
      return JSON.parse(sessionStorage.getItem(KEY));
    } catch {
      return null;
    }
  }

  function keep(entry) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(entry));
    } catch {
      // A browser that keeps nothing sends the form all the same.
    }
  }

  function forget() {
    try {
      sessionStorage.removeItem(KEY);
    } catch {
      // Nothing was kept.
    }
  }

  const isKept = (form) => form.method === "post" && (form.matches("[data-unsaved]") || Boolean(form.querySelector("[data-unsaved], input[type=file][name]")));
  const fieldsOf = (form) => [...form.elements].filter((one) => one.name && !NOT_KEPT.includes(one.type) && one.matches("input, textarea, select"));
  const filesOf = (form) => [...form.elements].flatMap((one) => (one.type === "file" && one.name ? [...one.files].map((file) => file.name) : []));
  const addressOf = (form) => new URL(form.action, location.href).pathname;
  const hiddenOf = (form) => [...form.elements].filter((one) => one.type === "hidden" && one.name);
  const valueOf = (field) => (/^(checkbox|radio)$/.test(field.type) ? field.checked : field.multiple ? [...field.selectedOptions].map((one) => one.value) : field.value);

  function nameOf(form) {
    const hidden = hiddenOf(form).filter((one) => !OF_THE_MOMENT.includes(one.name));
    return JSON.stringify([addressOf(form), ...hidden.map((one) => [one.name, one.value])]);
  }

  document.addEventListener("submit", ({ target: form, defaultPrevented }) => {
    if (defaultPrevented || form.method !== "post") return;
    if (addressOf(form).endsWith("/logout/")) forget();
    const files = filesOf(form);
    if (!account() || !isKept(form)) return;
    const values = fieldsOf(form).map((one) => [one.name, valueOf(one)]);
    const seen = hiddenOf(form).find((one) => one.name === "seen")?.value;
    keep({ page: here, form: nameOf(form), values, seen, files, account: account(), at: Date.now() });
  });

  function put(field, value) {
    if (typeof value === "boolean") field.checked = value;
    else if (Array.isArray(value)) for (const option of field.options) option.selected = value.includes(option.value);
    else field.value = value;
    for (const kind of ["input", "change"]) field.dispatchEvent(new Event(kind, { bubbles: true }));
  }

  const inLanguage = (text) => globalThis.say?.(text) ?? text; // the builder is in English

  function tell(form, { isPutBack, files }) {
    const note = Object.assign(document.createElement("div"), { className: "lexic note warn", role: "alert" });
    const words = [isPutBack ? [inLanguage(NOT_SAVED)] : [], files.length ? [inLanguage(CHOOSE_AGAIN), files.join(", ")] : []];
    note.textContent = words.flat().join(" ");
    form.prepend(note);
    for (let at = form; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    note.scrollIntoView({ block: "center" });
  }

  function restore({ form: name, values, seen, files = [] }) {
    // Another form at its address, or another page of it, as after an update of the site, would mix up what was typed where.
    const hasFields = (one) => JSON.stringify(fieldsOf(one).map((field) => field.name)) === JSON.stringify(values.map(([name]) => name));
    const form = [...document.forms].find((one) => isKept(one) && nameOf(one) === name && hasFields(one));
    if (!form) return;
    const fields = fieldsOf(form);
    const changed = fields.flatMap((field, index) => (JSON.stringify(valueOf(field)) === JSON.stringify(values[index][1]) ? [] : [[field, values[index][1]]]));
    if (!changed.length && !files.length) return;
    for (const [field, value] of changed) put(field, value);
    // What somebody else saved meanwhile is told of, not overwritten.
    const lock = hiddenOf(form).find((one) => one.name === "seen");
    if (lock && seen !== undefined) lock.value = seen;
    tell(form, { isPutBack: changed.length > 0, files });
  }

  function arrive() {
    const entry = read();
    if (!entry) return;
    if (isSignIn || backLink) {
      keep({ ...entry, isInterrupted: true });
      if (backLink) showBackLink(entry);
      return;
    }
    const isOurs = entry.isInterrupted && entry.account === account() && Date.now() - entry.at < MAX_AGE;
    if (isOurs && entry.page !== here) return;
    forget();
    if (isOurs) restore(entry);
  }

  function showBackLink({ page, account: writer }) {
    if (writer !== account()) return;
    backLink.href = page;
    backLink.parentElement.hidden = false;
  }
  if (isSignIn || backLink) arrive();
  else addEventListener("load", arrive);
})();
