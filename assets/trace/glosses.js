/** What a token means in the other language, for who does not read its own. */

/** @typedef {import("./trace.js").Trace} Trace */

/** @typedef {{src: (string | null)[] | null, tgt: (string | null)[] | null}} Glosses  `tgt`: of what each step writes */

/**
 * The glosses that help a reader: those in the page's language, of words that are not.
 *
 * @param {Pick<Trace, "glosses">} trace
 * @param {{source_language?: string, target_language?: string} | undefined} model
 * @param {string} language  the page's
 * @returns {Glosses}
 */
export function glossesShown({ glosses }, model, language) {
  const { source_language: source = "", target_language: target = "" } = model ?? {};
  return {
    src: glosses && target === language && source !== language ? glosses.src : null,
    tgt: glosses && source === language && target !== language ? glosses.tgt : null,
  };
}
