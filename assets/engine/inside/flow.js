/** What enters a block of the model and what leaves it, token by token (`transformer/inside/flow.py`). */

import { replayed } from "../ask/passes.js";
import { withoutBanned } from "../decoding/decode.js";
import { HeadlightError } from "../errors.js";
import { logSum } from "../model/product.js";
import { clone, rowOf, zeros } from "../model/tensors.js";
import { attached } from "../recording/hooks.js";
import { pack } from "../recording/packing.js";
import { blocks } from "./anatomy.js";

/** @import { Tensor } from "../model/tensors.js" */
/** @import { Hook } from "../model/modules.js" */
/** @import { Hooked } from "../recording/hooks.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/**
 * One teacher-forced pass over a trace, read off around one block.
 *
 * @param {Translator} translator
 * @param {Trace} trace  whatever was changed in it stays changed
 * @param {{block: string}} options  a name that `blocks` has
 */
export async function flow(translator, trace, { block }) {
  const tapped = blocks(translator.model).get(block);
  if (!tapped) throw new HeadlightError("bad_request");
  /** @type {Record<string, Tensor>} */
  const vectors = {};
  const hooks = Object.entries(tapped.taps).map(([name, [module, argument]]) => {
    /** @type {Hook} */
    const read = (output, args) => {
      vectors[name] = argument === null ? output : args[argument];
    };
    return /** @type {[Hooked, Hook]} */ ([module, read]);
  });
  await attached(hooks, () => replayed(translator, trace, []));
  let parts = vectors;
  if (block.endsWith(".position")) {
    const { leaves, enters } = vectors;
    const added = leaves.values.map((x, i) => x - enters.values[i]);
    parts = { ...vectors, added: { shape: leaves.shape, values: added } };
  }
  if (block === "decoder.output") {
    const { leaves, ...rest } = vectors;
    parts = { ...rest, ...logitsOf(translator, trace, clone(leaves)) };
  }
  return {
    block,
    parts: Object.fromEntries(
      Object.entries(parts).map(([name, each]) => [name, pack(each, "float32")]),
    ),
  };
}

/**
 * Logits of a step's candidates, NaN where it has fewer; and the logarithm of the sum over the
 * whole vocabulary of exp(logit).
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {Tensor} all  [tgt, vocabulary]
 */
function logitsOf({ config }, { candidates }, all) {
  withoutBanned(all, config);
  const most = Math.max(...candidates.map((step) => step.length));
  const logits = zeros(candidates.length, most);
  logits.values.fill(Number.NaN);
  const log_sum = zeros(candidates.length, 1);
  for (const [step, of] of candidates.entries()) {
    for (const [i, { id }] of of.entries()) rowOf(logits, step)[i] = rowOf(all, step)[id];
    log_sum.values[step] = logSum(rowOf(all, step));
  }
  return { logits, log_sum };
}
