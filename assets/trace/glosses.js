/** What a token means in the other language, for who does not read its own. */

import { isForeign } from "./scripts.js";
import { SPACELESS_LETTERS } from "./whole_words.js";

/** @import { Trace } from "./trace.js" */

const SPACELESS = new RegExp(`[${SPACELESS_LETTERS}]$`, "u");

/** @typedef {{src: (string | null)[] | null, tgt: (string | null)[] | null}} Glosses  `tgt`: of what each step writes */

/**
 * The glosses that help a reader: those in the page's language, of words that are not.
 *
 * @param {Pick<Trace, "glosses" | "src" | "tgt_out">} trace
 * @param {{source_language?: string, target_language?: string} | undefined} model  of a saved trace
 *   perhaps nobody knows it: then the scripts tell
 * @param {string} language  the page's
 * @returns {Glosses}
 */
export function glossesShown({ glosses, src, tgt_out }, model, language) {
  if (!glosses) return { src: null, tgt: null };
  const { source_language: source, target_language: target } = model ?? {};
  /** @type {(own: string | undefined, other: string | undefined, words: string[], meanings: (string | null)[]) => boolean} */
  const helps = (own, other, words, meanings) =>
    own && other
      ? own !== language && other === language
      : isForeign(words.join(""), language) && !isForeign(meanings.join(""), language);
  const [ofSrc, ofTgt] = [
    wholeOrPart(src, glosses.src, tgt_out, glosses.tgt),
    wholeOrPart(tgt_out, glosses.tgt, src, glosses.src),
  ];
  return {
    src: helps(source, target, src, glosses.src) ? ofSrc : null,
    tgt: helps(target, source, tgt_out, glosses.tgt) ? ofTgt : null,
  };
}

/**
 * Glosses, with a mark before those that name a part of their token alone: 我爸爸 is more than "father",
 * as the other side says, where "father" is 爸爸.
 *
 * @type {(tokens: string[], glosses: (string | null)[], others: string[], meanings: (string | null)[]) => (string | null)[]}
 */
function wholeOrPart(tokens, glosses, others, meanings) {
  return glosses.map((gloss, i) => {
    if (gloss === null) return gloss;
    const part = others.some((other, j) => {
      const meant = meanings[j];
      const same = other.replace("␣", "").toLowerCase() === gloss.toLowerCase();
      return same && meant && SPACELESS.test(meant) && isWithin(meant, tokens[i]);
    });
    return part ? `…${gloss}` : gloss;
  });
}

/**
 * A single sign may well mean what the word does that it stands in: 站 and 车站 are both "station".
 *
 * @type {(part: string, whole: string) => boolean}
 */
function isWithin(part, whole) {
  return part.length > 1 && whole.length > part.length && whole.includes(part);
}
