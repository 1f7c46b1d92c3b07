"use strict";
// The seconds that are still to be waited, counted down. Without this script they are those at the time of loading.
const bar = document.getElementById("waited");
const left = document.getElementById("left");
if (bar && left) {
  const unit = { style: "unit", unit: "second", unitDisplay: "long" };
  const written = new Intl.NumberFormat(document.documentElement.lang || "en", unit);
  const until = performance.now() + 1000 * Number(bar.dataset.seconds);
  const tick = setInterval(() => {
    const seconds = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    bar.value = bar.max - seconds;
    left.textContent = written.format(seconds);
    if (seconds) return;
    clearInterval(tick);
    left.textContent = globalThis.say?.("a moment") ?? "a moment";
  }, 250);
}
