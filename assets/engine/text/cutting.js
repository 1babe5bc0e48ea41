/**
 * How a text is cut into pieces: by the likeliest path (unigram), by merging pairs (BPE), or into
 * characters. What no piece spells is unknown.
 */

/** @import { Piece } from "./model_file.js" */
/** @typedef {{text: string, id: number}} Cut */

/** What can be cut out of a text, by its spelling; what may not stays out. */
export class Pieces {
  /** @param {Piece[]} pieces */
  constructor(pieces) {
    this.pieces = pieces;
    /** @type {Map<string, number>} */
    this.ids = new Map();
    this.longest = 1; // characters
    this.unknown = pieces.findIndex(({ type }) => type === "unknown");
    for (const [id, { piece, type }] of pieces.entries()) {
      if (type !== "normal" && type !== "user") continue;
      this.ids.set(piece, id);
      this.longest = Math.max(this.longest, [...piece].length);
    }
    this.fixed = pieces.filter(({ type }) => type === "user").map(({ piece }) => piece);
  }

  /**
   * The text's characters, or, where one begins, a piece that is never cut.
   *
   * @param {string} text
   * @returns {string[]}
   */
  characters(text) {
    if (!this.fixed.length) return [...text];
    /** @type {string[]} */
    const parts = [];
    for (let at = 0; at < text.length; ) {
      const own = this.fixed.filter((piece) => text.startsWith(piece, at));
      const [next] = own.length
        ? own.sort((a, b) => b.length - a.length)
        : [...text.slice(at, at + 2)];
      parts.push(next);
      at += next.length;
    }
    return parts;
  }
}

/** What an unknown character costs more than the unlikeliest piece. */
const PENALTY = 10;

/**
 * The likeliest way to spell the text with pieces that are drawn one after the other. Source: Kudo
 * 2018, "Subword Regularization"; sums are float32, as SentencePiece's are.
 *
 * @type {(text: string, vocabulary: Pieces) => Cut[]}
 */
export function likeliest(text, vocabulary) {
  const characters = [...text];
  const scores = vocabulary.pieces.flatMap(({ type, score }) => (type === "normal" ? [score] : []));
  const least = scores.reduce((least, score) => Math.min(least, score), Number.POSITIVE_INFINITY);
  const most = scores.reduce((most, score) => Math.max(most, score), 0);
  const unlikely = Math.fround(least - PENALTY);
  /** @type {{score: number, start: number, id: number}[]} */
  const best = Array.from({ length: characters.length + 1 }, () => ({
    score: 0,
    start: -1,
    id: -1,
  }));
  /** @type {(end: number, start: number, score: number, id: number) => void} */
  const offer = (end, start, score, id) => {
    if (best[end].start >= 0 && score <= best[end].score) return;
    best[end] = { score: Math.fround(score), start, id };
  };
  for (let start = 0; start < characters.length; start++) {
    const { score: here } = best[start];
    let [piece, single] = ["", false];
    const stop = Math.min(characters.length, start + vocabulary.longest);
    for (let end = start + 1; end <= stop; end++) {
      piece += characters[end - 1];
      const id = vocabulary.ids.get(piece);
      if (id === undefined) continue;
      const { type, score } = vocabulary.pieces[id];
      const own = type === "user" ? new TextEncoder().encode(piece).length * most - 0.1 : score;
      offer(end, start, own + here, id);
      single ||= end === start + 1;
    }
    if (!single) offer(start + 1, start, Math.fround(unlikely + here), vocabulary.unknown);
  }
  /** @type {Cut[]} */
  const path = [];
  for (let end = characters.length; end > 0; end = best[end].start) {
    const { start, id } = best[end];
    path.unshift({ text: characters.slice(start, end).join(""), id });
  }
  return path;
}

/**
 * Characters, of which the best pair of neighbours becomes one piece as long as there is any. Source:
 * Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units".
 *
 * @type {(text: string, vocabulary: Pieces) => Cut[]}
 */
export function merged(text, vocabulary) {
  const parts = vocabulary.characters(text);
  /** @param {number} i */
  const scoreAt = (i) => {
    if (i + 1 >= parts.length) return Number.NEGATIVE_INFINITY;
    if (vocabulary.fixed.includes(parts[i]) || vocabulary.fixed.includes(parts[i + 1]))
      return Number.NEGATIVE_INFINITY;
    const id = vocabulary.ids.get(parts[i] + parts[i + 1]);
    return id === undefined ? Number.NEGATIVE_INFINITY : vocabulary.pieces[id].score;
  };
  const scores = parts.map((_, i) => scoreAt(i)); // of each part with the next one
  for (;;) {
    let best = -1;
    for (let i = 0; i < scores.length; i++) {
      if (scores[i] > (best < 0 ? Number.NEGATIVE_INFINITY : scores[best])) best = i;
    }
    if (best < 0) break;
    parts.splice(best, 2, parts[best] + parts[best + 1]);
    scores.splice(best, 2, scoreAt(best));
    if (best > 0) scores[best - 1] = scoreAt(best - 1);
  }
  return parts.map((part) => ({ text: part, id: vocabulary.ids.get(part) ?? vocabulary.unknown }));
}

/** A text cut into its characters. @type {(text: string, vocabulary: Pieces) => Cut[]} */
export function spelled(text, vocabulary) {
  return vocabulary
    .characters(text)
    .map((part) => ({ text: part, id: vocabulary.ids.get(part) ?? vocabulary.unknown }));
}
