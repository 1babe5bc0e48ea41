/** The terms that the page explains: a sentence for each stands in the locale files. */

export const TERMS = /** @type {const} */ ([
  ...["token", "bos", "eos", "unk", "space", "read_as"],
  ...["encoder", "decoder", "cross", "layer", "head", "weight", "masked"],
  ...["greedy", "sampling", "temperature", "top_k", "top_p", "seed"],
  ...["gamma", "rank"],
  ...["from_source", "agreement", "sharp"],
]);
