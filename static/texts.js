// What a script says, in the language of the page. The texts come with the page, where it is not English.
globalThis.say = (words) => JSON.parse(document.getElementById("script-texts")?.textContent ?? "{}")[words] ?? words;
