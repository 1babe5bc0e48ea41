/**
 * The Transformer of Vaswani et al. 2017, and its decoder-only sibling (`transformer/model/towers.py`).
 *
 * Shapes: src [src] and tgt [tgt] are token ids; memory, the encoder's output, is [src, d_model].
 */

import { KeyValueCache } from "./attention.js";
import { isDecoderOnly } from "./config.js";
import { Layer, PositionalEncoding } from "./layers.js";
import { causalMask, crossTexts, selfTexts } from "./masks.js";
import { HookPoint, LayerNorm, Linear, Module, TokenEmbedding } from "./modules.js";
import { below, zeros } from "./tensors.js";

/** @import { TransformerConfig } from "./config.js" */
/** @import { Texts } from "./layers.js" */
/** @import { Tensor } from "./tensors.js" */
/** @import { Read } from "./modules.js" */

/**
 * Token ids → vectors with positions added: what the first layer reads.
 *
 * @extends {Module<[number[], number?]>}
 */
export class Embedding extends Module {
  /**
   * @param {Float32Array} weight  [vocabulary, d_model]
   * @param {TransformerConfig} c
   */
  constructor(weight, c) {
    super();
    this.token = new TokenEmbedding(weight, c.d_model);
    this.position = new PositionalEncoding(c.max_length, c.d_model, c.positions);
    this.scale = c.scale_embeddings ? Math.sqrt(c.d_model) : 1;
  }

  /**
   * @param {number[]} ids
   * @param {number} [start]  where the first of them stands
   */
  forward(ids, start = 0) {
    const { shape, values } = this.token.run(ids);
    return this.position.run({ shape, values: values.map((x) => x * this.scale) }, start);
  }
}

/**
 * A stack of encoder layers.
 *
 * @extends {Module<[number[]]>}
 */
export class Encoder extends Module {
  /**
   * @param {Read} read
   * @param {TransformerConfig} c
   */
  constructor(read, c) {
    super();
    const embedding = read("encoder.embedding.token.weight", c.src_vocab_size, c.d_model);
    this.embedding = new Embedding(embedding, c);
    this.layers = Array.from(
      { length: c.num_encoder_layers },
      (_, i) => new Layer(read, `encoder.layers.${i}`, c, false),
    );
    this.norm = finalNorm(read, "encoder.norm", c);
  }

  /** @param {number[]} src */
  forward(src) {
    return this.from(0, this.embedding.run(src));
  }

  /**
   * What becomes of several sources, below one another: [Σ src, d_model].
   *
   * @param {number[][]} sources
   */
  beside(sources) {
    const embedded = sources.map((src) => this.embedding.run(src));
    return this.from(0, below(embedded), lengthsOf(sources));
  }

  /**
   * What becomes of the vectors that enter a layer: [src, d_model].
   *
   * @param {number} first  the layer
   * @param {Tensor} x  [src, d_model]
   * @param {number[]} [lengths]  of the sources whose these are, if they are several
   */
  from(first, x, lengths = [x.shape[0]]) {
    const own = selfTexts(lengths);
    return this.norm.run(this.layers.slice(first).reduce((x, layer) => layer.run(x, { own }), x));
  }
}

/** What a decoder keeps between the steps of one decode, so that each step is one row's work. */
export class DecoderCache {
  /**
   * @param {TransformerConfig} config
   * @param {number} maxTarget
   * @param {number} numSource
   */
  constructor({ num_decoder_layers: length, d_model }, maxTarget, numSource) {
    this.layers = Array.from({ length }, () => ({
      selfAttention: new KeyValueCache(maxTarget, d_model),
      crossAttention: new KeyValueCache(numSource, d_model),
    }));
  }

  /** Number of target tokens already decoded. */
  get length() {
    return this.layers[0].selfAttention.length;
  }
}

/**
 * A stack of decoder layers and the projection from its output to the vocabulary.
 *
 * @extends {Module<[number[], Tensor | null, (DecoderCache | null)?]>}
 */
export class Decoder extends Module {
  /**
   * @param {Read} read
   * @param {TransformerConfig} c
   * @param {Float32Array | null} shared  the encoder's embedding, where both have one
   */
  constructor(read, c, shared) {
    super();
    const size = /** @type {const} */ ([c.tgt_vocab_size, c.d_model]);
    const embedding = shared ?? read("decoder.embedding.token.weight", ...size);
    this.embedding = new Embedding(embedding, c);
    this.layers = Array.from(
      { length: c.num_decoder_layers },
      (_, i) => new Layer(read, `decoder.layers.${i}`, c, !isDecoderOnly(c)),
    );
    this.norm = finalNorm(read, "decoder.norm", c);
    const tied = c.tied_embeddings !== "none";
    const weight = tied ? embedding : read("decoder.output.weight", ...size);
    const bias = c.output_bias ? read("decoder.output.bias", c.tgt_vocab_size) : null;
    this.output = new Linear(weight, bias, c.d_model, c.tgt_vocab_size);
  }

