/** What interventions do, as hooks on the model's hook points (`transformer/recording/effects.py`). */

import { KINDS } from "../../trace/kinds.js";
import { HeadlightError } from "../errors.js";
import { attentionWeights } from "../model/attention.js";
import { clone } from "../model/tensors.js";
import { attached } from "./hooks.js";
import { checkIntervention } from "./interventions.js";
import { blocksOf } from "./places.js";

/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Model } from "../model/towers.js" */
/** @import { Tensor } from "../model/tensors.js" */
/** @import { Hook } from "../model/modules.js" */
/** @import { Hooked } from "./hooks.js" */
/** @import { Intervention } from "../../trace/interventions.js" */
/** @import { AttentionBlock } from "./places.js" */

/**
 * Each head's mean output: of each kind that a model has, [layer, head, d_head].
 *
 * @typedef {Partial<Record<Kind, Tensor>>} Means
 */

/**
 * How far a text is decoded: the step that the decoder's pass begins with.
 *
 * @typedef {{first: number}} Live
 */

/**
 * A hook on a module; where there are several on one, the lower `turn` comes first.
 *
 * @typedef {{turn: number, module: Hooked, hook: Hook}} Change
 */

/**
 * Changes what heads attend to, or takes parts away, while `run` runs. Recordings see the change,
 * whether they began before it or after.
 *
 * @template Result
 * @param {Model} model
 * @param {Intervention[]} interventions  in the order in which they act
 * @param {Means} means
 * @param {() => Result | Promise<Result>} run
 * @param {Live} [live]  told by who decodes step after step; else each pass begins with the first
 */
export async function intervene(model, interventions, means, run, live = { first: 0 }) {
  for (const change of interventions) checkIntervention(change, model.config);
  const changes = interventions.flatMap((change) => [...changesOf(model, change, means, live)]);
  changes.sort((one, other) => one.turn - other.turn);
  /** @type {[Hooked, Hook][]} */
  const hooks = changes.map(({ module, hook }) => [module, hook]);
  return attached(hooks, run, true);
}

/**
 * The hooks that make up one change.
 *
 * @type {(model: Model, change: Intervention, means: Means, live: Live) => Generator<Change>}
 */
function* changesOf(model, change, means, live) {
  const { effect } = change;
  if (effect === "positions") {
    for (const tower of [model.encoder, model.decoder]) {
      if (tower) yield { turn: 0, module: tower.embedding.position, hook: (_, [x]) => x };
    }
    return;
  }
  for (const kind of KINDS) {
    if (change.kind !== null && change.kind !== kind) continue;
    for (const [layer, block] of blocksOf(model, kind).entries()) {
      if (change.layer === null || change.layer === layer) {
        yield* changesOfBlock(block, kind, layer, change, means, live);
      }
    }
  }
}

/**
 * @param {AttentionBlock} block
 * @param {Kind} kind
 * @param {number} layer
 * @param {Intervention} change
 * @param {Means} means
 * @param {Live} live
 * @returns {Generator<Change>}
 */
function* changesOfBlock(block, kind, layer, change, means, live) {
  const { attention } = block;
  const { scores, weights, attended, query, key, value } = attention;
  switch (change.effect) {
    case "zero":
      yield { turn: 4, module: weights, hook: inRows(change, live, () => 0) };
      break;
    case "uniform":
      yield { turn: 1, module: scores, hook: inRows(change, live, () => 0) };
      break;
    case "first":
      yield { turn: 1, module: scores, hook: only([0], change, live) };
      break;
    case "aim":
      yield { turn: 1, module: scores, hook: only(change.keys, change, live) };
      break;
    case "double":
      yield { turn: 0, module: attended, hook: inColumns(change, attention, (x) => 2 * x) };
      break;
    case "mean": {
      const mean = means[kind];
      if (!mean) throw new HeadlightError("no_means");
      const start = layer * attention.numHeads * attention.dHead;
      const set = (/** @type {number} */ _, /** @type {number} */ i) => mean.values[start + i];
      yield { turn: 1, module: attended, hook: inColumns(change, attention, set) };
      break;
    }
    case "scale":
      yield { turn: 0, module: scores, hook: times(attention.dHead ** 0.5) };
      break;
    case "temperature":
      yield { turn: 0, module: scores, hook: times(1 / change.value) };
      break;
    case "causal":
    case "inverted":
      if (kind === "decoder_self") yield* withOtherMask(block, change.effect === "inverted");
      break;
    case "mixed":
      for (const module of [query, key, value]) {
        yield { turn: 0, module, hook: mixed(attention.numHeads) };
      }
      break;
    case "residual":
      yield* withoutResidual(block);
      break;
  }
}

