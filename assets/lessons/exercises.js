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
 * @property {readonly import("./stops.js").Form[]} ofGuests  which guests it is for
 * @property {boolean} [hides]  of guests alone that guess hidden words
 */

/** @type {Exercise["ofGuests"]} */
const TRANSLATING = ["encoder-decoder"];
/** @type {Exercise["ofGuests"]} */
const WRITING = [...TRANSLATING, "decoder"];
/** @type {Exercise["ofGuests"]} */
const ANY = [...WRITING, "encoder"];

/** @type {Exercise[]} */
export const EXERCISES = [
  { name: "aligns", address: "tab=attention&kind=cross&cross=mean", ofGuests: TRANSLATING },
  {
    name: "looks_back",
    address: "tab=attention&kind=encoder_self&encoder_self=mean&decoder_self=mean",
    ofGuests: ANY,
  },
  {
    name: "rests",
    address: "tab=attention&kind=cross&encoder_self=mean&decoder_self=mean&cross=mean",
    ofGuests: ANY,
  },
  {
    name: "padding",
    address: "tab=attention&kind=decoder_self&decoder_self=representative",
    ofGuests: WRITING,
  },
  {
    name: "nothing",
    address: "tab=attention&kind=cross&cross=representative",
    ofGuests: WRITING,
  },
  { name: "breaks", address: "tab=attention&kind=cross&cross=mean", ofGuests: WRITING },
  {
    name: "one_row",
    address: "tab=attention&kind=cross&cross=representative",
    ofGuests: TRANSLATING,
  },
  {
    name: "branch",
    address: "tab=attention&step=1&kind=cross&cross=representative",
    ofGuests: WRITING,
  },
  {
    name: "guessed",
    address: "tab=attention&kind=encoder_self&encoder_self=representative",
    ofGuests: ["encoder"],
    hides: true,
  },
];
