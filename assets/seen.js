/** Following the store only while someone can see what follows: stepping pays for nothing else. */

/**
 * `context`, with a `watch` that waits for its element: hidden or scrolled away, it runs nothing;
 * when it comes into view, it runs what has changed meanwhile.
 *
 * @param {import("./page.js").Context} context
 * @param {Element} element
 * @returns {import("./page.js").Context}
 */
export function whenSeen(context, element) {
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
  return {
    ...context,
    watch(keys, run) {
      const late = () => run(context.store.get());
      context.watch(keys, (state) => (seen ? run(state) : waiting.add(late)));
    },
  };
}
