// Small comforts. Every page works without them.
for (const button of document.querySelectorAll("[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    // Only the words change; a picture before them stays. They come back for the next copy.
    const words = button.lastChild;
    const before = (button.dataset.said ??= words.textContent);
    words.textContent = globalThis.say?.("Copied") ?? "Copied";
    setTimeout(() => (words.textContent = before), 2000);
  });
}
// A question that is being answered is not asked twice.
for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", (event) => {
    if (form.ariaBusy === "true") return event.preventDefault();
    form.ariaBusy = "true";
    if (event.submitter) event.submitter.textContent = form.dataset.busy;
  });
}
addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[data-busy]").forEach((form) => (form.ariaBusy = "false"));
});
