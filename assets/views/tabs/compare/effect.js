/** What a change does to the translation that the model made before: asked of the server once. */

/** @typedef {{log_probability: (number | null)[], divergence: (number | null)[]}} Effect  nats a step */
/** @typedef {import("../../../trace/trace.js").Trace} Trace */

/**
 * @param {import("../../../state/actions.js").Context} context
 * @returns {() => Promise<Effect | null>}  of the change that is shown; null if the server tells none
 */
export function effectOf({ store, ask }) {
  /** @type {WeakMap<Trace, Promise<Effect | null>>} */
  const known = new WeakMap();
  return () => {
    const { question, tree, trace } = store.get();
    const prefix = tree.find((branch) => branch.trace === trace)?.prefix;
    if (!question || !trace || !ask) return Promise.resolve(null);
    const { interventions } = question;
    const request = { ask: "inside", name: "effect", ...question, prefix };
    const asked =
      known.get(trace) ??
      ask({ ...request, interventions: [], options: { interventions } }).then(
        ({ inside }) => inside ?? null,
      );
    known.set(trace, asked);
    return asked;
  };
}
