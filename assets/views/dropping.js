/** A file that is dragged over the page may be dropped anywhere on it. */

/**
 * @param {HTMLElement} element  that shows, by a class, that a file would be taken
 * @param {(file: File) => void} take
 */
export function listenToDrops(element, take) {
  let depth = 0; // elements are entered before those around them are left

  /** @param {DragEvent} event */
  const carriesFile = ({ dataTransfer }) => dataTransfer?.types.includes("Files") ?? false;

  /** @type {(change: number) => (event: DragEvent) => void} */
  const count = (change) => (event) => {
    if (!carriesFile(event)) return;
    depth = Math.max(0, depth + change);
    element.classList.toggle("dropping", depth > 0);
  };
  window.addEventListener("dragenter", count(1));
  window.addEventListener("dragleave", count(-1));
  window.addEventListener("dragover", (event) => {
    if (carriesFile(event)) event.preventDefault(); // else the browser would open it in our place
  });
  window.addEventListener("drop", (event) => {
    if (!carriesFile(event)) return;
    event.preventDefault();
    depth = 0;
    element.classList.remove("dropping");
    const [file] = event.dataTransfer?.files ?? [];
    if (file) take(file);
  });
}
