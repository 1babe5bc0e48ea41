/** The blocks of the picture by keyboard: Tab reaches one, arrows walk them, Enter opens. */

/**
 * @param {SVGElement} drawing  its blocks have `data-block`
 * @param {(name: string) => void} choose
 */
export function walkBlocks(drawing, choose) {
  /** @returns {SVGElement[]} */
  const all = () => [...drawing.querySelectorAll(/** @type {"g"} */ ("[data-block]"))];
  /** @param {Element} block */
  const nameOf = (block) => block.getAttribute("data-block") ?? "";

  drawing.addEventListener("click", ({ target }) => {
    const block = /** @type {Element} */ (target).closest("[data-block]");
    if (block && !block.classList.contains("tokens")) choose(nameOf(block));
    else if (block && target === block.querySelector("rect")) choose(nameOf(block));
  });
  drawing.addEventListener("keydown", (event) => {
    const blocks = all();
    const here = blocks.indexOf(/** @type {SVGElement} */ (document.activeElement));
    if (here < 0) return;
    const move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const enters = event.key === "Enter" || event.key === " ";
    if (!move && !enters) return;
    event.preventDefault(); // neither scrolls, plays, nor chooses another head
    if (enters) choose(nameOf(blocks[here]));
    const there = blocks[(here + move + blocks.length) % blocks.length];
    for (const block of blocks) block.setAttribute("tabindex", block === there ? "0" : "-1");
    there.focus();
  });

  return {
    /**
     * Tab reaches the open block, else the one that it reached last, else the first.
     *
     * @param {string | null} open
     */
    refresh(open) {
      const blocks = all();
      const reached = blocks.find((block) => block.getAttribute("tabindex") === "0");
      const there = blocks.find((block) => nameOf(block) === open) ?? reached ?? blocks[0];
      for (const block of blocks) {
        block.setAttribute("tabindex", block === there ? "0" : "-1");
        block.setAttribute("aria-pressed", String(nameOf(block) === open));
      }
    },
  };
}
