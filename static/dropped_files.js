"use strict";
// Files of a drop or a choice, those inside folders too: `files` are pairs of a file and its path, in the order of their
// paths; `missed` are pairs of a path and why nothing of it comes. What systems leave in folders is not a document.
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

  // One file or folder that cannot be read keeps no other from coming in.
  async function collect(entry, { files, missed }) {
    const path = entry.fullPath.replace(/^\//, "");
    if (isLeftover(path) || files.length > MOST_FILES) return;
    try {
      if (entry.isFile) files.push({ file: await fileOf(entry), path });
      else for (const child of await childrenOf(entry)) await collect(child, { files, missed });
    } catch {
      missed.push({ path, why: entry.isFile ? "The file could not be read. Choose it instead." : "The folder could not be read. Choose its files instead." });
    }
  }

  function limited(files, missed, folders = []) {
    for (const path of folders) {
      const isEmpty = ![...files, ...missed].some((one) => one.path === path || one.path.startsWith(`${path}/`));
      if (isEmpty) missed.push({ path, why: "There are no files in this folder." });
    }
    if (files.length > MOST_FILES)
      missed.push({ path: "More files", why: `The first ${MOST_FILES.toLocaleString()} files come in. Add the others afterwards, a folder at a time.` });
    files.sort((one, other) => one.path.localeCompare(other.path, undefined, { numeric: true }));
    return { files: files.slice(0, MOST_FILES), missed };
  }

  async function dropped(transfer) {
    // The entries are gone after the first wait.
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const loose = [...transfer.files].map((file) => ({ file, path: file.name }));
    const folders = entries.filter((entry) => entry.isDirectory).map((entry) => entry.name);
    if (!folders.length) return limited(loose, []);
    const found = { files: [], missed: [] };
    for (const entry of entries) await collect(entry, found);
    return limited(found.files, found.missed, folders);
  }

  function chosen(input) {
    const files = [...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    return limited(files.filter(({ path }) => !isLeftover(path)), []);
  }

  return { dropped, chosen };
})();
