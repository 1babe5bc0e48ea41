/** What a trace is, as it comes and once it is read: their types. docs/trace-format.md describes the fields. */

/** @import { Kind } from "./kinds.js" */
/** @import { PackedArray } from "./unpack.js" */

/** The version of a trace that any Transformer may have; ours are of the first. */
export const SECOND = 2;

/**
 * A token that the model might have emitted: `probability` is the model's own, `drawn` the one in the
 * distribution that was sampled; null or absent where nothing was drawn; a file of version 1 may lack it.
 *
 * @typedef {{token: string, id: number, probability: number, drawn?: number | null}} Candidate
 */

/**
 * How tokens are drawn by lot, as the server takes it.
 *
 * @typedef {{temperature: number, top_k: number, seed: number, top_p?: number}} Sampling
 */

/**
 * What each token of `src` and of `tgt_out` means in the other language: a word's gloss stands at its
 * first piece, and null wherever there is none.
 *
 * @typedef {{src: (string | null)[], tgt: (string | null)[]}} Glosses
 */

/**
 * What a picture begins with, if not with the representative head: the weights whose strongest cell is most
 * often where a lexicon says, a head's or "L3.mean". `row` tells whether they look at the word to be
 * written ("predicts") or at the one just read ("reads"); `meets` at what share of words they do so,
 * and `other` the best ones for the other row.
 *
 * @typedef {{head: string, row: string, meets: number, other: number}} Opening
 */

/** @typedef {{head: string, role: string, row?: string | null, opening?: Opening | null}} RepresentativeHead */

/**
 * @typedef {object} TracePayload
 * @property {string} model
 * @property {string} [checkpoint]  a short hash of its weights; "" if nobody knows it
 * @property {string} source
 * @property {string | null} [read_as]  the text that was cut into tokens, if it is another than `source`;
 *   a file of version 1 may lack it
 * @property {string} translation
 * @property {string[]} src
 * @property {string[]} tgt_in
 * @property {string[]} tgt_out
 * @property {number[]} [src_ids]
 * @property {number[]} tgt_ids
 * @property {Candidate[][]} candidates
 * @property {string} stop_reason
 * @property {string[]} [interventions]
 * @property {number} prefix_length  how many of tgt_out were forced
 * @property {Sampling | null} [sampling]  null for greedy decoding
 * @property {Partial<Record<Kind, RepresentativeHead>>} [heads]  the representative one of each kind, measured
 *   on the model's dev set; a file of version 1 may lack them
 * @property {Glosses | null} [glosses]  null of a model without a lexicon; a file of version 1 may lack them
 * @property {PackedArray | null} encoder_self
 * @property {PackedArray | null} decoder_self
 * @property {PackedArray | null} cross
 */

/**
 * Row t of the decoder reads tgt_in[t] and predicts tgt_out[t], "" where nobody knows. What a trace of
 * version 2 tells beyond one of ours is absent in these; `payload` is such a one as it came.
 *
 * @typedef {object} Beyond
 * @property {number} [version]
 * @property {SecondPayload} [payload]
 * @property {Origin} [origin]
 * @property {BySide} [words]
 * @property {BySide} [parts]
 * @property {{at: number, token: string, id?: number | null}[]} [hidden]
 * @property {(string | null)[]} [forced_by]
 * @property {GuestCard} [guest]  of the model, where it is a guest that answers here
 * @property {Record<string, unknown>} [request]  of a large trace, by what its heads are asked for
 * @property {import("./answers.d.ts").Statistics} [statistics]  of a large trace, whose heads are not here
 */

/** @typedef {TracePayload & Beyond & {weights: Partial<Record<Kind, import("./weights.js").Weights>>}} Trace */

/** @typedef {"none" | "causal" | {window: number} | PackedArray} PackedMask  packed: bits, [query, key] */
/** @typedef {PackedArray | (PackedArray | null)[]} Packed  whole, or by layer; null: no attention there */
/**
 * A model of Hugging Face's, as `transformer/serving/guests/card.py` tells it.
 *
 * @typedef {object} GuestCard
 * @property {"encoder" | "decoder" | "encoder-decoder"} form
 * @property {string} family
 * @property {string} model_class
 * @property {Partial<Record<Kind, {layers: number, heads: number, key_value: number}>>} heads
 * @property {number} parameters
 * @property {string} dtype
 * @property {string} device
 * @property {number} size  bytes of its weights
 * @property {string} revision
 * @property {string} license
 * @property {number | null} eager  by how much weights differ from its own; null if it returns none
 * @property {number} sums  by how much a row is off 1 at most
 * @property {number} moved  by how much outputs move where a head is off
 * @property {number} longest  tokens that it reads; 0 without a limit
 * @property {boolean} masks  it guesses hidden tokens
 * @property {boolean} chats
 * @property {string[]} languages
 * @property {string[]} prefixes
 * @property {Record<string, string>} lacks  by question or analysis, why it cannot be asked
 */

/** @typedef {{by: string, library?: string | null, model_class?: string | null, dtype?: string | null}} Origin */
/** @typedef {{src?: (number | null)[] | null, tgt?: (number | null)[] | null}} BySide  a number for each token */

/**
 * @typedef {object} SecondPayload
 * @property {2} version
 * @property {Origin | null} [origin]
 * @property {"encoder" | "decoder" | "encoder-decoder" | null} [form]
 * @property {string | null} [model]
 * @property {string | null} [checkpoint]
 * @property {string | string[] | null} [source]  of a pair: both
 * @property {string | null} [translation]
 * @property {string | null} [read_as]
 * @property {string[] | null} [src]
 * @property {string[] | null} [tgt_in]
 * @property {(string | null)[] | null} [tgt_out]
 * @property {number[] | null} [src_ids]
 * @property {number[] | null} [tgt_ids]
 * @property {BySide | null} [words]  of which word a token is
 * @property {BySide | null} [parts]  0: sentence A, 1: sentence B, -1: neither
 * @property {{at: number, token: string, id?: number | null}[] | null} [hidden]
 * @property {"tgt" | "src" | null} [predicts]  whose rows the candidates belong to
 * @property {Candidate[][] | null} [candidates]
 * @property {(string | null)[] | null} [forced_by]
 * @property {number | null} [prefix_length]
 * @property {string | null} [stop_reason]
 * @property {Sampling | null} [sampling]
 * @property {string[] | null} [interventions]
 * @property {Partial<Record<Kind, RepresentativeHead>> | null} [heads]
 * @property {Glosses | null} [glosses]
 * @property {Packed | null} [encoder_self]
 * @property {Packed | null} [decoder_self]
 * @property {Packed | null} [cross]
 * @property {Partial<Record<Kind, PackedMask | (PackedMask | null)[] | null>> | null} [mask]
 * @property {Partial<Record<Kind, (PackedArray | null)[] | null>> | null} [sink]  by layer [head, query]
 * @property {Partial<Record<Kind, number[] | null>> | null} [key_value_heads]
 */
