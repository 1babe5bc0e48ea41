/** How did it learn this? All heads over the steps of training, with the curve above them. */

import { h, setSlider } from "../../../kit/dom.js";
import { icon } from "../../../kit/icons.js";
import { countText } from "../../../kit/numbers.js";
import { momentAt, placeOf } from "../../../trace/history.js";
import { awaiting } from "../../awaited.js";
import { curveView } from "./curve.js";
import { saveFilm } from "./film.js";
import { largeHead } from "./large.js";
import { learntHeads } from "./learnt_heads.js";
import { measuredText } from "./telling.js";

/** @typedef {import("../../../trace/history.js").History} History */

/** Between two moments of the film, in milliseconds. */
const PACE = 350;

/** Of the slider, which moves as the curve's axis goes: in logarithms of steps. */
const PLACES = 200;

const KEYS = /** @type {Record<string, number>} */ ({
  ...{ ArrowRight: 1, ArrowUp: 1 },
  ...{ ArrowLeft: -1, ArrowDown: -1 },
});

/** @param {import("../../../state/actions.js").Context} context */
export function trainingView(context) {
  const { store, actions, about, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { label: t("training.state"), clear });
  const first = h("p", { class: "prose" });
  const curve = curveView(context);
  const heads = learntHeads(context);
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
  const play = h("button", { class: "bare play", click: togglePlay });
  const save = h("button", { class: "named", click: keep }, icon("save"));
  save.append(h("span", {}, t("training.save")));
  const compare = h("button", { class: "named", click: compareMoments }, icon("compare"));
  compare.title = t("training.compare");
  save.title = t("training.save");
  compare.append(h("span", {}, t("training.compare")));
  const pairs = h("select", {
    id: "training-pair",
    change: () => actions.changeTraining({ pair: pairs.selectedIndex }),
  });
  const body = h(
    "div",
    { class: "training", hidden: true },
    h(
      "div",
      { class: "fields" },
      h("div", { class: "field" }, h("label", { for: "training-pair" }, t("training.pair")), pairs),
      compare,
      save,
    ),
    h(
      "div",
      { class: "film" },
      curve.element,
      h("div", { class: "travelling" }, play, slider),
      said,
    ),
    heads.element,
    large.element,
    curve.table,
  );

  /** @type {History | null} */
  let history = null;
  let model = "";
  let moment = 0;
  let timer = 0;

  watch(["trace", "training"], ({ trace, training: { pair } }) => {
    if (trace) show(about(trace).history(pair), (next) => draw(next, trace.model));
  });

  function clear() {
    stop();
    history = null;
    body.hidden = first.hidden = true;
  }

  /** @type {(next: History, of: string) => void} */
  function draw(next, of) {
    body.hidden = first.hidden = false;
    const { training } = store.get();
    if (history !== next) {
      history = next;
      model = of;
      const { steps, sharp_at_first, heads: count, starts_with_structure } = next;
      const began = starts_with_structure ? "structure" : steps[0] === 0 ? "noise" : "later";
      first.textContent = t(`training.begins_${began}`, {
        ...{ step: countText(steps[0]), last: countText(steps[steps.length - 1]) },
        ...{ moments: steps.length, sharp: sharp_at_first, heads: count },
      });
      pairs.replaceChildren(
        ...next.pairs.map(({ source, target }) =>
          h("option", {}, [source, target].filter(Boolean).join(" → ")),
        ),
      );
      curve.show(next);
      heads.show(next);
    }
    pairs.selectedIndex = training.pair;
    moment = momentAt(next.steps, training.step);
    heads.paint(next, moment);
    const { steps } = next;
    const place = placeOf(steps, steps[moment]);
    setSlider(slider, Math.round(PLACES * place));
    said.textContent = [
      t("training.moment", {
        ...{ step: countText(steps[moment]), last: countText(steps[steps.length - 1]) },
        ...{ moment: moment + 1, moments: steps.length },
      }),
      measuredText(t, next, moment),
    ].join(" ");
    slider.ariaValueText = said.textContent;
    curve.mark(place);
    large.show(next, moment, training.head);
  }

  /** @param {number} place  on the axis, 0 to 1 */
  function nearestMoment(place) {
    const steps = history?.steps ?? [0];
    const away = steps.map((step) => Math.abs(placeOf(steps, step) - place));
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
    actions.changeTraining({ step: there === steps.length - 1 ? null : steps[there] });
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    showPlay();
  }

  function togglePlay() {
    if (timer) {
      stop();
      return;
    }
    if (!history) return;
    if (moment === history.steps.length - 1) goTo(0);
    timer = window.setInterval(() => {
      goTo(moment + 1);
      if (!body.isConnected || moment + 1 >= (history?.steps.length ?? 0)) stop();
    }, PACE);
    showPlay();
  }

  function showPlay() {
    const name = t(timer ? "training.pause" : "training.play");
    play.replaceChildren(icon(timer ? "pause" : "play"));
    play.ariaLabel = play.title = name;
  }

  /** The first moment and the one that is shown; or the last, if that is the first. */
  function compareMoments() {
    const { pair } = store.get().training;
    if (!history) return;
    const [first] = history.steps;
    actions.compareMoments({ pair, from: first, to: moment > 0 ? history.steps[moment] : null });
    actions.openTab("compare");
  }

  async function keep() {
    if (!history) return;
    const { theme } = store.get();
    save.disabled = true;
    waiting.textContent = t("training.saving");
    await saveFilm(t, history, { model, pair: store.get().training.pair, theme, element: body });
    waiting.textContent = "";
    save.disabled = false;
  }

  showPlay();
  watch(["theme"], () => history && heads.paint(history, moment));
  return h(
    "div",
    { class: "inside" },
    h("p", { class: "prose" }, t("training.about")),
    first,
    waiting,
    problem,
    body,
  );
}
