/** What guests alone are asked, as a question and its address have it. */

/** @import { OfGuest, Question } from "./state.js" */

/** The parameters' names. */
export const OF_GUEST = ["hidden", "language", "chat", "second"];

/** Characters of a language's token. */
const LONGEST = 60;

/** Characters of a second text, as of a guest's source (`serving/wire/requests.py`). */
const LONGEST_TEXT = 20_000;

/**
 * A question's part, which has none where nothing of it is asked.
 *
 * @param {OfGuest | null | undefined} ofGuest
 * @returns {Pick<Question, "guest">}
 */
export function partOf(ofGuest) {
  const { hidden = [], target_language, chat, second } = ofGuest ?? {};
  /** @type {OfGuest} */
  const guest = {
    ...(hidden.length > 0 && { hidden }),
    ...(target_language && { target_language }),
    ...(chat && { chat }),
    ...(second?.trim() && { second }),
  };
  return Object.keys(guest).length ? { guest } : {};
}

/**
 * What an address says of it.
 *
 * @param {<Value>(name: string, read: (text: string) => Value | null, fallback: Value) => Value} part
 * @param {boolean} isGuest  whether it is one that is asked
 */
export function readOfGuest(part, isGuest) {
  /** @type {<Value>(read: (text: string) => Value | null) => (text: string) => Value | null} */
  const alone = (read) => (text) => (isGuest ? read(text) : null);
  return partOf({
    hidden: part("hidden", alone(placesIn), /** @type {number[]} */ ([])),
    target_language: part(
      "language",
      alone((text) => (text.length <= LONGEST ? text : null)),
      "",
    ),
    chat: part(
      "chat",
      alone((text) => (text === "on" ? true : null)),
      /** @type {true | undefined} */ (undefined),
    ),
    second: part(
      "second",
      alone((text) => (text.trim() && text.length <= LONGEST_TEXT ? text : null)),
      "",
    ),
  });
}

/** @type {(ofGuest: OfGuest | null | undefined) => [string, string][]} */
export function writeOfGuest(ofGuest) {
  const { hidden = [], target_language, chat, second } = ofGuest ?? {};
  /** @type {[string, string][]} */
  const parts = [];
  if (hidden.length) parts.push(["hidden", hidden.map((at) => at + 1).join("-")]);
  if (target_language) parts.push(["language", target_language]);
  if (chat) parts.push(["chat", "on"]);
  if (second) parts.push(["second", second]);
  return parts;
}

/** @param {string} text  such as "3-4": tokens, counted from 1 */
function placesIn(text) {
  const places = text.split("-").map((each) => (/^[1-9]\d{0,3}$/.test(each) ? Number(each) : 0));
  return places.every(Boolean) ? places.map((each) => each - 1) : null;
}
