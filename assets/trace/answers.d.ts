// Written by `python scripts/protocol.py` from what the analyses declare.
import type { PackedArray } from "./unpack.js";

export interface Options {
  effect: { interventions?: string[] };
  flow: { block: string };
  gradients: { step: number; token?: number };
  learnt_from: { step: number };
  patching: { donor: string; step?: number };
  sweep: { kinds?: ("encoder_self" | "decoder_self" | "cross")[] };
  why: { step: number; token: number };
  without_words: { step: number };
}
type Nothing = Record<string, never>;
export type Asked<Name> = Name extends keyof Options ? Options[Name] : Nothing;

export interface Answers {
  anatomy: {
    config: TransformerConfig | GuestConfig; parameters: Record<string, number>; total: number;
  };
  contributions: {
    src: string[]; // [src]
    tgt_in: string[]; // [tgt]
    tgt_out: string[]; // [tgt]
    source: PackedArray | null; // [tgt, src] share
    prefix: PackedArray; // [tgt, tgt] share
    encoder: PackedArray | null; // [src, src] share
  };
  costs: {
    lengths: number[]; // [length] tokens
    d_model: number; d_ff: number; num_heads: number; threads: number;
    seconds: Record<string, number[]>; // [length] seconds
  };
  decoder_lens: {
    source: string;
    translations: string[]; // [layer]
    tokens: string[][]; // [layer, step]
    stop_reasons: string[]; // [layer]
  };
  distribution: {
    ids: number[][]; // [tgt, best]
    tokens: string[][]; // [tgt, best]
    logits: PackedArray; // [tgt, best]
    temperatures: number[]; // [temperature]
    log_sum: PackedArray; // [tgt, temperature]
  };
  effect: {
    interventions: string[]; // [change]
    log_probability: (number | null)[]; // [tgt] nats
    divergence: number[]; // [tgt] nats
  };
  flow: {
    block: string;
    parts: Record<string, PackedArray>; // [row, column]
  };
  gradients: {
    step: number; emitted: string; other: string | null;
    readings: string[]; // [reading]
    source_words: string[]; // [source_word]
    source_pieces: number[][]; // [source_word, piece]
    prefix_words: string[]; // [prefix_word]
    prefix_pieces: number[][]; // [prefix_word, piece]
    source: PackedArray; // [reading, source_word] nats
    prefix: PackedArray; // [reading, prefix_word] nats
    value: number; // nats
    baseline: number; // nats
    gap: number; // share
  };
  heads: {
    corpus: Statistics | null;
  };
  induction: {
    shares: PackedArray; // [layer, head] share
    by_chance: number | null; // share
    rows: number; queries: number;
  };
  learnt_from: {
    step: number; token: string;
    lines: NearestLine[]; // [line]
    searched: number; read: number; holding: number;
    similarities: number[]; // [line_read] cosine
    others: Record<string, string>;
  };
  leave_one_out: {
    words: string[]; // [word]
    pieces: number[][]; // [word, piece]
    tgt_in: string[]; // [tgt]
    tgt_out: string[]; // [tgt]
    deltas: PackedArray; // [tgt, word] nats
  };
  lens: {
    tgt_in: string[]; // [tgt]
    tgt_out: string[]; // [tgt]
    tokens: string[][]; // [layer, tgt]
    ids: number[][]; // [layer, tgt]
    probability: PackedArray; // [layer, tgt] probability
    emitted: PackedArray; // [layer, tgt] probability
    rank: number[][]; // [layer, tgt]
  };
  patching: {
    source: string; donor: string; step: number; answer: string; donor_answer: string;
    steps: number[]; // [other_step]
    donor_answers: string[]; // [other_step]
    difference: number; // nats
    donor_difference: number; // nats
    src: string[]; // [src]
    donor_src: string[]; // [src]
    tgt_in: string[]; // [tgt_read]
    heads: Record<string, PackedArray>; // [layer, head] share
    sublayers: Record<string, PackedArray>; // [layer, sublayer] share
    positions: Record<string, PackedArray>; // [layer, position] share
  };
  residual: {
    src: string[]; // [src]
    tgt_in: string[]; // [tgt]
    tgt_out: string[]; // [tgt]
    encoder_sublayers: string[]; // [encoder_sublayer]
    encoder: PackedArray | null; // [encoder_sublayer, src] length
    decoder_sublayers: string[]; // [decoder_sublayer]
    decoder: PackedArray; // [decoder_sublayer, tgt] length
  };
  swaps: {
    swaps: Swap[]; // [swap]
  };
  sweep: {
    model: string; source: string; translation: string;
    log_probability: number; // nats
    unit: string;
    encoder_self: number[][] | null; // [layer, head] nats
    decoder_self: number[][] | null; // [layer, head] nats
    cross: number[][] | null; // [layer, head] nats
  };
  value_norms: {
    encoder_self: PackedArray | null; // [layer, head, src, src] length
    decoder_self: PackedArray; // [layer, head, tgt, tgt] length
    cross: PackedArray | null; // [layer, head, tgt, src] length
  };
  value_zeroing: {
    encoder_self: PackedArray | null; // [layer, src, src] share
    decoder_self: PackedArray; // [layer, tgt, tgt] share
    cross: PackedArray | null; // [layer, tgt, src] share
  };
  why: {
    emitted: string; other: string;
    words: string[]; // [word]
    readings: Reading[]; // [reading]
    deltas: PackedArray; // [reading, word] nats
  };
  without_words: {
    step: number;
    words: string[]; // [word]
    pieces: number[][]; // [word, piece]
    before: Candidate[]; // [candidate]
    without: Candidate[][]; // [word, candidate]
  };
}

