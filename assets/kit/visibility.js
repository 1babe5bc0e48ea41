/** Work only while someone can see what comes of it: stepping pays for nothing else. */

/**
 * @param {Element} element
 * @returns {(run: () => void) => void}  runs it while the element is seen; hidden or scrolled away,
 *   remembers it, once, until the element comes into view or is printed
 */
export function whenSeen(element) {
  let seen = false;
  /** @type {Set<() => void>} */
  const waiting = new Set();
  const runAll = () => {
    const runs = [...waiting];
    waiting.clear();
    for (const run of runs) run();
  };
  new IntersectionObserver(
    (entries) => {
      seen = entries[entries.length - 1].isIntersecting;
      if (seen) runAll();
    },
    { rootMargin: "100px" },
  ).observe(element);
  // Paper shows what no one has scrolled to.
  addEventListener("beforeprint", () => element.checkVisibility() && runAll());
  return (run) => {
    if (seen) run();
    else waiting.add(run);
  };
}
