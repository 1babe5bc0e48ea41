/**
 * A SentencePiece model as it lies on the disk: a Protocol Buffers message.
 *
 * Source: sentencepiece_model.proto, and https://protobuf.dev/programming-guides/encoding/.
 */

/** @typedef {"unigram" | "bpe" | "char"} Algorithm */
/** @typedef {"normal" | "unknown" | "control" | "user" | "unused" | "byte"} PieceType */
/** @typedef {{piece: string, score: number, type: PieceType}} Piece */

/**
 * @typedef {object} ModelFile
 * @property {Algorithm} algorithm
 * @property {Piece[]} pieces
 * @property {boolean} byteFallback  what no piece spells becomes bytes, not unknown
 * @property {string} unknownSurface  how an unknown piece reads
 * @property {boolean} spaceAtEnd  the mark of a word's start stands at its end
 * @property {Rules} rules
 */

/**
 * How a text is written before it is cut.
 *
 * @typedef {object} Rules
 * @property {Uint8Array} charsmap  the trie and what its values point to
 * @property {boolean} dummyPrefix  a space before the text
 * @property {boolean} removeExtra  spaces at its ends, and all but one elsewhere
 * @property {boolean} escape  spaces as ▁
 */

/** @type {PieceType[]} */
const TYPES = ["normal", "normal", "unknown", "control", "user", "unused", "byte"];

/** @type {Record<number, Algorithm>} */
const ALGORITHMS = { 1: "unigram", 2: "bpe", 4: "char" };

/** More pieces than any model has. */
const MOST = 1_000_000;

/** Numbers of fields. */
const [PIECES, TRAINER, NORMALIZER] = [1, 2, 3];
const PIECE = { piece: 1, score: 2, type: 3 };
const TRAINED = { algorithm: 3, spaceAtEnd: 24, byteFallback: 35, unknownSurface: 44 };
const RULES = { charsmap: 2, dummyPrefix: 3, removeExtra: 4, escape: 5 };

/**
 * Reads a SentencePiece model.
 *
 * @param {Uint8Array} bytes
 * @returns {ModelFile}
 * @throws {Error} they are no such message
 */
export function readModelFile(bytes) {
  /** @type {Piece[]} */
  const pieces = [];
  let [trained, rules] = [new Fields(new Uint8Array()), new Fields(new Uint8Array())];
  for (const { number, content } of fieldsOf(bytes)) {
    if (number === PIECES && content) pieces.push(readPiece(new Fields(content)));
    if (pieces.length > MOST) throw new Error("not a SentencePiece model: too many pieces");
    if (number === TRAINER && content) trained = new Fields(content);
    if (number === NORMALIZER && content) rules = new Fields(content);
  }
  const algorithm = ALGORITHMS[trained.number(TRAINED.algorithm, 1)];
  if (!pieces.length || !algorithm) throw new Error("not a SentencePiece model");
  const byteFallback = trained.number(TRAINED.byteFallback, 0) === 1;
  checkPieces(pieces, byteFallback);
  return {
    algorithm,
    pieces,
    byteFallback,
    unknownSurface: trained.text(TRAINED.unknownSurface, " ⁇ "),
    spaceAtEnd: trained.number(TRAINED.spaceAtEnd, 0) === 1,
    rules: {
      charsmap: rules.bytes(RULES.charsmap),
      dummyPrefix: rules.number(RULES.dummyPrefix, 1) === 1,
      removeExtra: rules.number(RULES.removeExtra, 1) === 1,
      escape: rules.number(RULES.escape, 1) === 1,
    },
  };
}

/** @type {(fields: Fields) => Piece} */
function readPiece(fields) {
  const type = TYPES[fields.number(PIECE.type, 1)];
  if (!type) throw new Error("not a SentencePiece model: a piece of no known type");
  const piece = fields.text(PIECE.piece, "");
  if (!piece) throw new Error("not a SentencePiece model: a piece is empty");
  return { piece, score: fields.float(PIECE.score), type };
}

/**
 * What cutting relies on, as SentencePiece does: no piece is there twice, one is the unknown one, and
 * every byte has a piece, or none.
 *
 * @param {Piece[]} pieces
 * @param {boolean} byteFallback
 */
function checkPieces(pieces, byteFallback) {
  const refuse = (/** @type {string} */ why) => new Error(`not a SentencePiece model: ${why}`);
  /** @type {Record<"text" | "mark", Set<string>>} */
  const byUse = { text: new Set(), mark: new Set() };
  let [unknown, bytes] = [0, 0];
  for (const { piece, type } of pieces) {
    const among = byUse[["normal", "user", "unused"].includes(type) ? "text" : "mark"];
    if (among.has(piece)) throw refuse("a piece is there twice");
    among.add(piece);
    if (type === "unknown") unknown++;
    if (type !== "byte") continue;
    if (!/^<0x[0-9A-F]{2}>$/.test(piece)) throw refuse("a byte is none");
    bytes++;
  }
  if (unknown !== 1) throw refuse("it has no unknown piece, or several");
  if (bytes !== (byteFallback ? 256 : 0)) throw refuse("bytes are missing, or should not be there");
}

/** The fields of one message; of those that are there twice, the last counts. */
class Fields {
  /** @param {Uint8Array} message */
  constructor(message) {
    /** @type {Map<number, Field>} */
    this.byNumber = new Map();
    for (const field of fieldsOf(message)) this.byNumber.set(field.number, field);
  }

  /** @type {(number: number, usual: number) => number} */
  number(number, usual) {
    return this.byNumber.get(number)?.value ?? usual;
  }

  /** @type {(number: number, usual: string) => string} */
  text(number, usual) {
    const content = this.byNumber.get(number)?.content;
    return content ? TEXT.decode(content) : usual;
  }

  /** @type {(number: number) => Uint8Array} */
  bytes(number) {
    return this.byNumber.get(number)?.content ?? new Uint8Array();
  }

  /** @type {(number: number) => number} */
  float(number) {
    const content = this.byNumber.get(number)?.content;
    if (content?.length !== 4) return 0;
    return new DataView(content.buffer, content.byteOffset, 4).getFloat32(0, true);
  }
}

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/**
 * A field: its number, and what it holds, a small whole number or bytes.
 *
 * @typedef {{number: number, value?: number, content?: Uint8Array}} Field
 */

/** @type {(message: Uint8Array) => Generator<Field>} */
function* fieldsOf(message) {
  let at = 0;
  const varint = () => {
    let [value, scale] = [0, 1];
    for (let i = 0; i < 10 && at < message.length; i++) {
      const byte = message[at++];
      value += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) return value;
    }
    throw new Error("not a SentencePiece model: a number has no end");
  };
  /** @param {number} length */
  const take = (length) => {
    at += length;
    if (at > message.length) {
      throw new Error("not a SentencePiece model: the message ends within a field");
    }
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = varint();
    const [number, kind] = [Math.floor(tag / 8), tag % 8];
    if (kind === 0) yield { number, value: varint() };
    else if (kind === 1) yield { number, content: take(8) };
    else if (kind === 2) yield { number, content: take(varint()) };
    else if (kind === 5) yield { number, content: take(4) };
    else throw new Error(`not a SentencePiece model: a field of type ${kind}`);
  }
}
