/** The beam between the rows: painted at every step, swept while playing. */

import { paintBeam } from "../../draw/beam/paint.js";
import { hueOf, ribbonsOf } from "../../draw/beam/ribbons.js";
import { weightColor } from "../../draw/color.js";
import { inksOf } from "../../draw/paint.js";
import { headColor } from "../../draw/strokes.js";
import { h, isCalm } from "../../kit/dom.js";
import { BEAM_KEYS, shownBeam } from "../../state/beam.js";
import { farView } from "./far.js";
import { measuredRows } from "./measured.js";
import { sweeping } from "./sweeping.js";

/** @import { Place } from "../../draw/beam/ribbons.js" */
/** @import { Beam } from "../../state/beam.js" */

/** The blue of light that is not now, as a weight has it. */
const POINTED = 0.65;

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {ReturnType<typeof import("./rows.js").wordRows>} rows
 */
export function beamLight({ store, watch }, rows) {
  const canvas = h("canvas", { class: "light", "aria-hidden": "true" });
  const gap = h("div", { class: "gap" });
  const scroller = h("div", { class: "rows" }, ...rows.elements, gap);
  const far = farView({ store }, (key) => places.goTo(key));
  const element = h("div", { class: "lit-rows" }, scroller, canvas, far.element);

  const places = measuredRows({ store }, scroller, canvas, rows);
  /** Where the light is being dragged to. */
  let dragged = /** @type {number | null} */ (null);

  /** @type {(beam: Beam, lamps?: Place[]) => void} */
  function paint(beam, lamps = places.lamps()) {
    const { view, height } = places.room();
    if (!view || !height) return;
    const { theme } = store.get();
    const inks = inksOf(theme, element);
    // Amber is now; what is pointed at has a weight's blue.
    const one = beam.pointed ? weightColor(POINTED, theme) : inks.now;
    const { kind, choices, accent, rays } = beam;
    const { query } = beam.focus;
    const led = dragged !== null && query !== null;
    const words = far.places(led ? null : beam, places.words(), places.room());
    // All of its light goes where the hand is.
    const lit = led ? [{ head: 0, query, key: words.length, weight: 1 }] : rays;
    if (led) words.push({ x: dragged ?? 0, width: 0 });
    const count = led ? 1 : choices.length;
    const ribbons = ribbonsOf(lit, {
      ...{ words, lamps, view, heads: count },
      lampOf: (query) => places.lampAt(kind, query),
    });
    paintBeam(canvas, ribbons, {
      ...{ height, width: view },
      colorOf: (slot) => (count > 1 ? headColor(hueOf(choices, slot), theme) : one),
      far: accent === null ? undefined : ({ key }) => key !== accent,
    });
  }

  /** @type {Beam | null} */
  let last = null;
  const sweep = sweeping({ lamps: places.lamps, lampAt: places.lampAt, paint });

  watch(["trace", "kind"], () => {
    sweep.stop();
    places.measure();
  });
  // Not whenever a word is no longer pointed at: the rows would move away under the hand.
  watch(["trace", "kind", "step", "heads"], (state) => {
    const beam = shownBeam(state);
    if (beam && !beam.pointed) places.reveal(beam);
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
    if (next && before) sweep.start(before, beam, state.speed);
    else {
      sweep.stop();
      paint(beam);
    }
  });
  scroller.addEventListener("scroll", () => {
    if (places.hasScrolled() && last && !sweep.runs()) paint(last);
  });
  const seenAnew = new ResizeObserver(() => {
    places.measure();
    if (last) {
      if (!last.pointed) places.reveal(last, true);
      paint(last);
    }
  });
  seenAnew.observe(scroller);
  for (const list of rows.elements) seenAnew.observe(list);

  return {
    element,
    gap,
    scroller,
    words: places.words,
    /** @param {number | null} x  null: the light is let go */
    drag(x) {
      dragged = x;
      if (last) paint(last);
    },
  };
}
