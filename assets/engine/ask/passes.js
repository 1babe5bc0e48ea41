/** Passes over the tokens of a trace: what every experiment is made of (`transformer/ask/passes.py`). */

import { withoutBanned } from "../decoding/decode.js";
import { logSum, productByRow } from "../model/product.js";
import { rowsFrom, rowsOf } from "../model/tensors.js";
import { lengthsOf } from "../model/towers.js";
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
 * A text that has lost some tokens, and the steps of which this is asked.
 *
 * @typedef {{removed: number[], steps: number[]}} Variant
 */

/**
 * The decoder's states at some steps if some tokens had not been read: of the source, or of a
 * decoder-only model's own text. What stands after them moves up; changes stay, as far as their tokens
 * do.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @param {Variant[]} variants  computed many at a time
 * @returns {Promise<Tensor[]>}  of each variant, [step, d_model]
 */
export async function statesWithout(translator, trace, variants) {
  const { interventions } = trace;
  const side = translator.decoderOnly ? "tgt" : "src";
  // Changes to single rows are others in each text.
  const alike = interventions.every(({ row }) => row === null);
  /** @type {Tensor[]} */
  const states = [];
  for (const batch of alike ? inBatches(trace, variants) : variants.map((each) => [each])) {
    await translator.rest();
    const changes = alike ? interventions : withoutTokens(interventions, side, batch[0].removed);
    const run = () => statesBeside(translator, trace, batch);
    states.push(...(await translator.intervene(changes, run)));
  }
  return states;
}

/** @type {(translator: Translator, trace: Trace, variants: Variant[]) => Tensor[]} */
function statesBeside(translator, trace, variants) {
  const { model, decoderOnly: alone } = translator;
  const { encoder, decoder } = model;
  const whole = translator.tgtIn(trace.tgt_ids);
  const stepwise = trace.interventions.every(isStepwise);
  const left = (/** @type {number[]} */ ids, /** @type {number[]} */ removed) =>
    ids.filter((_, i) => !removed.includes(i));
  // What comes later changes nothing, unless the model was made to look ahead.
  const last = Math.max(...variants.flatMap(({ steps }) => steps));
  const read = stepwise ? whole.slice(0, last + 1) : whole;
  const texts = variants.map(({ removed }) => left(alone ? read : trace.src_ids, removed));
  const states = encoder
    ? decoder.after(read, encoder.beside(texts), lengthsOf(texts))
    : decoder.beside(texts);
  let start = 0;
  return variants.map(({ removed, steps }, i) => {
    const end = start + (alone ? texts[i].length : read.length);
    const own = rowsFrom(states, [start, end]);
    start = end;
    // A step whose own input is gone is said by the one before.
    const gone = (/** @type {number} */ step) => removed.filter((i) => i <= step).length;
    return rowsOf(own, alone ? steps.map((step) => step - gone(step)) : steps);
  });
}

/** Rows of a batch: the more, the fewer times weights are read, and the more memory it takes. */
const ROWS = 96;

/**
 * Variants of a trace's pass, cut into batches.
 *
 * @template Each
 * @param {Trace} trace
 * @param {Each[]} variants
 * @returns {Each[][]}
 */
export function inBatches({ interventions, src, tgt_in }, variants) {
  // What is mixed is so over the whole length, which is to be one text's.
  const alone = interventions.some(({ effect }) => effect === "mixed");
  const size = alone ? 1 : Math.max(1, Math.floor(ROWS / Math.max(src.length, tgt_in.length)));
  const count = Math.ceil(variants.length / size);
  return Array.from({ length: count }, (_, i) => variants.slice(i * size, (i + 1) * size));
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
 * What enters each layer, and each cross-attention, in a trace's pass, for passes that differ from it in
 * one of them alone: nothing below that one changes.
 *
 * @param {Translator} translator
 * @param {Trace} trace
 * @returns {Promise<{memory: Tensor | null, states: Tensor, into: (module: object | null) => Tensor}>}
 *   with the decoder's last states [tgt, d_model]
 */
export async function enteringLayers(translator, trace) {
  const { encoder, decoder } = translator.model;
  /** @type {Map<object | null, Tensor>} */
  const entered = new Map();
  const crossing = decoder.layers.flatMap(({ crossAttentionResidual: own }) => own ?? []);
  const modules = [...(encoder?.layers ?? []), ...decoder.layers, ...crossing];
  /** @type {[import("../recording/hooks.js").Hooked, import("../model/modules.js").Hook][]} */
  const hooks = modules.map((module) => [module, (_, [x]) => void entered.set(module, x)]);
  return attached(hooks, () => {
    const memory = encoder?.run(trace.src_ids) ?? null;
    const states = decoder.states(translator.tgtIn(trace.tgt_ids), memory);
    return { memory, states, into: (module) => /** @type {Tensor} */ (entered.get(module)) };
  });
}

/**
 * How likely the decoder's states make tokens. No row's logits outlast the next one's.
 *
 * @param {Translator} translator
 * @param {Tensor} states  [row, d_model]
 * @param {number[][]} wanted  ids, of each row
 * @returns {number[][]}  the log-probability of each, nats
 */
export function logProbabilities({ model, config }, states, wanted) {
  const { weight, bias } = model.decoder.output;
  /** @type {number[][]} */
  const logs = [];
  productByRow(states, weight, bias, (row, logits) => {
    withoutBanned({ shape: [1, logits.length], values: logits }, config);
    const log = logSum(logits);
    logs[row] = wanted[row].map((id) => logits[id] - log);
  });
  return logs;
}
