/** A film of training: the curve, all heads at one moment, and a slider through them. */

import { h, setSlider } from "../../../kit/dom.js";
import { icon } from "../../../kit/icons.js";
import { countText } from "../../../kit/numbers.js";
import { player } from "../../../kit/player.js";
import { term } from "../../../kit/terms.js";
import { inARow } from "../../../kit/typeset.js";
import { momentAt, placeOf } from "../../../trace/history.js";
import { filmHeads } from "../film_heads.js";
import { measuredText } from "../telling.js";
import { curveView } from "./curve.js";
import { saveFilm } from "./film_file.js";
import { largeHead } from "./large.js";

/** @import { History } from "../../../trace/history.js" */

/**
 * What is shown of a film.
 *
 * @typedef {object} Shown
 * @property {string} model  whose
 * @property {number} pair
 * @property {number | null} step  null: the last moment
 * @property {string} [said]  of this moment, in the place of what was measured last
 */

/** Between two moments of the film, in milliseconds. */
const PACE = 350;

/** Of the slider, which moves as the curve's axis goes: in logarithms of steps. */
const PLACES = 200;

const KEYS = /** @type {Record<string, number>} */ ({
  ...{ ArrowRight: 1, ArrowUp: 1 },
  ...{ ArrowLeft: -1, ArrowDown: -1 },
});

/**
 * @param {import("../settings.js").Context} context
 * @param {object} how
 * @param {(step: number | null) => void} how.go  to another moment; null is the last
 * @param {HTMLElement} how.waiting  says that a file is being made
 */
export function filmView(context, { go, waiting }) {
  const { store, t, watch } = context;
  const curve = curveView(context);
  const heads = filmHeads(
    context,
    /** @type {Parameters<typeof filmHeads<History>>[1]} */
    ({ steps, sharp_from }, moment, kind, { layer, head }) => {
      const from = sharp_from[kind]?.[layer][head] ?? null;
      const step = from === null ? "–" : countText(from);
      return {
        text: step,
        told: from === null ? t("training.never_sharp") : t("training.sharp_from", { step }),
        strong: from !== null && steps[moment] >= from,
      };
    },
  );
  const large = largeHead(context);
  const slider = h("input", {
    type: "range",
    min: 0,
    "aria-label": t("training.slider"),
    max: PLACES,
    input: () => {
      stop();
      goTo(nearestMoment(slider.valueAsNumber / PLACES));
    },
    keydown: stepByKey,
  });
  const said = h("output", { class: "moment" });
  const { button, stop } = player(
    { play: t("training.play"), pause: t("training.pause") },
    () => {
      if (!history) return 0;
      if (moment === history.steps.length - 1) goTo(0);
      return PACE;
    },
    () => {
      goTo(moment + 1);
      return element.isConnected && moment + 1 < (history?.steps.length ?? 0);
    },
  );
  const save = h("button", { class: "named", click: keep }, icon("save"));
  save.append(h("span", {}, t("training.save")));
  save.title = t("training.save");
  const element = h(
    "div",
    { class: "training" },
    h(
      "div",
      { class: "film" },
      curve.element,
      h("div", { class: "travelling" }, button, slider),
      said,
    ),
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
    setSlider(slider, Math.round(PLACES * place));
    said.textContent = inARow([
      t("training.moment", {
        ...{ step: countText(next.steps[moment]), last: countText(next.end) },
        ...{ moment: moment + 1, moments: next.steps.length },
      }),
      of.said ?? measuredText(t, next, moment),
    ]);
    slider.ariaValueText = said.textContent;
    curve.mark(place);
    large.show(next, moment, of.pair);
  }

  /** @param {number} place  on the axis, 0 to 1 */
  function nearestMoment(place) {
    if (!history) return 0;
    const away = history.steps.map((step) =>
      Math.abs(placeOf(/** @type {History} */ (history), step) - place),
    );
    return away.indexOf(Math.min(...away));
  }

  /**
   * A key goes to the next moment, however far it is.
   *
   * @param {KeyboardEvent} event
   */
  function stepByKey(event) {
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault();
    stop();
    goTo(moment + by);
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
      stop();
      history = null;
    },
  };
}