/**
 * Other numbers in some heads of [head, query, key], in all rows or in one.
 *
 * @type {(change: Intervention, live: Live, number: (key: number) => number) => Hook}
 */
function inRows({ head: onlyHead, row }, live, number) {
  return (tensor) => {
    const changed = clone(tensor);
    const [heads, queries, keys] = tensor.shape;
    for (let head = 0; head < heads; head++) {
      if (onlyHead !== null && onlyHead !== head) continue;
      for (let query = 0; query < queries; query++) {
        // The encoder has but one pass, and that is before the decoder's first.
        if (row !== null && row !== live.first + query) continue;
        const at = (head * queries + query) * keys;
        for (let key = 0; key < keys; key++) changed.values[at + key] = number(key);
      }
    }
    return changed;
  };
}

/**
 * Lets these keys share a row's attention equally.
 *
 * @type {(keys: number[], change: Intervention, live: Live) => Hook}
 */
function only(keys, change, live) {
  const aimed = inRows(change, live, (key) => (keys.includes(key) ? 0 : -Infinity));
  return (scores, args) => {
    const [, queries, count] = scores.shape;
    const row = (change.row ?? live.first) - live.first;
    const past = keys[keys.length - 1] >= count;
    if (past && row >= 0 && row < queries) {
      throw new HeadlightError("bad_intervention", { intervention: change.text });
    }
    return aimed(scores, args);
  };
}

/**
 * Other numbers in the columns of some heads of [length, d_model].
 *
 * @param {Intervention} change
 * @param {{numHeads: number, dHead: number}} attention
 * @param {(x: number, column: number) => number} number
 * @returns {Hook}
 */
function inColumns({ head }, { numHeads, dHead }, number) {
  const [from, to] = head === null ? [0, numHeads * dHead] : [head * dHead, (head + 1) * dHead];
  return (tensor) => {
    const changed = clone(tensor);
    const [length, size] = tensor.shape;
    for (let row = 0; row < length; row++) {
      for (let i = from; i < to; i++) {
        changed.values[row * size + i] = number(tensor.values[row * size + i], i);
      }
    }
    return changed;
  };
}

/** @type {(factor: number) => Hook} */
function times(factor) {
  return ({ shape, values }) => ({ shape, values: values.map((x) => x * factor) });
}

/**
 * Takes the softmax over all keys, or those from the diagonal on.
 *
 * @type {(block: AttentionBlock, inverted: boolean) => Generator<Change>}
 */
function* withOtherMask({ attention }, inverted) {
  /** @type {Tensor} */
  let scores;
  // The scores that all other changes have left, before what is done to weights.
  yield {
    turn: 2,
    module: attention.scores,
    hook: (output) => {
      scores = output;
    },
  };
  yield {
    turn: 3,
    module: attention.weights,
    hook: ({ shape: [, queries, keys] }) => {
      const mask = new Uint8Array(queries * keys);
      for (let query = 0; query < queries; query++) {
        mask.fill(1, query * keys + (inverted ? query : 0), (query + 1) * keys);
      }
      return attentionWeights(scores, mask);
    },
  };
}

/**
 * [length, head, d_head], read as if it were [head, length, d_head].
 *
 * @param {number} numHeads
 * @returns {Hook}
 */
function mixed(numHeads) {
  return (tensor) => {
    const changed = clone(tensor);
    const [length, size] = tensor.shape;
    const dHead = size / numHeads;
    for (let head = 0; head < numHeads; head++) {
      for (let row = 0; row < length; row++) {
        const from = (head * length + row) * dHead;
        const to = row * size + head * dHead;
        changed.values.set(tensor.values.subarray(from, from + dHead), to);
      }
    }
    return changed;
  };
}

/**
 * Hooks that leave, of the sum of a sublayer and its input, only the sublayer.
 *
 * @param {AttentionBlock} block
 * @returns {Generator<Change>}
 */
function* withoutResidual({ attention, after }) {
  /** @type {Tensor} */
  let sublayer;
  yield {
    turn: 0,
    module: attention,
    hook: (output) => {
      sublayer = output;
    },
  };
  yield { turn: 0, module: after, hook: () => sublayer };
}
