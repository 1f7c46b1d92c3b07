"use strict";
// On a wide screen picture and text stand side by side: both come to the cited words.
const words = document.querySelector(".hl");
if (words && words.getClientRects().length) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const { top, bottom } = words.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) words.scrollIntoView({ block: "center", behavior: calm ? "auto" : "smooth" });
}
const extract = document.querySelector(".extract");
const cited = document.getElementById("cited");
if (extract && cited && extract.scrollHeight > extract.clientHeight) {
  extract.scrollTop = cited.offsetTop - extract.offsetTop - extract.clientHeight / 3;
}
