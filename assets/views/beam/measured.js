/** Where the words of the rows stand, and where the rows are scrolled to. */

import { scrolledTo } from "../../draw/beam/scrolled.js";
import { lampOf } from "../../trace/beam.js";

/** @import { Place } from "../../draw/beam/ribbons.js" */
/** @import { Beam } from "../../state/beam.js" */

/** Between the rows there is a little air, in CSS pixels. */
const AIR = 3;

/** Times the words of a short row that a longer one has, for the short one to stay in sight beside it. */
const UNLIKE = 2;

/** A row that stays where it is while the other one is scrolled. */
const STAYS = "stays";

/** @param {HTMLElement} list */
function stays(list) {
  return list.classList.contains(STAYS);
}

/** @type {(list: HTMLElement, other: HTMLElement, view: number) => boolean}  whether all of it is seen at once */
function canStay(list, other, view) {
  const words = /** @type {HTMLElement[]} */ ([...list.children]);
  if (!words.length || other.childElementCount < UNLIKE * words.length) return false;
  const { columnGap, paddingLeft, paddingRight } = getComputedStyle(list);
  const [gap, ...air] = [columnGap, paddingLeft, paddingRight].map(Number.parseFloat);
  const own = words.reduce((sum, { offsetWidth }) => sum + offsetWidth + gap, -gap);
  return own + air[0] + air[1] <= view;
}

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
      x: (stays(list) ? insetOf(list) : list.offsetLeft) + offsetLeft + offsetWidth / 2,
      width: offsetWidth,
    }));
  /** How far from the left of what is seen. @param {HTMLElement} list */
  const insetOf = (list) => (view - list.offsetWidth) / 2;

  function measure() {
    view = scroller.clientWidth;
    if (!view) return;
    scrolled = scroller.scrollLeft;
    const [above, below] = [rows.above(), rows.below()];
    const most = Math.max(above.childElementCount, below.childElementCount);
    scroller.style.setProperty("--most", String(most));
    scroller.style.setProperty("--view", `${view}px`);
    for (const list of rows.elements) list.classList.remove(STAYS);
    // Letters that a long row has made smaller are no measure of whether it is long.
    scroller.classList.remove("long");
    scroller.classList.toggle("long", scroller.scrollWidth > view + 1);
    whole = scroller.scrollWidth;
    if (whole > view + 1) {
      above.classList.toggle(STAYS, canStay(above, below, view));
      below.classList.toggle(STAYS, canStay(below, above, view));
    }
    measured = { words: placesIn(above), lamps: placesIn(below) };
    top = above.offsetTop + above.offsetHeight + AIR;
    height = Math.max(0, below.offsetTop - AIR - top);
    canvas.style.top = `${top}px`;
    canvas.style.width = `${view}px`;
    canvas.style.height = `${height}px`;
    if (whole > view + 1) scroller.tabIndex = 0;
    else scroller.removeAttribute("tabindex");
  }

  /** @type {(places: Place[], list: HTMLElement) => Place[]} */
  const seen = (places, list) =>
    stays(list) ? [...places] : places.map(({ x, width }) => ({ x: x - scrolled, width }));

  /**
   * @param {Beam} beam
   * @param {boolean} [atOnce]  where all is laid out: else the rows would be seen to jump
   */
  function reveal({ focus, kind, rays }, atOnce = false) {
    // What was measured is asked here: to ask the browser would be a layout at every step.
    if (whole <= view + 1) return;
    const lamp = focus.query === null ? undefined : measured.lamps[lampAt(kind, focus.query)];
    if (!lamp) return;
    const strongest = rays.reduce(
      (one, other) => (other.weight > one.weight ? other : one),
      rays[0],
    );
    const word = strongest ? measured.words[strongest.key] : undefined;
    const both = [stays(rows.below()) ? undefined : lamp, stays(rows.above()) ? undefined : word];
    const [first, second] = both.filter((it) => it !== undefined);
    if (!first) return;
    const place = scrolledTo({ view, whole, scrolled }, first, second);
    if (place === null) return;
    scrolled = place;
    if (atOnce) scroller.scrollLeft = place;
    else requestAnimationFrame(() => (scroller.scrollLeft = scrolled)); // laid out with all else
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
    words: () => seen(measured.words, rows.above()),
    /** Lamps that are in sight. */
    lamps: () => seen(measured.lamps, rows.below()),
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
