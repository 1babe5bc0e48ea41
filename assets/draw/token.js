/** Tokens for the eye and for the ear. */

import { h } from "../kit/dom.js";

const WORD_START = "␣";

/** Tokens that stand for no text, and the terms that explain them. */
const SPECIAL = new Map([
  ["<s>", "bos"],
  ["</s>", "eos"],
  ["<unk>", "unk"],
  [WORD_START, "space"],
]);

/**
 * The term that explains a token, if one does.
 *
 * @param {string} token
 */
export function tokenTerm(token) {
  return SPECIAL.get(token) ?? null;
}

/**
 * A token as people read it: its own text, whichever way it runs, a word's start marked lightly.
 *
 * @param {string} token
 */
export function tokenNode(token) {
  const starts = token.startsWith(WORD_START);
  return h(
    "bdi",
    { class: "token", "data-term": tokenTerm(token) },
    starts ? h("span", { class: "word-start", "data-term": "space" }, WORD_START) : null,
    starts ? token.slice(1) : token,
  );
}

/**
 * A token as it is spoken.
 *
 * @param {string} token
 */
export function plainToken(token) {
  return token.length > 1 && token.startsWith(WORD_START) ? token.slice(1) : token;
}