  /**
   * What each position says about the token after it.
   *
   * @param {number[]} tgt  with a cache, only the tokens that it has not seen
   * @param {Tensor | null} memory  [src, d_model]; null in a decoder-only model
   * @param {DecoderCache | null} [cache]  of earlier steps; this call adds to it
   * @returns {Tensor}  logits [tgt, vocabulary]
   */
  forward(tgt, memory, cache = null) {
    return this.output.run(this.states(tgt, memory, cache));
  }

  /**
   * `forward` without the projection to the vocabulary: [tgt, d_model].
   *
   * @param {number[]} tgt
   * @param {Tensor | null} memory
   * @param {DecoderCache | null} [cache]
   */
  states(tgt, memory, cache = null) {
    return this.from(0, this.embedding.run(tgt, cache?.length ?? 0), memory, cache);
  }

  /**
   * The states of several targets of a decoder-only model, below one another: [Σ tgt, d_model].
   *
   * @param {number[][]} targets
   */
  beside(targets) {
    const embedded = targets.map((tgt) => this.embedding.run(tgt));
    return this.from(0, below(embedded), null, null, textsOf(lengthsOf(targets)));
  }

  /**
   * The states of one target after each of several sources: [source · tgt, d_model]. Up to the first
   * cross-attention they are the same, and computed once.
   *
   * @param {number[]} tgt
   * @param {Tensor} memory  of all sources, below one another
   * @param {number[]} sources  their lengths
   */
  after(tgt, memory, sources) {
    const texts = oneText(tgt.length, null);
    const y = this.layers[0].selfAttended(this.embedding.run(tgt), texts);
    const targets = sources.map(() => tgt.length);
    const all = below(sources.map(() => y));
    return this.crossing(0, all, memory, textsOf(targets, sources));
  }

  /**
   * What becomes of the vectors that enter a layer's cross-attention: [Σ tgt, d_model].
   *
   * @param {number} layer
   * @param {Tensor} y  [Σ tgt, d_model]
   * @param {Tensor | null} memory
   * @param {Texts} texts
   */
  crossing(layer, y, memory, texts) {
    const x = this.layers[layer].onwards(y, texts, memory);
    return this.from(layer + 1, x, memory, null, texts);
  }

  /**
   * What becomes of the vectors that enter a layer: [tgt, d_model].
   *
   * @param {number} first  the layer
   * @param {Tensor} x  [tgt, d_model]
   * @param {Tensor | null} memory
   * @param {DecoderCache | null} [cache]
   * @param {Texts} [texts]  whose these are, if they are several's
   */
  from(first, x, memory, cache = null, texts = oneText(x.shape[0], cache)) {
    return this.norm.run(
      this.layers
        .slice(first)
        .reduce((x, layer, i) => layer.run(x, texts, memory, cache?.layers[first + i]), x),
    );
  }
}

/** Both towers, or the decoder alone: what is asked to encode, and to decode. */
export class Model {
  /**
   * @param {Read} read
   * @param {TransformerConfig} config
   */
  constructor(read, config) {
    this.config = config;
    this.encoder = isDecoderOnly(config) ? null : new Encoder(read, config);
    const shared = config.tied_embeddings === "all" ? this.encoder : null;
    this.decoder = new Decoder(read, config, shared?.embedding.token.weight ?? null);
  }

  /**
   * @param {number[]} src  empty for a decoder-only model
   * @returns {Tensor}  memory [src, d_model]
   */
  encode(src) {
    return this.encoder?.run(src) ?? zeros(0, this.config.d_model);
  }

  /**
   * @param {number[]} tgt
   * @param {Tensor} memory
   * @param {DecoderCache | null} [cache]
   * @returns {Tensor}  logits [tgt, vocabulary] for the token after each of `tgt`
   */
  decode(tgt, memory, cache = null) {
    return this.decoder.run(tgt, this.encoder ? memory : null, cache);
  }
}

/**
 * What a decoder's layers are told of several targets.
 *
 * @param {number[]} targets  their lengths
 * @param {number[]} [sources]  the lengths of what they read; of a single one, if all read the same
 * @returns {Texts}
 */
export function textsOf(targets, sources = [0]) {
  return { own: selfTexts(targets, true), cross: crossTexts(targets, sources) };
}

/** @type {(length: number, cache: DecoderCache | null) => Texts} */
function oneText(length, cache) {
  // A single newest row may attend to everything before it: nothing is masked.
  if (length === 1) return {};
  const all = (cache?.length ?? 0) + length;
  return { own: [{ queries: [0, length], keys: [0, all], mask: causalMask(length, all) }] };
}

/** Lengths of texts, in tokens. @param {number[][]} texts */
export function lengthsOf(texts) {
  return texts.map(({ length }) => length);
}

/** @type {(read: Read, name: string, config: TransformerConfig) => LayerNorm | HookPoint} */
function finalNorm(read, name, { final_norms, d_model }) {
  return final_norms ? new LayerNorm(read, name, d_model) : new HookPoint();
}
