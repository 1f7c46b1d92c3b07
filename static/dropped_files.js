"use strict";
// Files of a drop, those inside dropped folders too: pairs of a file and its path. What systems leave in folders is not
// a document.
globalThis.lexicDroppedFiles = (() => {
  const MOST_FILES = 2000;
  const isLeftover = (path) => path.split("/").some((part) => part.startsWith(".") || part === "__MACOSX" || part === "Thumbs.db");

  const fileOf = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

  async function childrenOf(folder) {
    const reader = folder.createReader();
    const found = [];
    // A reader gives a hundred at a time, and none at the end.
    for (;;) {
      const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!some.length) return found;
      found.push(...some);
    }
  }

  async function collect(entry, found) {
    const path = entry.fullPath.replace(/^\//, "");
    if (isLeftover(path) || found.length >= MOST_FILES) return;
    if (entry.isFile) found.push({ file: await fileOf(entry), path });
    else for (const child of await childrenOf(entry)) await collect(child, found);
  }

  async function dropped(transfer) {
    // The entries are gone after the first wait.
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.());
    const loose = [...transfer.files].map((file) => ({ file, path: file.name }));
    if (!entries.some((entry) => entry?.isDirectory)) return loose;
    const found = [];
    for (const entry of entries) if (entry) await collect(entry, found);
    return found;
  }

  function chosen(input) {
    const files = [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    return files.filter(({ path }) => !isLeftover(path)).slice(0, MOST_FILES);
  }

  return { dropped, chosen };
})();
