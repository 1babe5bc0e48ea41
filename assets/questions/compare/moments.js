/** Two moments of the model's training on one sentence pair: what its heads made of it then. */

import { field } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { countText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { momentAt } from "../../trace/history.js";
import { measuredText } from "../training/telling.js";

/** @import { History } from "../../trace/history.js" */
/** @import { Trace } from "../../trace/trace.js" */
/** @typedef {NonNullable<import("../../state/state.js").State["moments"]>} Moments */
/** @import { Compared } from "../../trace/comparison.js" */

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {() => void} arrived
 */
export function momentsForm({ store, actions, about, t, watch }, arrived) {
  /** @type {{history: History, of: Trace, pair: number} | null} */
  let loaded = null;
  const { problem, show, rest, failed } = awaiting(t, { clear: () => arrive(null) });
  /** @type {(id: string, change: (moments: Moments, chosen: HTMLSelectElement) => Partial<Moments>) => HTMLSelectElement} */
  const select = (id, change) => {
    const element = h("select", {
      id,
      change() {
        const { moments } = store.get();
        if (moments) actions.compareMoments({ ...moments, ...change(moments, element) });
      },
    });
    return element;
  };
  const pairs = select("moments-pair", (_, { selectedIndex }) => ({ pair: selectedIndex }));
  const first = select("moments-first", (_, { value }) => ({ from: Number(value) }));
  const second = select("moments-second", (_, { value }) => ({ to: Number(value) }));
  const fields = h(
    "div",
    { class: "fields" },
    field(t("training.pair"), pairs),
    field(t("compare.first"), first),
    field(t("compare.second"), second),
  );
  const form = h("div", { hidden: true }, fields, problem);
  watch(["moments", "trace"], ({ moments, trace }) => {
    if (!moments || !trace) return rest();
    fields.hidden = loaded?.of !== trace || loaded.pair !== moments.pair;
    show(about(trace).history(moments.pair), (history) => {
      fill(history, moments);
      arrive({ history, of: trace, pair: moments.pair });
    });
  });

  /** @param {typeof loaded} next */
  function arrive(next) {
    loaded = next;
    fields.hidden = loaded === null;
    arrived();
  }

  /** @type {(history: History, moments: Moments) => void} */
  function fill(history, moments) {
    const { steps } = history;
    pairs.replaceChildren(
      ...history.pairs.map(({ source, target }) =>
        h("option", {}, [source, target].filter(Boolean).join(" → ")),
      ),
    );
    pairs.selectedIndex = moments.pair;
    for (const [element, step] of /** @type {const} */ ([
      [first, moments.from],
      [second, moments.to],
    ])) {
      element.replaceChildren(
        ...steps.map((each) => h("option", { value: each }, countText(each))),
      );
      element.selectedIndex = momentAt(steps, step);
    }
  }

  return {
    form,
    failed,
    /**
     * @param {Moments} moments
     * @returns {Compared & {texts: Node[]} | null}  null while it is on its way
     */
    comparedIn(moments) {
      if (loaded?.of !== store.get().trace || loaded?.pair !== moments.pair) return null;
      const { history } = loaded;
      const { steps } = history;
      const [first, second] = [moments.from, moments.to].map((step) => momentAt(steps, step));
      /** @type {(moment: number) => string} */
      const name = (moment) => t("training.at", { step: countText(steps[moment]) });
      /** @type {(moment: number) => Compared["one"]} */
      const at = (moment) => ({ ...history.pairs[moments.pair], weights: history.at(moment) });
      return {
        ...{ one: at(first), name: name(first), other: at(second), now: name(second) },
        texts: [first, second].map((moment) =>
          h("p", {}, h("strong", {}, name(moment)), ` · ${measuredText(t, history, moment)}`),
        ),
      };
    },
  };
}