export interface Candidate {
  token: string; id: number; probability: number; drawn: number | null;
}

export interface GuestConfig {
  src_vocab_size: number; tgt_vocab_size: number; d_model: number; num_heads: number;
  num_encoder_layers: number; num_decoder_layers: number; d_ff: number; activation: string;
  norm_placement: "post" | "pre"; final_norms: boolean; scale_embeddings: boolean;
  tied_embeddings: "none" | "output" | "all"; output_bias: boolean; norm: "layer" | "rms";
  position_kind: "sinusoidal" | "learned" | "rotary" | "relative"; embedding_norm: boolean;
  gated: boolean; key_value_heads: number; d_head: number; guesses: boolean;
}

export interface KindStatistics {
  measures: Record<string, (number | null)[][]>; // [layer, head]
  by_chance: Record<string, number | null>;
  roles: (string | null)[][]; // [layer, head]
  rows: number;
}

export interface NearestLine {
  file: string; line: number; source: string; target: string;
  tokens: string[]; // [tokens]
  at: number; similarity: number; same_token: boolean; same_sentence: boolean;
}

export interface Reading {
  name: "leave_one_out" | "value_zeroing" | "direct"; layer: number | null;
}

export interface Statistics {
  encoder_self: KindStatistics | null; decoder_self: KindStatistics | null;
  cross: KindStatistics | null; sentences: number;
}

export interface Swap {
  word: string; other: string; text: string;
}

export interface TransformerConfig {
  src_vocab_size: number; tgt_vocab_size: number; d_model: number; num_heads: number;
  num_encoder_layers: number; num_decoder_layers: number; d_ff: number; dropout: number;
  max_length: number; activation: "relu" | "gelu" | "silu"; norm_placement: "post" | "pre";
  final_norms: boolean; scale_embeddings: boolean; tied_embeddings: "none" | "output" | "all";
  positions: "interleaved" | "concatenated"; output_bias: boolean; pad_id: number; bos_id: number;
  eos_id: number;
  banned_ids: number[]; // [banned_ids]
  longest_target: number; ends_longest: boolean;
}
