/** Work only while someone can see what comes of it: stepping pays for nothing else. */

/** Pixels beyond the window's edge that count as seen. */
const MARGIN = 100;

/**
 * @param {Element} element
 * @returns {(run: () => void) => void}  runs it while the element is seen; hidden or scrolled away,
 *   remembers it, once, until the element comes into view or is printed
 */
export function whenSeen(element) {
  /** @type {boolean | undefined}  the browser tells it a frame after the first */
  let seen;
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
    { rootMargin: `${MARGIN}px` },
  ).observe(element);
  // Paper shows what no one has scrolled to.
  addEventListener("beforeprint", function print() {
    if (!element.isConnected) removeEventListener("beforeprint", print);
    else if (element.checkVisibility()) runAll();
  });
  return (run) => {
    if (seen ?? isNear(element)) run();
    else waiting.add(run);
  };
}

/** @param {Element} element */
function isNear(element) {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && bottom > -MARGIN && top < innerHeight + MARGIN;
}
