/** The beam between the rows: painted at every step, swept while playing, and where the rows are scrolled to. */

import { paintBeam } from "../../draw/beam/paint.js";
import { between, hueOf, ribbonsOf } from "../../draw/beam/ribbons.js";
import { weightColor } from "../../draw/color.js";
import { inksOf } from "../../draw/paint.js";
import { headColor } from "../../draw/strokes.js";
import { h, isCalm } from "../../kit/dom.js";
import { BEAM_KEYS, shownBeam } from "../../state/beam.js";
import { lampOf } from "../../trace/beam.js";

/** @import { Place } from "../../draw/beam/ribbons.js" */
/** @import { Beam } from "../../state/beam.js" */

/** A sweep to the next word takes so long, in milliseconds; at twice the pace half of it. */
const SWEEP = 420;

/** The blue of light that is not now, as a weight has it. */
const POINTED = 0.65;

/** Between the rows there is a little air, in CSS pixels. */
const AIR = 3;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {ReturnType<typeof import("./rows.js").wordRows>} rows
 */
export function beamLight({ store, watch }, rows) {
  const canvas = h("canvas", { class: "light", "aria-hidden": "true" });
  const gap = h("div", { class: "gap" });
  const scroller = h("div", { class: "rows" }, ...rows.elements, gap);
  const element = h("div", { class: "lit-rows" }, scroller, canvas);

  /** Where the words stand in what is scrolled, measured once for each text and width. */
  let measured = { words: /** @type {Place[]} */ ([]), lamps: /** @type {Place[]} */ ([]) };
  let [view, whole, scrolled, top, height] = [0, 0, 0, 0, 0];
  let sweeping = 0;
  /** Where the light is being dragged to. */
  let dragged = /** @type {number | null} */ (null);

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
    whole = scroller.scrollWidth;
    scroller.classList.toggle("long", whole > view + 1);
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

  /** @type {(beam: Beam, lamps?: Place[]) => void} */
  function paint(beam, lamps = seen(measured.lamps)) {
    if (!view || !height) return;
    const { theme } = store.get();
    const inks = inksOf(theme, element);
    // Amber is now; what is pointed at has a weight's blue.
    const one = beam.pointed ? weightColor(POINTED, theme) : inks.now;
    const { kind, choices, accent, rays } = beam;
    const words = seen(measured.words);
    const { query } = beam.focus;
    const led = dragged !== null && query !== null;
    // All of its light goes where the hand is.
    const lit = led ? [{ head: 0, query, key: words.length, weight: 1 }] : rays;
    if (led) words.push({ x: dragged ?? 0, width: 0 });
    const count = led ? 1 : choices.length;
    const ribbons = ribbonsOf(lit, {
      ...{ words, lamps, view, heads: count },
      lampOf: (query) => lampAt(kind, query),
    });
    paintBeam(canvas, ribbons, {
      ...{ height, width: view },
      colorOf: (slot) => (count > 1 ? headColor(hueOf(choices, slot), theme) : one),
      far: accent === null ? undefined : ({ key }) => key !== accent,
    });
  }

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
    const [from, to] = [scrolled, scrolled + view];
    const inside = ({ x, width } = lamp) => x - width / 2 >= from && x + width / 2 <= to;
    if (inside() && (!word || inside(word))) return;
    // Both, if they fit; else the word that is being written.
    const fit = word && Math.abs(word.x - lamp.x) + Math.max(word.width, lamp.width) <= view;
    const both = fit ? (word.x + lamp.x) / 2 : lamp.x;
    scrolled = Math.round(Math.min(whole - view, Math.max(0, both - view / 2)));
    requestAnimationFrame(() => (scroller.scrollLeft = scrolled)); // laid out with all else
  }

  /** @type {(kind: Beam["kind"], query: number) => number} */
  function lampAt(kind, query) {
    const { trace } = store.get();
    return trace ? lampOf(trace, kind, query) : query;
  }

  function stopSweep() {
    cancelAnimationFrame(sweeping);
    sweeping = 0;
  }

  /** @type {Beam | null} */
  let last = null;

  /** @type {(before: Beam, after: Beam) => void} */
  function sweep(before, after) {
    const time = SWEEP / Math.max(1, store.get().speed);
    const lamps = seen(measured.lamps);
    const [from, to] = [before, after].map(
      ({ kind, focus: { query } }) => lamps[lampAt(kind, query ?? 0)],
    );
    const start = performance.now();
    stopSweep();
    const frame = () => {
      const share = Math.min(1, (performance.now() - start) / time);
      const eased = share * share * (3 - 2 * share);
      if (share >= 1 || !from || !to) {
        sweeping = 0;
        paint(after);
        return;
      }
      const at = { x: from.x + eased * (to.x - from.x), width: to.width };
      paint(
        { ...after, rays: between(before.rays, after.rays, eased) },
        lamps.map((lamp) => (lamp === to ? at : lamp)),
      );
      sweeping = requestAnimationFrame(frame);
    };
    frame();
  }

  watch(["trace", "kind"], () => {
    stopSweep();
    measure();
  });
  // Not whenever a word is no longer pointed at: the rows would move away under the hand.
  watch(["trace", "kind", "step", "heads"], (state) => {
    const beam = shownBeam(state);
    if (beam && !beam.pointed) reveal(beam);
  });
  watch([...BEAM_KEYS, "theme"], (state) => {
    const beam = shownBeam(state);
    const before = last;
    last = beam;
    if (!beam) return;
    const next =
      state.playing &&
      !isCalm() &&
      before?.focus.query !== null &&
      before?.kind === beam.kind &&
      before.focus.query + 1 === beam.focus.query;
    if (next && before) sweep(before, beam);
    else {
      stopSweep();
      paint(beam);
    }
  });
  scroller.addEventListener("scroll", () => {
    if (scroller.scrollLeft === scrolled) return;
    scrolled = scroller.scrollLeft;
    if (last && !sweeping) paint(last);
  });
  const seenAnew = new ResizeObserver(() => {
    measure();
    if (last) {
      if (!last.pointed) reveal(last);
      paint(last);
    }
  });
  seenAnew.observe(scroller);
  for (const list of rows.elements) seenAnew.observe(list);

  return {
    element,
    gap,
    scroller,
    /** The words that are looked at, as they are seen. */
    words: () => seen(measured.words),
    /** @param {number | null} x  null: the light is let go */
    drag(x) {
      dragged = x;
      if (last) paint(last);
    },
  };
}
