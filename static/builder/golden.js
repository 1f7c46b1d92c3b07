// The form of a golden question: a document and a page are picked instead of typed. Without it, both are typed.

const picker = document.querySelector("[data-place-picker]");
const lines = document.querySelector("[name=places]");

if (picker && lines) {
  const [title, page, add] = ["[data-title]", "[data-page]", "[data-add]"].map((one) => picker.querySelector(one));
  const said = picker.querySelector("[data-said]");
  // The same words twice are read out once: the place is empty in between.
  const announce = (words) => {
    said.textContent = "";
    setTimeout(() => (said.textContent = words), 100);
  };
  const pages = () => Number(title.selectedOptions[0]?.dataset.pages ?? 0);
  const draw = () => {
    page.disabled = !pages();
    page.max = pages() || 1;
    if (!pages()) page.value = "";
    page.placeholder = pages() ? `any of ${pages()}` : "has none";
    add.disabled = !title.value;
  };
  const put = () => {
    if (!title.value || !page.reportValidity()) return;
    const line = page.value ? `${title.value}, p. ${page.value}` : title.value;
    const there = lines.value.split("\n").map((one) => one.trim()).filter(Boolean);
    if (there.includes(line)) announce(`${line} is in the list already.`);
    else {
      lines.value = [...there, line].join("\n");
      announce(`Added ${line}.`);
    }
    page.value = "";
    lines.dispatchEvent(new Event("input", { bubbles: true }));
  };
  title.addEventListener("change", draw);
  add.addEventListener("click", put);
  page.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    put();
  });
  picker.hidden = false;
  draw();
}
