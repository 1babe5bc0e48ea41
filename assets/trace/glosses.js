/** What a token means in the other language, for who does not read its own. */

import { isForeign } from "./scripts.js";

/** @import { Trace } from "./trace.js" */

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
  return {
    src: helps(source, target, src, glosses.src) ? glosses.src : null,
    tgt: helps(target, source, tgt_out, glosses.tgt) ? glosses.tgt : null,
  };
}
