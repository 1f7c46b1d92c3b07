"use strict";
// A control that has the focus may be taken away: by news that replace it, by the press of a button that removes its
// own line, or because it can no longer be pressed. The focus then goes on to what stands in its place.
(() => {
  const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
  const canHoldFocus = (one) => one.isConnected && !one.disabled && one.checkVisibility();
  const isUsable = (one) => canHoldFocus(one) && one.tabIndex >= 0;
  const within = (place) => [...place.querySelectorAll(CONTROLS)].filter(isUsable);
  let last = null;

  // What tells a control from its neighbours, before and after a redraw.
  function nameOf(one) {
    const { tagName, dataset, id, name, type } = one;
    const words = /^(A|BUTTON|SUMMARY)$/.test(tagName) ? one.textContent.trim() : "";
    const value = /^(radio|checkbox|submit)$/.test(type) ? one.value : "";
    const own = dataset.name || dataset.node || id || [name, value, one.getAttribute("href"), one.ariaLabel, words].join("\n");
    return `${tagName}\n${own}`;
  }

  function remember(element) {
    const controls = within(document.body);
    const before = controls.slice(0, Math.max(0, controls.indexOf(element)));
    const places = [];
    for (let place = element.parentElement; place; place = place.parentElement) {
      places.push({ place, index: before.filter((one) => place.contains(one)).length });
      if (place.matches("main, dialog, body")) break;
    }
    return { element, name: nameOf(element), places, before };
  }

  function goOn() {
    const at = document.activeElement;
    if (!last || canHoldFocus(last.element) || (at && at !== document.body && at !== last.element)) return;
    const { name, places, before, element } = last;
    last = null;
    const { place, index } = places.find((one) => one.place.isConnected) ?? { place: document.body, index: 0 };
    const here = within(place).filter((one) => one !== element);
    const same = (one) => one && nameOf(one) === name;
    const next = same(here[index]) ? here[index] : here.find(same) ?? here[Math.min(index, here.length - 1)] ?? before.findLast(isUsable);
    next?.focus({ preventScroll: true });
  }

  document.addEventListener("focusin", ({ target }) => {
    last = target.matches(CONTROLS) ? remember(target) : null;
  });
  // Whoever presses beside a control leaves it; a control that was taken away has not been left.
  document.addEventListener("focusout", ({ target }) => {
    setTimeout(() => {
      if (last?.element === target && document.activeElement !== target && canHoldFocus(target)) last = null;
    });
  });
  const changes = { subtree: true, childList: true, attributes: true, attributeFilter: ["disabled", "hidden"] };
  new MutationObserver(goOn).observe(document.documentElement, changes);
})();
