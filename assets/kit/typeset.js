/** Where a text and what is filled into it meet: the space between two scripts, and no full stop twice. */

const HAN = /\p{Script=Han}/u;
/** Chinese punctuation, which brings its own space. */
const SIGN = /[\u3000-\u303f\uff01-\uff0f\uff1a-\uff20“”‘’…—]/u;
/** A dot between two things, which a text sets apart on both sides or on neither. */
const DOT = "·";
/** Whatever ends a sentence. */
const ENDED = /[.。!?！？…]$/u;
/** A full stop of the text's own right after what was filled in, or after the quotes around it. */
const STOP = /^([\s\u00a0\u202f]*[”»])?[.。]/u;

/**
 * A text's own parts, fitted to what stands between them. In Chinese, Latin letters and numbers
 * have a space on the side of a Chinese character, and nothing else has.
 *
 * @param {string[]} own  between the holes, one more than there are holes
 * @param {(string | null)[]} filled  what each hole reads as; null where it is left open
 * @returns {string[]}  the own parts
 */
export function typeset(own, filled) {
  const isChinese = own.some((part) => HAN.test(part));
  return own.map((part, i) => {
    const [before, after] = [filled[i - 1] ?? "", filled[i] ?? ""];
    const once = ENDED.test(before) ? part.replace(STOP, "$1") : part;
    if (!isChinese) return once;
    const bare = once.trim();
    // Between two holes there may be nothing but a space.
    const start = bare ? once.trimStart() : once;
    const left = bare && before ? gap(last(before), first(bare), once !== start) + start : once;
    const end = bare ? left.trimEnd() : left;
    return bare && after ? end + gap(last(bare), first(after), left !== end) : left;
  });
}

/** @type {(left: string, right: string, isSpaced: boolean) => string} */
function gap(left, right, isSpaced) {
  if (SIGN.test(left) || SIGN.test(right)) return "";
  if (left === DOT || right === DOT) return isSpaced ? " " : "";
  if (HAN.test(left) !== HAN.test(right)) return " ";
  return isSpaced && !HAN.test(left) ? " " : "";
}

/**
 * Sentences one after the other, with the space that their language has between two: Chinese has none.
 *
 * @param {string[]} sentences  the empty ones are left out
 */
export function inARow(sentences) {
  return sentences.filter(Boolean).reduce((text, next) => text + spaceAfter(text) + next, "");
}

/** @param {string} text  what another sentence is to follow, if there is any */
export function spaceAfter(text) {
  return text === "" || SIGN.test(last(text)) ? "" : " ";
}

/** @param {string} text */
const first = (text) => [...text][0];
/** @param {string} text */
const last = (text) => [...text][[...text].length - 1];
