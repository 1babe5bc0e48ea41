/**
 * Attention weighed by the vectors that it moves: a large weight on a short vector moves little
 * (`transformer/inside/value_norms.py`).
 */

import { KINDS } from "../../trace/kinds.js";
import { lengthOf } from "../../trace/vectors.js";
import { stack, zeros } from "../model/tensors.js";
import { pack } from "../recording/packing.js";
import { attentionBlocks, transformedValues } from "./decomposition.js";

/** @import { Block } from "./decomposition.js" */

/**
 * Each head's weights times the lengths of what they carry: [layer, head, query, key] of each kind.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace
 */
export async function value_norms(translator, trace) {
  const blocks = await attentionBlocks(translator, trace);
  const [encoder_self, decoder_self, cross] = KINDS.map((kind) =>
    blocks[kind].length ? pack(stack(blocks[kind].map(moved)), "float16") : null,
  );
  return { encoder_self, decoder_self, cross };
}

/** @param {Block} block */
function moved({ attention, weights, value }) {
  const [heads, queries, keys] = weights.shape;
  const { values } = transformedValues(attention, value);
  const size = value.shape[1];
  const lengths = zeros(heads, queries, keys);
  for (let head = 0; head < heads; head++) {
    for (let key = 0; key < keys; key++) {
      const at = (head * keys + key) * size;
      const length = lengthOf(values.subarray(at, at + size));
      for (let query = 0; query < queries; query++) {
        const cell = (head * queries + query) * keys + key;
        lengths.values[cell] = weights.values[cell] * length;
      }
    }
  }
  return lengths;
}
