/** Long work on the page, a slice at a time: in between it answers. */

/** Milliseconds of a slice: short enough for a step to come within its frame. */
const SLICE = 6;

/**
 * Runs an iterator to its end, `SLICE` milliseconds at a time, and hands on what it returns.
 *
 * @template Result
 * @param {Iterator<unknown, Result>} work
 * @param {(result: Result) => void} done
 * @param {() => boolean} isWanted  nobody waits for it any more: it ends
 */
export function inSlices(work, done, isWanted) {
  function slice() {
    if (!isWanted()) return;
    const end = performance.now() + SLICE;
    do {
      const next = work.next();
      if (next.done) {
        done(next.value);
        return;
      }
    } while (performance.now() < end);
    setTimeout(slice);
  }
  slice();
}
