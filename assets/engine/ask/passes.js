/** Passes over the tokens of a trace: what every experiment is made of (`transformer/ask/passes.py`). */

import { logSum } from "../decoding/candidates.js";
import { withoutBanned } from "../decoding/decode.js";
import { rowOf, rowsOf } from "../model/tensors.js";
import { attached } from "../recording/hooks.js";
import { isStepwise, withoutTokens } from "../recording/interventions.js";

/** @import { Tensor } from "../model/tensors.js" */
/** @import { Trace } from "../recording/trace.js" */
/** @import { Translator } from "../translator.js" */

/**
 * Whether a step has read all of a word: a source is read before the first.
 *
 * @param {Translator} translator
 * @param {number[]} word  its tokens, of the source or of a decoder-only model's own text
 * @param {number} step
 */
export function hasRead({ decoderOnly }, word, step) {
  return !decoderOnly || word[word.length - 1] <= step;
}

/**
 * What steps would say if some tokens had not been read: of the source, or of a decoder-only model's own
 * text. What stands after them moves up; changes stay, as far as their tokens do.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {number[]} removed  places of tokens
 * @param {number[]} steps
 * @returns {Promise<Tensor>}  logits [step, vocabulary]
 */
export function logitsWithout(translator, trace, removed, steps) {
  const { model, decoderOnly: alone } = translator;
  const { interventions, src_ids } = trace;
  const whole = translator.tgtIn(trace.tgt_ids);
  // What comes later changes nothing, unless the model was made to look ahead.
  const read = interventions.every(isStepwise) ? whole.slice(0, Math.max(...steps) + 1) : whole;
  const kept = (/** @type {number[]} */ ids) => ids.filter((_, i) => !removed.includes(i));
  // A step whose own input is gone is said by the one before.
  const rows = steps.map((step) => (alone ? step - removed.filter((i) => i <= step).length : step));
  return translator.intervene(withoutTokens(interventions, alone ? "tgt" : "src", removed), () =>
    alone
      ? decoderLogits(translator, kept(read), model.encode([]), rows)
      : decoderLogits(translator, read, model.encode(kept(src_ids)), rows),
  );
}

/**
 * One pass over a trace's tokens, with whatever was changed in it, recorded.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {import("../recording/hooks.js").Site[]} sites
 */
export function replayed(translator, { source, tgt_ids, interventions }, sites) {
  const texts = interventions.map(({ text }) => text);
  return translator.replay(source, tgt_ids, texts, sites);
}

/**
 * The decoder's logits of a target.
 *
 * @param {Translator} translator
 * @param {number[]} tgtIn
 * @param {Tensor} memory  [src, d_model]
 * @param {number[] | null} [rows]  which are wanted; null for all
 * @returns {Tensor}  logits [row, vocabulary], −∞ for tokens that decoding never emits
 */
export function decoderLogits({ model, config }, tgtIn, memory, rows = null) {
  const states = model.decoder.states(tgtIn, model.encoder ? memory : null);
  const wanted = rows ? rowsOf(states, rows) : states;
  return withoutBanned(model.decoder.output.run(wanted), config);
}

/**
 * What enters each layer in a trace's pass, for passes that differ from it in one layer alone:
 * nothing below that one changes.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @returns {Promise<{memory: Tensor | null, states: Tensor, into: (layer: object) => Tensor}>}  with
 *   the decoder's last states [tgt, d_model]
 */
export async function enteringLayers(translator, trace) {
  const { encoder, decoder } = translator.model;
  /** @type {Map<object, Tensor>} */
  const entered = new Map();
  const layers = [...(encoder?.layers ?? []), ...decoder.layers];
  /** @type {[import("../recording/hooks.js").Hooked, import("../model/modules.js").Hook][]} */
  const hooks = layers.map((layer) => [layer, (_, [x]) => void entered.set(layer, x)]);
  return attached(hooks, () => {
    const memory = encoder?.run(trace.src_ids) ?? null;
    const states = decoder.states(translator.tgtIn(trace.tgt_ids), memory);
    return { memory, states, into: (layer) => /** @type {Tensor} */ (entered.get(layer)) };
  });
}

/**
 * The log-probability of a token in each row.
 *
 * @param {Tensor} logits  [tgt, vocabulary]
 * @param {number[]} ids  a token for each row
 * @returns {number[]}  the log-probability of each, nats
 */
export function logProbabilities(logits, ids) {
  return ids.map((id, step) => {
    const row = rowOf(logits, step);
    return row[id] - logSum(row);
  });
}
