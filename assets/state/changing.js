/** What a person does to change the model: heads switched off, and put back. All is decoded anew. */

import { effectOn, targetOf, togglePart, withChange, without } from "../trace/changes.js";
import { steered } from "../trace/steering.js";

/** @import { Effect, Target } from "../trace/interventions.js" */

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
    const done = effectOn(store.get().question?.interventions ?? [], target) === effect;
    return done ? putBack(target) : make({ ...target, effect });
  }

  /**
   * Makes what is changed in a kind of attention something else.
   *
   * @template {Target} Changed
   * @param {(interventions: string[], changed: Changed, size: import("../trace/weights.js").Weights) => string[]} rework
   * @returns {(changed: Changed) => Promise<void>}
   */
  const reworking = (rework) => async (changed) => {
    const { question, trace } = store.get();
    const size = trace?.weights[changed.kind];
    if (question && size) await changeModel(rework(question.interventions, changed, size));
  };

  /** Makes a change in the place of whatever was done to the same. */
  const make = reworking(withChange);
  const putBack = reworking(without);

  return {
    toggleEffect,
    /** Toggles what is pointed at, or else the large head. */
    toggleHere() {
      const { hover, kind, heads } = store.get();
      const choice = hover ?? heads[kind];
      const target = choice && targetOf(hover?.kind ?? kind, choice);
      if (target) toggleEffect(target);
    },
    putBack,
    /** Lets a row's attention look at these tokens alone, and decodes on from there. */
    steer: reworking(steered),
    /** @param {string} part  in text form, such as "causal=off" */
    togglePart(part) {
      const { question } = store.get();
      if (question) changeModel(togglePart(question.interventions, part));
    },
    putAllBack: () => changeModel([]),
  };
}
