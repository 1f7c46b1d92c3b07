"use strict";
// Whoever leaves a page with text that nobody has saved is asked first, by the browser's own question. A form asks for this
// with [data-unsaved], on itself or on anything in it; [data-unsaved=changed] is a form that was sent and refused.
(() => {
  const sent = new Set();
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

  function isUnsaved(form) {
    const wasRefused = form.matches("[data-unsaved=changed]") || form.querySelector("[data-unsaved=changed]");
    return Boolean(wasRefused) || [...form.elements].some((one) => one.matches("input, textarea, select") && isChanged(one));
  }

  document.addEventListener("submit", (event) => {
    if (!event.defaultPrevented) sent.add(event.target);
  });
  addEventListener("beforeunload", (event) => {
    if ([...formsOf()].every((form) => sent.has(form) || !isUnsaved(form))) return;
    event.preventDefault();
    // Whoever stays has sent nothing.
    setTimeout(() => {
      sent.clear();
      document.dispatchEvent(new Event("lexic:stayed"));
    });
  });
  addEventListener("pageshow", () => sent.clear());

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
