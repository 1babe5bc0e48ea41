// Written by `python scripts/protocol.py` from what the analyses declare.
import type { PackedArray } from "./unpack.js";

export interface Answers {
  anatomy: {
    config: any;
    parameters: Record<string, number>;
    total: number;
  };
  contributions: {
    src: string[];
    tgt_in: string[];
    tgt_out: string[];
    source: PackedArray | null;
    prefix: PackedArray;
    encoder: PackedArray | null;
  };
  costs: {
    lengths: number[];
    d_model: number;
    d_ff: number;
    num_heads: number;
    threads: number;
    seconds: Record<string, number[]>;
  };
  decoder_lens: {
    source: string;
    translations: string[];
    tokens: string[][];
    stop_reasons: string[];
  };
  distribution: {
    ids: number[][];
    tokens: string[][];
    logits: PackedArray;
    temperatures: number[];
    log_sum: PackedArray;
  };
  effect: {
    interventions: string[];
    log_probability: (number | null)[];
    divergence: number[];
  };
  flow: {
    block: string;
    parts: Record<string, PackedArray>;
  };
  gradients: {
    step: number;
    emitted: string;
    other: string | null;
    readings: string[];
    source_words: string[];
    source_pieces: number[][];
    prefix_words: string[];
    prefix_pieces: number[][];
    source: PackedArray;
    prefix: PackedArray;
    value: number;
    baseline: number;
    gap: number;
  };
  heads: {
    corpus: any | null;
  };
  induction: {
    shares: PackedArray;
    by_chance: number | null;
    rows: number;
    queries: number;
  };
  learnt_from: {
    step: number;
    token: string;
    found: any[];
    searched: number;
    read: number;
    holding: number;
    similarities: number[];
    others: Record<string, string>;
  };
  leave_one_out: {
    words: string[];
    pieces: number[][];
    tgt_in: string[];
    tgt_out: string[];
    deltas: PackedArray;
  };
  lens: {
    tgt_in: string[];
    tgt_out: string[];
    tokens: string[][];
    ids: number[][];
    probability: PackedArray;
    emitted: PackedArray;
    rank: number[][];
  };
  patching: {
    source: string;
    donor: string;
    step: number;
    answer: string;
    donor_answer: string;
    steps: number[];
    donor_answers: string[];
    difference: number;
    donor_difference: number;
    src: string[];
    donor_src: string[];
    tgt_in: string[];
    heads: Record<string, PackedArray>;
    sublayers: Record<string, PackedArray>;
    positions: Record<string, PackedArray>;
  };
  residual: {
    src: string[];
    tgt_in: string[];
    tgt_out: string[];
    encoder_sublayers: string[];
    encoder: PackedArray | null;
    decoder_sublayers: string[];
    decoder: PackedArray;
  };
  swaps: {
    swaps: any[];
  };
  sweep: {
    model: string;
    source: string;
    translation: string;
    log_probability: number;
    unit: string;
    encoder_self: number[][] | null;
    decoder_self: number[][] | null;
    cross: number[][] | null;
  };
  value_norms: {
    encoder_self: PackedArray | null;
    decoder_self: PackedArray;
    cross: PackedArray | null;
  };
  value_zeroing: {
    encoder_self: PackedArray | null;
    decoder_self: PackedArray;
    cross: PackedArray | null;
  };
  why: {
    emitted: string;
    other: string;
    words: string[];
    readings: any[];
    deltas: PackedArray;
  };
  without_words: {
    step: number;
    words: string[];
    pieces: number[][];
    before: any[];
    without: any[][];
  };
}
