/** Where the words of the rows stand, and where the rows are scrolled to. */

import { scrolledTo } from "../../draw/beam/scrolled.js";
import { lampOf } from "../../trace/beam.js";

/** @import { Place } from "../../draw/beam/ribbons.js" */
/** @import { Beam } from "../../state/beam.js" */

/** Between the rows there is a little air, in CSS pixels. */
const AIR = 3;

/**
 * @param {Pick<import("../../state/actions.js").Context, "store">} context
 * @param {HTMLElement} scroller  of the rows
 * @param {HTMLElement} canvas  between them
 * @param {ReturnType<typeof import("./rows.js").wordRows>} rows
 */
export function measuredRows({ store }, scroller, canvas, rows) {
  /** Where the words stand in what is scrolled, measured once for each text and width. */
  let measured = { words: /** @type {Place[]} */ ([]), lamps: /** @type {Place[]} */ ([]) };
  let [view, whole, scrolled, top, height] = [0, 0, 0, 0, 0];
  /** @param {HTMLElement} list */
  const placesIn = (list) =>
    /** @type {HTMLElement[]} */ ([...list.children]).map(({ offsetLeft, offsetWidth }) => ({
      x: list.offsetLeft + offsetLeft + offsetWidth / 2,
      width: offsetWidth,
    }));

  function measure() {
    view = scroller.clientWidth;
    if (!view) return;
    scrolled = scroller.scrollLeft;
    const [above, below] = [rows.above(), rows.below()];
    const most = Math.max(above.childElementCount, below.childElementCount);
    scroller.style.setProperty("--most", String(most));
    // Letters that a long row has made smaller are no measure of whether it is long.
    scroller.classList.remove("long");
    scroller.classList.toggle("long", scroller.scrollWidth > view + 1);
    whole = scroller.scrollWidth;
    measured = { words: placesIn(above), lamps: placesIn(below) };
    top = above.offsetTop + above.offsetHeight + AIR;
    height = Math.max(0, below.offsetTop - AIR - top);
    canvas.style.top = `${top}px`;
    canvas.style.width = `${view}px`;
    canvas.style.height = `${height}px`;
    if (whole > view + 1) scroller.tabIndex = 0;
    else scroller.removeAttribute("tabindex");
  }

  /** @type {(places: Place[]) => Place[]} */
  const seen = (places) => places.map(({ x, width }) => ({ x: x - scrolled, width }));

  /** @param {Beam} beam */
  function reveal({ focus, kind, rays }) {
    // What was measured is asked here: to ask the browser would be a layout at every step.
    if (whole <= view + 1) return;
    const lamp = focus.query === null ? undefined : measured.lamps[lampAt(kind, focus.query)];
    if (!lamp) return;
    const strongest = rays.reduce(
      (one, other) => (other.weight > one.weight ? other : one),
      rays[0],
    );
    const word = strongest ? measured.words[strongest.key] : undefined;
    const place = scrolledTo({ view, whole, scrolled }, lamp, word);
    if (place === null) return;
    scrolled = place;
    requestAnimationFrame(() => (scroller.scrollLeft = scrolled)); // laid out with all else
  }

  /** @type {(kind: Beam["kind"], query: number) => number} */
  function lampAt(kind, query) {
    const { trace } = store.get();
    return trace ? lampOf(trace, kind, query) : query;
  }

  return {
    measure,
    reveal,
    lampAt,
    /** The words that are looked at, as they are seen. */
    words: () => seen(measured.words),
    /** Those that look. */
    lamps: () => seen(measured.lamps),
    /** What lies between the rows, how much of them is seen, and how long they are, in CSS pixels. */
    room: () => ({ view, height, whole }),
    /** Brings a word that is looked at into the middle. @param {number} key */
    goTo(key) {
      scroller.scrollLeft = measured.words[key].x - view / 2;
    },
    /** Whether the rows have been scrolled since it was last asked. */
    hasScrolled() {
      const before = scrolled;
      scrolled = scroller.scrollLeft;
      return scrolled !== before;
    },
  };
}
