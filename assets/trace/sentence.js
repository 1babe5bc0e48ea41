/** What a head does at a step, for a sentence: at which words it looks, how much, and what these are. */

import { firstVisible, isMasked, visibleKeys } from "./kinds.js";
import { headWeights, isHere, isOff, maskAt } from "./weights.js";
import { wordsIn } from "./whole_words.js";
import { unitsOf } from "./words.js";

/** @import { Kind } from "./kinds.js" */
/** @import { Choice } from "./choice.js" */
/** @import { Trace } from "./trace.js" */

/** A row looks at the fewest words that have so much of it: at one, at two, or it spreads over more. */
const MOST = 0.8;

/**
 * A word that is looked at.
 *
 * @typedef {{label: string, pieces: number[], weight: number}} Looked
 */

/**
 * What the first word is, seen from where the row stands: the source of the one to be written or of the
 * one just read, as far as the glosses tell; in self-attention, its place. Without its mask a decoder
 * sees the very word that it is to write, its `answer`, and `later` ones.
 *
 * @typedef {"source" | "source_of_read" | "read" | "itself" | "before" | "before_read" | "after" | "only"
 *   | "answer" | "later"} Relation
 */

/**
 * `off`: it looks at nothing; `one` word, `two`, or `spread` over `count`; `most`: a maximum over
 * heads, of which nothing more can be said. `ahead`: a decoder's row may see what comes after it, so
 * that it does not only look back.
 *
 * @typedef {{form: "masked" | "none" | "off" | "one" | "two" | "spread" | "most", words: Looked[],
 *   count: number, relation: Relation | null, ahead: boolean}} Looks
 */

/**
 * The words that a query looks at, and how much each of them gets.
 *
 * @param {Trace} trace
 * @param {Kind} kind
 * @param {Choice} choice
 * @param {number} query
 * @param {(query: number, key: number) => boolean} [among]  which cells are told of
 * @returns {Looks | null}  null without such weights, or before they are here
 */
export function looksOf(trace, kind, choice, query, among = () => true) {
  const weights = trace.weights[kind];
  if (!weights || query >= weights.queries || !isHere(weights, choice)) return null;
  const { keys } = weights;
  const causal = maskAt(weights, choice);
  const values = headWeights(weights, choice);
  const ahead = kind === "decoder_self" && (causal === false || causal === "inverted");
  if (visibleKeys(kind, query, keys, causal) === 0) {
    return { form: "masked", words: [], count: 0, relation: null, ahead };
  }
  if (isOff(values, query, keys)) {
    return { form: "off", words: [], count: 0, relation: null, ahead };
  }
  const [from, end] = [firstVisible(kind, query, causal), visibleKeys(kind, query, keys, causal)];
  const tokens = kind === "decoder_self" ? trace.tgt_in : trace.src;
  const words = unitsOf(wordsIn(trace, tokens, kind === "decoder_self" ? "tgt" : "src"), tokens)
    .map(({ label, pieces }) => {
      const seen = pieces.filter(
        (key) =>
          key >= from && key < end && !isMasked(kind, query, key, causal) && among(query, key),
      );
      const weight = seen.reduce((sum, key) => sum + values[query * keys + key], 0);
      return { label, pieces: seen, weight };
    })
    .filter(({ pieces }) => pieces.length > 0)
    .sort((one, other) => other.weight - one.weight);
  if (!words.length) return { form: "none", words: [], count: 0, relation: null, ahead };
  const isMost = Object.values(choice).includes("max");
  const count = countOf(words);
  const form = isMost ? "most" : formOf(count);
  const only = kind === "decoder_self" && words.length === 1;
  const relation = only ? "only" : relationOf(trace, kind, query, words[0]);
  return { form, words, count, relation: form === "two" ? null : relation, ahead };
}

/** @type {(count: number) => "one" | "two" | "spread"} */
function formOf(count) {
  if (count < 2) return "one";
  return count === 2 ? "two" : "spread";
}

/** @param {Looked[]} words  the largest first */
function countOf(words) {
  const total = words.reduce((sum, { weight }) => sum + weight, 0);
  let [count, sum] = [0, 0];
  while (count < words.length && sum < MOST * total) sum += words[count++].weight;
  return count;
}

/** @type {(trace: Trace, kind: Kind, query: number, word: Looked) => Relation | null} */
function relationOf(trace, kind, query, { pieces }) {
  if (kind === "cross") {
    const [written, read] = [query, query - 1].map((step) => means(trace, step, pieces));
    // Of a word that is said twice in a row nobody can tell which it is.
    if (written === read) return null;
    return written ? "source" : "source_of_read";
  }
  if (kind === "decoder_self" && pieces[0] > query) {
    return pieces.includes(query + 1) ? "answer" : "later";
  }
  if (pieces.includes(query)) return kind === "decoder_self" ? "read" : "itself";
  if (kind === "encoder_self" && pieces[0] === query + 1) return "after";
  // A decoder's row stands behind what it reads: the word before that is not the one before what it writes.
  const before = kind === "decoder_self" ? "before_read" : "before";
  return pieces.at(-1) === query - 1 ? before : null;
}

/**
 * Whether a token that was written is a source word's translation, as far as the glosses say.
 *
 * @param {Pick<Trace, "glosses" | "src" | "tgt_out">} trace
 * @param {number} step
 * @param {number[]} pieces  of the source word
 */
function means({ glosses, src, tgt_out }, step, pieces) {
  if (!glosses || step < 0) return false;
  const label = bare(pieces.map((key) => src[key]).join(""));
  const written = bare(tgt_out[step] ?? "");
  const gloss = glosses.tgt[step];
  return (
    (gloss !== null && gloss !== undefined && bare(gloss) === label) ||
    pieces.some((key) => glosses.src[key] && bare(glosses.src[key] ?? "") === written)
  );
}

/** @param {string} label */
function bare(label) {
  return label.replaceAll("␣", "").toLowerCase();
}

/**
 * The row that looks at a column most.
 *
 * @param {import("./weights.js").Weights} weights
 * @param {Choice} choice
 * @param {number[]} pieces  the columns of a word
 * @param {number} last  row that may be told of
 * @returns {{query: number, weight: number}}
 */
export function mostLooking({ queries, keys, ...weights }, choice, pieces, last) {
  const values = headWeights({ queries, keys, ...weights }, choice);
  let best = { query: 0, weight: -1 };
  for (let query = 0; query < Math.min(queries, last + 1); query++) {
    const weight = pieces.reduce((sum, key) => sum + values[query * keys + key], 0);
    if (weight > best.weight) best = { query, weight };
  }
  return best;
}
