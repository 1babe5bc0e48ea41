/** Files that are made in the browser. */

/** @type {(name: string, content: Blob) => void} */
export function download(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser has taken the content by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
