/** A film of training: the curve, all heads at one moment, and a slider through them. */

import { namedButton } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { countText } from "../../../kit/numbers.js";
import { term } from "../../../kit/terms.js";
import { inARow } from "../../../kit/typeset.js";
import { momentAt, momentNear, placeOf } from "../../../trace/history.js";
import { filmHeads } from "../film_heads.js";
import { momentSlider } from "../slider.js";
import { measuredText } from "../telling.js";
import { curveView } from "./curve.js";
import { saveFilm } from "./film_file.js";
import { largeHead } from "./large.js";

/** @import { Translate } from "../../../kit/i18n.js" */
/** @import { History } from "../../../trace/history.js" */

/**
 * What is shown of a film.
 *
 * @typedef {object} Shown
 * @property {string} model  whose
 * @property {number} pair
 * @property {number | null} step  null: the last moment
 * @property {string} [measured]  of this moment, in words, in the place of what was measured last
 */

/** Between two moments of the film, in milliseconds. */
const PACE = 350;

/** Places of the slider, which moves as the curve's axis goes: in logarithms of steps. */
const PLACES = 200;

/**
 * @param {import("../settings.js").Context} context
 * @param {object} how
 * @param {(step: number | null) => void} how.go  to another moment; null is the last
 * @param {HTMLElement} how.waiting  says that a file is being made
 */
export function filmView(context, { go, waiting }) {
  const { store, t, watch } = context;
  const curve = curveView(context);
  const heads = filmHeads(context, sharpCaption(t));
  const large = largeHead(context);
  const names = { play: t("training.play"), pause: t("training.pause") };
  const slider = momentSlider(
    { ...names, slider: t("training.slider") },
    {
      last: () => (history ? history.steps.length - 1 : -1),
      shown: () => moment,
      go: goTo,
      pace: () => PACE,
      at: (value) => (history ? momentNear(history, value / PLACES) : 0),
    },
  );
  const save = namedButton("save", t("training.save"), keep);
  const element = h(
    "div",
    { class: "training" },
    h("div", { class: "film" }, curve.element, slider.element, slider.words),
    h("p", { class: "quiet" }, term("sharp", t("training.since"))),
    heads.element,
    large.element,
    curve.table,
  );

  /** @type {History | null} */
  let history = null;
  /** @type {Shown} */
  let shown = { model: "", pair: 0, step: null };
  let moment = 0;

  /** @type {(next: History, of: Shown) => void} */
  function show(next, of) {
    shown = of;
    if (history !== next) {
      history = next;
      curve.show(next);
    }
    moment = momentAt(next.steps, of.step);
    heads.paint(next, moment);
    const place = placeOf(next, next.steps[moment]);
    const text = momentText(t, next, moment, of.measured);
    slider.show(Math.round(PLACES * place), PLACES, text);
    curve.mark(place);
    large.show(next, moment, of.pair);
  }

  /** @param {number} next */
  function goTo(next) {
    if (!history) return;
    const { steps } = history;
    const there = Math.max(0, Math.min(steps.length - 1, next));
    go(there === steps.length - 1 ? null : steps[there]);
  }

  async function keep() {
    if (!history) return;
    const { theme } = store.get();
    save.disabled = true;
    waiting.textContent = t("training.saving");
    await saveFilm(t, history, { ...shown, theme, element });
    waiting.textContent = "";
    save.disabled = false;
  }

  watch(["theme"], () => history && heads.paint(history, moment));
  return {
    element,
    save,
    show,
    /** The moment that is shown, by its place among all that there are. */
    moment: () => moment,
    /** Forgets what was shown. */
    clear() {
      slider.stop();
      history = null;
    },
  };
}

/** @type {(t: Translate, history: History, moment: number, measured?: string) => string} */
function momentText(t, history, moment, measured = measuredText(t, history, moment)) {
  const { steps, end } = history;
  const place = { moment: moment + 1, moments: steps.length };
  const step = { step: countText(steps[moment]), last: countText(end) };
  return inARow([t("training.moment", { ...step, ...place }), measured]);
}

/**
 * Below each head, since when it is sharp.
 *
 * @type {(t: Translate) => Parameters<typeof filmHeads<History>>[1]}
 */
function sharpCaption(t) {
  return ({ steps, sharp_from }, moment, kind, { layer, head }) => {
    const from = sharp_from[kind]?.[layer][head] ?? null;
    const step = from === null ? "–" : countText(from);
    return {
      text: step,
      description: from === null ? t("training.never_sharp") : t("training.sharp_from", { step }),
      strong: from !== null && steps[moment] >= from,
    };
  };
}
