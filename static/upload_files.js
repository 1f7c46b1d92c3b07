// Many files at once: each is a request of its own, a few at a time, so that one that is refused stops no other.
// Without this script the same form sends them all together.
import { csrfToken } from "./csrf_token.js";
import { isSignInPage } from "./sign_in_page.js";

(() => {
  const form = document.getElementById("drop");
  if (!form) return;
  const input = form.elements.files;
  const sheet = document.getElementById("sending");
  const list = sheet.querySelector("ul");
  const announcer = document.getElementById("sending-said");
  const clear = document.getElementById("sending-clear");
  const pattern = document.getElementById("sending-row").content.firstElementChild;
  const mostBytes = Number(form.dataset.mostBytes);
  const atOnce = Number(form.dataset.atOnce);
  const waiting = [];
  let sending = 0;
  let taken = 0;
  let refused = 0;
  let refreshing;

  form.querySelector("button").hidden = true;
  input.classList.add("sends-at-once");

  for (const chooser of [input, document.getElementById("folder")]) {
    chooser.addEventListener("change", () => {
      add(lexicDroppedFiles.chosen(chooser));
      chooser.value = "";
    });
  }
  document.getElementById("folder-choice").hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const name of ["dragenter", "dragover"]) {
    addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      form.classList.add("over");
    });
  }
  addEventListener("dragleave", (event) => event.relatedTarget || form.classList.remove("over"));
  addEventListener("drop", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.remove("over");
    lexicDroppedFiles.dropped(event.dataTransfer).then(add);
  });
  addEventListener("beforeunload", (event) => {
    if (waiting.length || sending) event.preventDefault();
  });
  clear.addEventListener("click", () => {
    for (const row of list.querySelectorAll(".has-failed")) row.remove();
    refused = 0;
    count();
  });

  function add({ files, missed }) {
    for (const { path, why } of missed) refuse(addRow(path, ""), why);
    for (const { file, path } of files) {
      const row = addRow(path, size(file.size));
      if (file.size > mostBytes) refuse(row, `The file is larger than ${size(mostBytes)}. Split it into smaller files.`);
      else waiting.push({ file, path, row });
    }
    count();
    next();
  }

  function addRow(path, note) {
    const row = pattern.cloneNode(true);
    row.querySelector("b").textContent = path;
    row.querySelector("small").textContent = note;
    list.append(row);
    return row;
  }

  function next() {
    while (sending < atOnce && waiting.length) send(waiting.shift());
  }

  function send({ file, path, row }) {
    sending += 1;
    const request = new XMLHttpRequest();
    const data = new FormData();
    data.append("csrfmiddlewaretoken", csrfToken());
    data.append("files", file, file.name);
    data.append("paths", path);
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.responseType = "json";
    show(row, "sending", 0);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) show(row, "sending", Math.round((100 * event.loaded) / event.total));
    });
    request.addEventListener("load", () => {
      const result = request.response?.results?.[0];
      if (result?.is_in) take(row);
      else refuse(row, result?.said ?? said(request.response) ?? reason(request));
    });
    request.addEventListener("error", () => refuse(row, "The connection was lost. Drop the file in again."));
    request.addEventListener("loadend", () => {
      sending -= 1;
      count();
      next();
    });
    request.send(data);
  }

  function take(row) {
    taken += 1;
    row.remove();
    refresh();
  }

  function refuse(row, why) {
    refused += 1;
    row.classList.add("has-failed");
    row.querySelector(".prog").replaceChildren();
    const state = row.querySelector(".state");
    state.textContent = "refused";
    state.classList.add("no");
    const line = row.querySelector(".why");
    line.textContent = why;
    line.hidden = false;
  }

  function show(row, word, percent) {
    row.querySelector(".state").textContent = word;
    row.querySelector("progress").value = percent;
    row.querySelector(".n").textContent = `${percent}%`;
  }

  function count() {
    const left = waiting.length + sending;
    sheet.hidden = !list.children.length;
    clear.hidden = !refused;
    const words = [left && `${left} to send`, taken && `${taken} added`, refused && `${refused} refused`];
    document.getElementById("sending-count").textContent = words.filter(Boolean).join(", ");
    if (!left && (taken || refused)) {
      announcer.textContent = `${words.filter(Boolean).join(", ")}. ${taken ? "The list of documents says what is ready." : ""}`.trim();
      taken = 0;
      refresh();
    }
  }

  // The list below learns of many files that come in together once, not once for each.
  function refresh() {
    refreshing ??= setTimeout(() => {
      refreshing = undefined;
      htmx.trigger("#documents", "refresh");
    }, 300);
  }

  // What the server says of the whole request: that it is not available, say.
  function said(answer) {
    return answer?.error && `${answer.error} ${answer.hint ?? ""}`.trim();
  }

  function reason({ status, responseURL }) {
    if (isSignInPage(responseURL) || status === 403 || status === 0) return "You are signed out. Sign in again, then drop the file in once more.";
    if (status === 404) return "You may no longer change these documents.";
    return `The server did not take it (${status}). Drop it in again in a moment.`;
  }

  function size(bytes) {
    return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1024))} kB` : `${(bytes / 1048576).toFixed(1)} MB`;
  }
})();
