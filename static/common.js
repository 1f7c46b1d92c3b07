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
// What is being done is not done twice, however often a button is pressed; the button says what it does. The words are
// those of the form, for any of its buttons, or of the buttons that do the same.
const busyForms = document.querySelectorAll("form[data-busy], form:has(button[data-busy])");
const wordsBefore = new Map();
for (const form of busyForms) {
  form.addEventListener("submit", (event) => {
    if (form.ariaBusy === "true") return event.preventDefault();
    const { submitter } = event;
    const buttons = submitter?.dataset.busy ? form.querySelectorAll("button[data-busy]") : form.dataset.busy && submitter ? [submitter] : [];
    if (!buttons.length && !form.dataset.busy) return;
    form.ariaBusy = "true";
    for (const button of buttons) {
      wordsBefore.set(button, button.innerHTML);
      button.textContent = button.dataset.busy ?? form.dataset.busy;
    }
    if (buttons.length) announce(buttons[0].textContent);
  });
}
function endBusy() {
  for (const form of busyForms) form.ariaBusy = "false";
  for (const [button, before] of wordsBefore) button.innerHTML = before;
}
addEventListener("pageshow", (event) => event.persisted && endBusy());
document.addEventListener("lexic:stayed", endBusy);
