// What the pages of conversations have in common: replies in their place, and answers that can be copied.

// A reply stands in the question that it answers; here only for those who cannot see that.
export function showAsReply(element) {
  element.classList.add("after-reply");
  element.querySelector(".said").classList.add("sr");
}

// What was typed as a reply stands where it was asked, as the server shows it when the page is opened again.
export function showReply(turn) {
  const back = turn.classList.contains("after-reply") && turn.previousElementSibling?.querySelector(".back");
  if (!back || back.querySelector(".picked")) return;
  const words = document.createElement("p");
  words.className = "small quiet";
  words.textContent = `You said: ${turn.querySelector(".said").textContent}`;
  back.querySelector(".row")?.replaceWith(words);
}

// The answer as text, with what each mark stands for below it.
function asText(turn) {
  const marked = turn.querySelector(".reading").cloneNode(true);
  marked.querySelectorAll(".cite").forEach((chip) => chip.replaceWith(` [${chip.textContent}]`));
  const sources = [...turn.querySelectorAll(".evidence li")].map((one) => {
    const [excerpt, where] = [one.querySelector("mark"), one.querySelector("p")].map((part) => part.textContent.trim());
    return `[${one.querySelector(".cite").textContent}] ${where}: “${excerpt}”`;
  });
  return [marked.textContent.trim(), sources.join("\n")].filter(Boolean).join("\n\n");
}

// Answers can be copied with their sources.
export function connectCopies(talk) {
  talk.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copies-turn]");
    if (!button) return;
    await navigator.clipboard.writeText(asText(button.closest(".turn")));
    const words = button.lastElementChild;
    const before = (button.dataset.said ??= words.textContent);
    words.textContent = globalThis.say?.("Copied") ?? "Copied";
    setTimeout(() => (words.textContent = before), 2000);
  });
}
