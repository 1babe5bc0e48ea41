/**
 * How SentencePiece writes a text before it cuts it: characters replaced, spaces marked.
 *
 * The rules lie in the model as a double array, a trie whose nodes are numbers: from a node, the byte
 * b leads to the node at its offset XOR b, if that one carries the label b. Source: Aoe 1989, "An
 * Efficient Digital Search Algorithm by Using a Double-Array Structure"; darts-clone's layout.
 */

/** @import { Rules } from "./model_file.js" */

export const SPACE = "▁";

const BYTES = new TextEncoder();
const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });

/** @typedef {(text: string) => string} Normalize */

/**
 * Makes what normalises texts by a model's rules.
 *
 * @param {Rules} rules
 * @param {boolean} spaceAtEnd
 * @param {string[]} fixed  pieces that stay as they are
 * @returns {Normalize}
 */
export function normalizer(rules, spaceAtEnd, fixed) {
  const { nodes, texts } = readCharsmap(rules.charsmap);
  const fixedBytes = fixed.map((piece) => BYTES.encode(piece)).sort((a, b) => b.length - a.length);
  const space = rules.escape ? SPACE : " ";

  /**
   * What the first characters from `at` on become, and how many bytes they are.
   *
   * @type {(bytes: Uint8Array, at: number) => [string, number]}
   */
  function replaced(bytes, at) {
    const own = fixedBytes.find((piece) => piece.every((byte, i) => bytes[at + i] === byte));
    if (own) return [TEXT.decode(own), own.length];
    const [value, length] = longest(nodes, bytes, at);
    if (length) return [texts(value), length];
    const size = characterLength(bytes[at]);
    return [TEXT.decode(bytes.subarray(at, at + size)), size];
  }

  return (text) => {
    const bytes = BYTES.encode(text);
    let at = 0;
    while (rules.removeExtra && at < bytes.length) {
      const [first, length] = replaced(bytes, at);
      if (first !== " ") break;
      at += length;
    }
    if (at === bytes.length) return "";
    let written = rules.dummyPrefix && !spaceAtEnd ? space : "";
    let afterSpace = rules.removeExtra;
    while (at < bytes.length) {
      let [next, length] = replaced(bytes, at);
      at += length;
      if (afterSpace) next = next.replace(/^ +/, "");
      if (next) {
        written += next.replaceAll(" ", space);
        afterSpace = next.endsWith(" ");
      }
      if (!rules.removeExtra) afterSpace = false;
    }
    while (rules.removeExtra && written.endsWith(space)) written = written.slice(0, -space.length);
    return rules.dummyPrefix && spaceAtEnd ? written + space : written;
  };
}

/**
 * The trie, and what its values stand for: where a text begins that ends in a zero.
 *
 * @param {Uint8Array} charsmap  the trie's length in bytes, the trie, the texts
 */
function readCharsmap(charsmap) {
  if (!charsmap.length) return { nodes: new Uint32Array(), texts: () => "" };
  const view = new DataView(charsmap.buffer, charsmap.byteOffset, charsmap.byteLength);
  const size = charsmap.length < 4 ? charsmap.length : view.getUint32(0, true);
  if (size + 4 > charsmap.length) throw new Error("its rules are cut short");
  const nodes = new Uint32Array(Math.floor(size / 4));
  const rest = charsmap.subarray(4 + size);
  for (let i = 0; i < nodes.length; i++) {
    const node = view.getUint32(4 + 4 * i, true);
    const isValue = node >>> 31 === 1;
    // A value is a place among the texts, an offset one in the trie.
    const inside = isValue
      ? (node & 0x7fffffff) < rest.length
      : (i ^ offsetOf(node)) < nodes.length;
    if (!inside) throw new Error("its rules point outside of themselves");
    nodes[i] = node;
  }
  /** @type {Map<number, string>} */
  const decoded = new Map();
  const texts = (/** @type {number} */ start) => {
    const text = decoded.get(start) ?? TEXT.decode(rest.subarray(start, rest.indexOf(0, start)));
    decoded.set(start, text);
    return text;
  };
  return { nodes, texts };
}

/**
 * The longest key of the trie that stands at `at`.
 *
 * @param {Uint32Array} nodes
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {[number, number]}  its value and its length in bytes; 0 if there is none
 */
function longest(nodes, bytes, at) {
  let [value, length] = [0, 0];
  if (!nodes.length) return [value, length];
  let place = offsetOf(nodes[0]);
  for (let i = at; i < bytes.length; i++) {
    place ^= bytes[i];
    const node = nodes[place] ?? 0;
    if ((node & 0x800000ff) >>> 0 !== bytes[i]) break;
    place ^= offsetOf(node);
    if (node & 0x100) [value, length] = [(nodes[place] ?? 0) & 0x7fffffff, i - at + 1];
  }
  return [value, length];
}

/** @param {number} node */
function offsetOf(node) {
  return (node >>> 10) << ((node & 0x200) >>> 6);
}

/** @param {number} byte  a character's first in UTF-8 */
function characterLength(byte) {
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
