/** Text to token ids and back, as SentencePiece does it (`transformer/text/tokenizer.py`). */

import { likeliest, merged, Pieces, spelled } from "./cutting.js";
import { readModelFile } from "./model_file.js";
import { normalizer, SPACE } from "./normalizer.js";

const SPECIAL_PIECES = "<pad> <s> </s> <unk>";

/** How labels show SentencePiece's ▁, which is easily taken for an underscore. */
const WORD_START = "␣";

const CUTTING = { unigram: likeliest, bpe: merged, char: spelled };

/** One SentencePiece model: a vocabulary and the way text is cut into it. */
export class Tokenizer {
  /**
   * @param {Uint8Array} bytes  of a `tokenizer.model` file
   * @throws {Error} they are no SentencePiece model, or its special tokens have other ids
   */
  constructor(bytes) {
    const file = readModelFile(bytes);
    const first = file.pieces.slice(0, 4).map(({ piece }) => piece);
    if (first.join(" ") !== SPECIAL_PIECES) {
      throw new Error(`the first pieces are ${first.join(" ")}, not ${SPECIAL_PIECES}`);
    }
    this.file = file;
    this.pieces = file.pieces;
    this.vocabulary = new Pieces(file.pieces);
    this.cut = CUTTING[file.algorithm];
    this.normalize = normalizer(file.rules, file.spaceAtEnd, this.vocabulary.fixed);
    this.size = file.pieces.length;
    /** @type {Map<number, number>} */
    this.bytes = new Map();
    for (const [id, { piece, type }] of file.pieces.entries()) {
      if (type === "byte") this.bytes.set(Number.parseInt(piece.slice(3, 5), 16), id);
    }
  }

  /**
   * Token ids of a text, without special tokens; text that spells one stays text.
   *
   * @param {string} text
   * @returns {number[]}
   */
  encode(text) {
    const normal = this.normalize(validUnicode(text).replaceAll("\0", ""));
    /** @type {number[]} */
    const ids = [];
    let afterUnknown = false;
    for (const { text: part, id } of this.cut(normal, this.vocabulary)) {
      const unknown = this.pieces[id].type === "unknown";
      if (unknown && this.file.byteFallback) {
        for (const byte of new TextEncoder().encode(part)) ids.push(this.bytes.get(byte) ?? id);
      } else if (!(unknown && afterUnknown)) {
        ids.push(id); // what is unknown together is one token
      }
      afterUnknown = unknown;
    }
    return ids;
  }

  /**
   * The text that ids spell; special tokens are silent, `<unk>` reads ⁇.
   *
   * @param {number[]} ids
   */
  decode(ids) {
    const { dummyPrefix, removeExtra } = this.file.rules;
    let text = "";
    let begins = true;
    let consumed = false;
    /** @type {number[]} */
    let bytes = [];
    const flush = () => {
      text += new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
      bytes = [];
    };
    for (const id of ids) {
      const { piece, type } = this.pieces[id];
      if (type === "byte") {
        bytes.push(Number.parseInt(piece.slice(3, 5), 16));
        continue;
      }
      flush();
      if (consumed || text) begins = false;
      consumed = false;
      if (type === "control") continue;
      if (type === "unknown") {
        text += this.file.unknownSurface;
        continue;
      }
      let own = piece;
      if (begins && (dummyPrefix || removeExtra) && own.startsWith(SPACE)) {
        own = own.slice(SPACE.length);
        consumed = !removeExtra;
      }
      text += own.replaceAll(SPACE, " ");
    }
    flush();
    return text;
  }

  /**
   * A readable label for each token: ␣ marks a word's start, a byte piece reads as 0xE2.
   *
   * @param {number[]} ids
   */
  labels(ids) {
    return ids.map((id) => this.label(id));
  }

  /** @param {number} id */
  label(id) {
    const { piece, type } = this.pieces[id];
    return type === "byte" ? piece.slice(1, -1) : piece.replaceAll(SPACE, WORD_START);
  }
}

/**
 * The text with ? for halves of surrogate pairs, which JSON can carry but UTF-8 cannot.
 *
 * @param {string} text
 */
export function validUnicode(text) {
  return text.replace(/\p{Surrogate}/gu, "?");
}
