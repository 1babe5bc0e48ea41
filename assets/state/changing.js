/** What a person does to change the model: heads switched off, and put back. All is decoded anew. */

import { effectOn, targetOf, togglePart, withChange, without } from "../trace/interventions.js";

/** @typedef {import("../trace/interventions.js").Effect} Effect */
/** @typedef {import("../trace/interventions.js").Target} Target */

/**
 * @param {import("./store.js").Store<import("./state.js").State>} store
 * @param {(interventions: string[]) => Promise<void>} changeModel
 */
export function changingActions(store, changeModel) {
  /**
   * Does this to a head, a layer or a kind; or undoes it, if it has been done.
   *
   * @param {Target} target
   * @param {Effect} [effect]
   */
  function toggleEffect(target, effect = "zero") {
    const { question, trace } = store.get();
    const size = trace?.weights[target.kind];
    if (!question || !size) return;
    const { interventions } = question;
    const done = effectOn(interventions, target) === effect;
    changeModel(
      done ? without(interventions, target, size) : withChange(interventions, target, effect, size),
    );
  }

  return {
    toggleEffect,
    /** Of what is pointed at, or else of the large head. */
    toggleHere() {
      const { hover, kind, heads } = store.get();
      const choice = hover ?? heads[kind];
      const target = choice && targetOf(hover?.kind ?? kind, choice);
      if (target) toggleEffect(target);
    },
    /** @param {Target} target */
    putBack(target) {
      const { question, trace } = store.get();
      const size = trace?.weights[target.kind];
      if (question && size) changeModel(without(question.interventions, target, size));
    },
    /** @param {string} part  in text form, such as "causal=off" */
    togglePart(part) {
      const { question } = store.get();
      if (question) changeModel(togglePart(question.interventions, part));
    },
    putAllBack: () => changeModel([]),
  };
}
