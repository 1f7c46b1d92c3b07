// Elements made by hand: text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";
let iconSheet = "";

export function useIcons(sheet) {
  iconSheet = sheet;
}

/** An HTML element. Attributes that are functions become listeners (`onclick`); null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An icon that says nothing by itself: a word must stand beside it. */
export function icon(name) {
  return s("svg", { class: "i", viewBox: "0 0 20 20", "aria-hidden": "true" }, s("use", { href: `${iconSheet}#${name}` }));
}

export function button(words, onclick, { look = "", icon: name = "", ...more } = {}) {
  return h("button", { type: "button", class: `btn btn-s ${look}`, onclick, ...more }, name && icon(name), words);
}

let numbered = 0;

/** A labelled control with the help under it. */
export function field(label, control, help = "") {
  control.id ||= `tree-field-${(numbered += 1)}`;
  const note = help ? h("small", { id: `${control.id}-help` }, help) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, note);
}

const MANY = 60;

/** A listener for what is written once a field is left. The focus is then on its way to a control that a redraw would
 * take away: it arrives first. */
export function onceArrived(act) {
  return (event) => (event.target === document.activeElement ? act(event) : setTimeout(() => act(event)));
}

// Keys that choose in a closed select, one option after the other.
const STEPS = ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "PageDown", "PageUp"];

/** What is chosen acts at once: the keys that would choose each option on the way to the next open the list instead. */
function openOnKeys(event) {
  const isStep = STEPS.includes(event.key) || (event.key.length === 1 && event.key !== " ");
  if (!isStep || event.altKey || event.ctrlKey || event.metaKey || !event.target.showPicker) return;
  event.preventDefault();
  event.target.showPicker();
}

/** A select; `options` are [value, words] or {group, options}. Of very many, all but the chosen one wait until they
 * are needed: they would cost more than everything else on the page. */
export function choice(options, value, onchange, more = {}) {
  const control = h("select", { class: "input", ...more, onkeydown: openOnKeys, onchange: (event) => onchange(event.target.value) });
  const all = options.flatMap((one) => one.options ?? [one]);
  const fill = () => {
    control.replaceChildren(...options.map((one) => (one.group ? h("optgroup", { label: one.group }, one.options.map(option)) : option(one))));
    control.value = value ?? "";
  };
  if (all.length <= MANY) fill();
  else {
    control.append(option(all.find(([known]) => known === (value ?? "")) ?? all[0]));
    control.addEventListener("pointerdown", fill, { once: true });
    control.addEventListener("focus", () => control.length < all.length && fill());
  }
  return control;
}

function option([value, words]) {
  return h("option", { value }, words);
}
