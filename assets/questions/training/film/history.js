/** How did it learn this? The film of a model's own training, or of the toy's, which begins at noise. */

import { field } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { inLanguage } from "../../../kit/i18n.js";
import { icon } from "../../../kit/icons.js";
import { countText } from "../../../kit/numbers.js";
import { awaiting } from "../../../parts/awaited.js";
import { HEALTHY as TOY } from "../../../state/patients.js";
import { Refused } from "../../../state/problem.js";
import { filmView } from "./film.js";

/** @import { History } from "../../../trace/history.js" */
/** @import { Trace } from "../../../trace/trace.js" */

/**
 * @typedef {object} Found
 * @property {History} history
 * @property {string} model  whose it is
 * @property {boolean} other  it is the toy's, in the place of another model's
 * @property {"none" | "structure" | "later" | null} why  the model's own was not shown at first; null: it
 *   begins at noise
 */

/** @param {import("../settings.js").Context} context */
export function historyView(context) {
  const { store, actions, about, historyOf, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { label: t("training.state"), clear });
  const first = h("p", { class: "prose" });
  const instead = h("p", { class: "prose" });
  const film = filmView(context, {
    go: (step) => actions.adjust("training", { step, ...named() }),
    waiting,
  });
  const compare = h("button", { class: "named", click: compareMoments }, icon("compare"));
  compare.title = t("training.compare");
  compare.append(h("span", {}, t("training.compare")));
  const pairs = h("select", {
    id: "training-pair",
    change: () => actions.adjust("training", { pair: pairs.selectedIndex, ...named() }),
  });
  film.element.prepend(
    h("div", { class: "fields" }, field(t("training.pair"), pairs), compare, film.save),
  );
  const body = h("div", { hidden: true }, film.element);
  /** @type {Found | null} */
  let shown = null;

  watch(["trace", "training"], (state) => {
    const { trace, training } = state;
    if (trace && training.part === "film") show(find(trace, training), draw);
  });

  /**
   * The model's own film, unless it does not begin at noise and nobody asked for it by name.
   *
   * @type {(trace: Trace, training: import("../settings.js").TrainingSettings) => Promise<Found>}
   */
  async function find(trace, { film, pair }) {
    const { model } = trace;
    const toy = model !== TOY && actions.modelOf(TOY) !== undefined;
    const own = await about(trace)
      .history(film === "toy" ? 0 : pair)
      .catch((error) => {
        const none = error instanceof Refused && error.problem.code === "no_history";
        if (toy && film !== "own" && none) return null;
        throw error;
      });
    const why = own && begins(own);
    if (own && (film === "own" || !toy || (film === null && why === "noise")))
      return { history: own, model, other: false, why: why === "noise" ? null : why };
    const history = await historyOf(TOY, pair);
    return { history, model: TOY, other: true, why: own ? (why === "noise" ? null : why) : "none" };
  }

  /** Whose film it is, once somebody looks at a moment of it. */
  function named() {
    return shown ? { film: /** @type {"own" | "toy"} */ (shown.other ? "toy" : "own") } : {};
  }

  function clear() {
    film.clear();
    shown = null;
    body.hidden = first.hidden = instead.hidden = true;
  }

  /** @param {Found} found */
  function draw(found) {
    const { history, model, other, why } = found;
    const { training, trace } = store.get();
    body.hidden = first.hidden = false;
    if (shown?.history !== history || shown.other !== other) {
      shown = found;
      const { steps, end, sharp_at_first, heads: count } = history;
      first.textContent = t(`training.begins_${begins(history)}`, {
        ...{ step: countText(steps[0]), last: countText(end) },
        ...{ moments: steps.length, sharp: sharp_at_first, heads: count },
      });
      pairs.replaceChildren(
        ...history.pairs.map(({ source, target }) =>
          h("option", {}, [source, target].filter(Boolean).join(" → ")),
        ),
      );
      compare.hidden = other;
      const own = trace?.model ?? "";
      const toy = model !== TOY || other ? actions.modelOf(TOY) : undefined;
      /** @type {"own" | "toy"} */
      const next = other ? "own" : "toy";
      const click = () => actions.adjust("training", { film: next, step: null, pair: 0 });
      const name = other
        ? t("training.show_own", { model: titleOf(own) })
        : t("training.show_toy", { model: titleOf(TOY) });
      instead.hidden = !toy || (!other && why === null);
      instead.replaceChildren(
        other ? `${t(`training.toy_${why ?? "chosen"}`, { model: titleOf(own) })} ` : "",
        why === "none" ? "" : h("button", { class: "link", click }, name),
      );
    }
    pairs.selectedIndex = training.pair;
    film.show(history, { model, pair: training.pair, step: training.step });
  }

  /** @param {string} name */
  function titleOf(name) {
    return inLanguage(actions.modelOf(name)?.title, store.get().language) ?? name;
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

  return h(
    "div",
    { class: "inside" },
    h("p", { class: "prose" }, t("training.about")),
    instead,
    first,
    waiting,
    problem,
    body,
  );
}

/** @param {History} history */
function begins({ starts_with_structure, steps }) {
  return starts_with_structure ? "structure" : steps[0] === 0 ? "noise" : "later";
}
