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
