/** The beam on its way from one word to the next. */

import { between } from "../../draw/beam/ribbons.js";

/** @import { Place } from "../../draw/beam/ribbons.js" */
/** @import { Beam } from "../../state/beam.js" */

/** A sweep to the next word takes so long, in milliseconds; at twice the pace half of it. */
const SWEEP = 420;

/**
 * @param {object} how
 * @param {() => Place[]} how.lamps  where they are seen
 * @param {(kind: Beam["kind"], query: number) => number} how.lampAt  which of them is a row's
 * @param {(beam: Beam, lamps?: Place[]) => void} how.paint
 */
export function sweeping({ lamps: lampsNow, lampAt, paint }) {
  let running = 0;

  function stop() {
    cancelAnimationFrame(running);
    running = 0;
  }

  /** @type {(before: Beam, after: Beam, speed: number) => void} */
  function start(before, after, speed) {
    const time = SWEEP / Math.max(1, speed);
    const lamps = lampsNow();
    const [from, to] = [before, after].map(
      ({ kind, focus: { query } }) => lamps[lampAt(kind, query ?? 0)],
    );
    const begun = performance.now();
    stop();
    const frame = () => {
      const share = Math.min(1, (performance.now() - begun) / time);
      const eased = share * share * (3 - 2 * share);
      if (share >= 1 || !from || !to) {
        running = 0;
        paint(after);
        return;
      }
      const at = { x: from.x + eased * (to.x - from.x), width: to.width };
      paint(
        { ...after, rays: between(before.rays, after.rays, eased) },
        lamps.map((lamp) => (lamp === to ? at : lamp)),
      );
      running = requestAnimationFrame(frame);
    };
    frame();
  }

  return { start, stop, runs: () => running !== 0 };
}
