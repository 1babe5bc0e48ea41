/** Work only while someone can see what comes of it: stepping pays for nothing else. */

/**
 * @param {Element} element
 * @returns {(run: () => void) => void}  runs it while the element is seen; hidden or scrolled away,
 *   remembers it, once, until the element comes into view
 */
export function whenSeen(element) {
  let seen = false;
  /** @type {Set<() => void>} */
  const waiting = new Set();
  new IntersectionObserver(
    (entries) => {
      seen = entries[entries.length - 1].isIntersecting;
      if (!seen) return;
      const runs = [...waiting];
      waiting.clear();
      for (const run of runs) run();
    },
    { rootMargin: "100px" },
  ).observe(element);
  return (run) => {
    if (seen) run();
    else waiting.add(run);
  };
}
