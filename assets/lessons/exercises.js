/**
 * The exercises: what a person is to bring about on the page, whatever the sentence. Each has its
 * texts in the locale files under `exercise.`, and a judge of its name, who knows no answer but looks
 * at what is shown.
 */

/**
 * @typedef {object} Exercise
 * @property {keyof typeof import("./judges.js").JUDGES} name
 * @property {string} address  where the page begins: where a head is to be found, on no single one, so
 *   that the choice is a person's own; where one is to be switched off, on one, as the key X takes it
 */

/** @type {Exercise[]} */
export const EXERCISES = [
  { name: "aligns", address: "tab=attention&kind=cross&cross=mean" },
  {
    name: "looks_back",
    address: "tab=attention&kind=encoder_self&encoder_self=mean&decoder_self=mean",
  },
  {
    name: "rests",
    address: "tab=attention&kind=cross&encoder_self=mean&decoder_self=mean&cross=mean",
  },
  { name: "padding", address: "tab=attention&kind=decoder_self&decoder_self=representative" },
  { name: "nothing", address: "tab=attention&kind=cross&cross=representative" },
  { name: "breaks", address: "tab=attention&kind=cross&cross=mean" },
  { name: "one_row", address: "tab=attention&kind=cross&cross=representative" },
  { name: "branch", address: "tab=attention&step=1&kind=cross&cross=representative" },
];
