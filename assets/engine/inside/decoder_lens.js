/**
 * What the encoder had understood after each layer: the decoder reads it, and translates
 * (`transformer/inside/decoder_lens.py`).
 */

import { replayed } from "../ask/passes.js";
import { decode } from "../decoding/decode.js";
import { attached } from "../recording/hooks.js";

/**
 * Lets the decoder read each encoder layer's output in place of the last one's. The source is
 * translated anew, greedily; changes of its attention stay.
 *
 * @param {import("../translator.js").Translator} translator
 * @param {import("../recording/trace.js").Trace} trace
 */
export async function decoder_lens(translator, trace) {
  const { model, tgtTokenizer, rest } = translator;
  const { layers } = /** @type {import("../model/towers.js").Encoder} */ (model.encoder);
  const recording = await replayed(translator, trace, ["output"]);
  const last = layers[layers.length - 1];
  const hypotheses = [];
  for (const state of recording.at("encoder", "output")) {
    const live = { first: 0 };
    const decoding = () => decode(model, trace.src_ids, { topK: 0, live, rest });
    const instead = () => attached([[last.output, () => state]], decoding);
    hypotheses.push(await translator.intervene(trace.interventions, instead, live));
  }
  return {
    source: trace.source,
    translations: hypotheses.map(({ ids }) => tgtTokenizer.decode(ids)),
    tokens: hypotheses.map(({ ids }) => tgtTokenizer.labels(ids)),
    stop_reasons: hypotheses.map(({ stop_reason }) => stop_reason),
  };
}
