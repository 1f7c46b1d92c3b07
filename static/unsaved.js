"use strict";
// Whoever leaves a page with text that nobody has saved is asked first, by the browser's own question. A form asks for this
// with [data-unsaved], on itself or on anything in it; [data-unsaved=changed] is a form that was sent and refused, and
// [data-unsaved=long] asks only about a text that took a while to write. A link or a form with [data-discards] gives up
// what was typed.
(() => {
  // In a frame it would be the page around it that asks.
  if (top !== window) return;
  const LONG = 80; // characters
  const sent = new Set();
  let isDiscarding = false;
  const formsOf = () => new Set([...document.querySelectorAll("[data-unsaved]")].map((one) => one.closest("form")));

  function isChanged(field) {
    if (field.type === "hidden" || !field.name) return false;
    if (/^(checkbox|radio)$/.test(field.type)) return field.checked !== field.defaultChecked;
    if (field.type === "file") return field.files.length > 0;
    if (field.tagName !== "SELECT") return field.value !== field.defaultValue;
    const options = [...field.options];
    const begins = options.some((one) => one.defaultSelected);
    return begins ? options.some((one) => one.selected !== one.defaultSelected) : !field.multiple && field.selectedIndex > 0;
  }

  const isMarked = (form, value) => form.matches(`[data-unsaved=${value}]`) || Boolean(form.querySelector(`[data-unsaved=${value}]`));

  function isUnsaved(form) {
    if (isMarked(form, "changed")) return true;
    const changed = [...form.elements].filter((one) => one.matches("input, textarea, select") && isChanged(one));
    if (!isMarked(form, "long")) return changed.length > 0;
    return changed.some((one) => one.tagName === "TEXTAREA" && one.value.trim().length > LONG);
  }

  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    sent.add(event.target);
    isDiscarding = event.target.matches("[data-discards]");
  });
  // At the window, where it is known whether a script has taken the click. Another tab leaves this one as it is.
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (event.target.closest("a[data-discards]")) isDiscarding = true;
  });
  // Whoever types on has not left.
  document.addEventListener("input", () => (isDiscarding = false));
  addEventListener("beforeunload", (event) => {
    if (isDiscarding || [...formsOf()].every((form) => sent.has(form) || !isUnsaved(form))) return;
    event.preventDefault();
    // Whoever stays has sent nothing.
    setTimeout(() => {
      sent.clear();
      document.dispatchEvent(new Event("lexic:stayed"));
    });
  });
  addEventListener("pageshow", () => {
    sent.clear();
    isDiscarding = false;
  });

  // What a part of a form sends by itself, as notes are kept while they are typed, is saved when that has worked.
  const onTheWay = new WeakMap();
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    const fields = detail.elt.closest("form")?.elements ?? [];
    onTheWay.set(detail.xhr, [...fields].filter((one) => detail.elt !== one.form && detail.elt.contains(one)).map((one) => [one, one.value]));
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (!detail.successful) return;
    for (const [field, value] of onTheWay.get(detail.xhr) ?? []) if ("defaultValue" in field) field.defaultValue = value;
  });
})();
