// Small comforts. Every page works without them.
// What is said to those who do not see it. The place is there before the words: only a change is read out.
const statusLine = Object.assign(document.createElement("p"), { className: "sr", role: "status" });
document.body.append(statusLine);
function announce(words) {
  statusLine.textContent = "";
  setTimeout(() => (statusLine.textContent = words), 100);
}
for (const button of document.querySelectorAll("[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    // Only the words change; a picture before them stays. They come back for the next copy.
    const words = button.lastChild;
    const before = (button.dataset.said ??= words.textContent);
    words.textContent = globalThis.say?.("Copied") ?? "Copied";
    announce(words.textContent);
    setTimeout(() => (words.textContent = before), 2000);
  });
}
