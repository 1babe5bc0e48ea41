/** How did it learn this? The film of a model's own training, or of the toy's, which begins at noise. */

import { field, namedButton } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { inLanguage } from "../../../kit/i18n.js";
import { countText } from "../../../kit/numbers.js";
import { awaiting } from "../../../parts/awaited.js";
import { HEALTHY as TOY } from "../../../state/patients.js";
import { Refused } from "../../../state/problem.js";
import { beginningOf } from "../../../trace/history.js";
import { filmView } from "./film.js";

/** @import { History } from "../../../trace/history.js" */
/** @import { Trace } from "../../../trace/trace.js" */
/** @import { Context, TrainingSettings } from "../settings.js" */

/**
 * @typedef {object} Film
 * @property {History} history
 * @property {string} model  whose it is
 * @property {boolean} other  it is the toy's, in the place of another model's
 * @property {"none" | "structure" | "later" | null} why  the model's own was not shown at first; null: it
 *   begins at noise
 */

/** @param {Context} context */
export function historyView(context) {
  const { store, actions, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { label: t("training.state"), clear });
  const first = h("p", { class: "prose" });
  const instead = h("p", { class: "prose" });
  const film = filmView(context, {
    go: (step) => actions.adjust("training", { step, ...whose() }),
    waiting,
  });
  const compare = namedButton("compare", t("training.compare"), compareMoments);
  const pairs = h("select", {
    id: "training-pair",
    change: () => actions.adjust("training", { pair: pairs.selectedIndex, ...whose() }),
  });
  film.element.prepend(
    h("div", { class: "fields" }, field(t("training.pair"), pairs), compare, film.save),
  );
  const body = h("div", { hidden: true }, film.element);
  /** @type {Film | null} */
  let shown = null;

  watch(["trace", "training"], (state) => {
    const { trace, training } = state;
    if (trace && training.part === "film") show(findFilm(context, trace, training), draw);
  });

  /** The model of the film, once somebody looks at a moment of it. */
  function whose() {
    return shown ? { film: /** @type {"own" | "toy"} */ (shown.other ? "toy" : "own") } : {};
  }

  function clear() {
    film.clear();
    shown = null;
    body.hidden = first.hidden = instead.hidden = true;
  }

  /** @param {Film} next */
  function draw(next) {
    const { history, model, other } = next;
    const { pair, step } = store.get().training;
    body.hidden = first.hidden = false;
    if (shown?.history !== history || shown.other !== other) {
      shown = next;
      first.textContent = beginningText(t, history);
      const names = history.pairs.map((each) => [each.source, each.target].filter(Boolean));
      pairs.replaceChildren(...names.map((name) => h("option", {}, name.join(" → "))));
      compare.hidden = other;
      const others = otherFilm(context, next);
      instead.hidden = others.length === 0;
      instead.replaceChildren(...others);
    }
    pairs.selectedIndex = pair;
    film.show(history, { model, pair, step });
  }

  /** The first moment and the one that is shown; or the last, if that is the first. */
  function compareMoments() {
    const { pair } = store.get().training;
    if (!shown) return;
    const { steps } = shown.history;
    const moment = film.moment();
    actions.compareMoments({ pair, from: steps[0], to: moment > 0 ? steps[moment] : null });
    actions.openTab("compare");
  }

  const about = h("p", { class: "prose" }, t("training.about"));
  return h("div", { class: "inside" }, about, instead, first, waiting, problem, body);
}

/**
 * The model's own film, unless it does not begin at noise and nobody asked for it by name.
 *
 * @type {(context: Context, trace: Trace, settings: TrainingSettings) => Promise<Film>}
 */
async function findFilm({ actions, about, historyOf }, trace, { film, pair }) {
  const { model } = trace;
  const toy = model !== TOY && actions.modelOf(TOY) !== undefined;
  const own = await about(trace)
    .history(film === "toy" ? 0 : pair)
    .catch((error) => {
      const none = error instanceof Refused && error.problem.code === "no_history";
      if (toy && film !== "own" && none) return null;
      throw error;
    });
  const beginning = own && beginningOf(own);
  const why = beginning === "noise" ? null : beginning;
  if (own && (film === "own" || !toy || (film === null && why === null)))
    return { history: own, model, other: false, why };
  const history = await historyOf(TOY, pair);
  return { history, model: TOY, other: true, why: own ? why : "none" };
}

/** @type {(t: import("../../../kit/i18n.js").Translate, history: History) => string} */
function beginningText(t, history) {
  const { steps, end, sharp_at_first, heads } = history;
  return t(`training.begins_${beginningOf(history)}`, {
    ...{ step: countText(steps[0]), last: countText(end) },
    ...{ moments: steps.length, sharp: sharp_at_first, heads },
  });
}

/**
 * Why this film is shown in the place of another, and a way to that one.
 *
 * @type {(context: Context, film: Film) => (Node | string)[]}  none: there is no other
 */
function otherFilm({ store, actions, t }, { model, other, why }) {
  const { trace, language } = store.get();
  /** @param {string} name */
  const titleOf = (name) => inLanguage(actions.modelOf(name)?.title, language) ?? name;
  const toy = (model !== TOY || other) && actions.modelOf(TOY);
  if (!toy || (!other && why === null)) return [];
  /** @type {(film: "own" | "toy", name: string) => HTMLElement} */
  const link = (film, name) => {
    const click = () => actions.adjust("training", { film, step: null, pair: 0 });
    return h("button", { class: "link", click }, name);
  };
  if (!other) return [link("toy", t("training.show_toy", { model: titleOf(TOY) }))];
  const own = { model: titleOf(trace?.model ?? "") };
  const reason = `${t(`training.toy_${why ?? "chosen"}`, own)} `;
  return why === "none" ? [reason] : [reason, link("own", t("training.show_own", own))];
}
