/**
 * What words of a model's two languages mean, in a small file beside its weights
 * (`transformer/checkpoint/lexicon.py`): SIDE TAB WORD TAB GLOSS TAB PROBABILITY.
 */

import { wordsOf } from "../../trace/whole_words.js";
import { CheckpointError } from "../errors.js";

/** @typedef {"src" | "tgt"} Side */
/** @typedef {Record<Side, (string | null)[]>} Glosses  of each source and each emitted token */

export const LEXICON = "lexicon.tsv";

/** Words by what they stand for in the other language. */
export class Lexicon {
  /**
   * @param {Uint8Array} bytes  of the file
   * @throws {CheckpointError} it is broken
   */
  constructor(bytes) {
    /** @type {Record<Side, Map<string, string>>} */
    this.glosses = { src: new Map(), tgt: new Map() };
    for (const [i, line] of new TextDecoder().decode(bytes).split("\n").entries()) {
      if (!line) continue;
      const [side, word, gloss, probability, ...more] = line.split("\t");
      if ((side !== "src" && side !== "tgt") || !probability || more.length) {
        throw new CheckpointError(LEXICON, `line ${i + 1}: it has four fields, of which one side`);
      }
      this.glosses[side].set(word, gloss);
    }
  }

  /**
   * Of each token, what its word stands for, at its first piece.
   *
   * @type {(src: string[], tgtOut: string[]) => Glosses}
   */
  of(src, tgtOut) {
    return { src: this.#ofSide("src", src), tgt: this.#ofSide("tgt", tgtOut) };
  }

  /** @type {(side: Side, labels: string[]) => (string | null)[]} */
  #ofSide(side, labels) {
    /** @type {(string | null)[]} */
    const glosses = labels.map(() => null);
    const { words, pieces } = wordsOf(labels);
    for (const [i, word] of words.entries()) {
      glosses[pieces[i][0]] = this.glosses[side].get(folded(word)) ?? null;
    }
    return glosses;
  }
}

/**
 * A word in any case, as Python's `casefold` has it.
 *
 * @param {string} word
 */
function folded(word) {
  return word.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ").replaceAll("ſ", "s");
}
