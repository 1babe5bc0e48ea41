/** A lesson's plan: its addresses in order, of which some ask the class something. */

/**
 * @typedef {object} Planned
 * @property {string} title
 * @property {string} address  "?model=…", without what it asks
 * @property {Asking | null} ask
 */

/**
 * What an address asks: `ask=look`, `ask=next`, `ask=off`, `ask=without:WORD`, `ask=sentence`, or
 * `ask=own:How many?|one|two`.
 *
 * @typedef {{kind: typeof KINDS[number], text: string, options: string[]}} Asking
 */

const KINDS = /** @type {const} */ (["look", "next", "off", "without", "own", "sentence"]);

/** Answers to a question of the teacher's own. */
export const MOST_ANSWERS = 5;

/**
 * @param {string | null} text  of the parameter
 * @returns {Asking | null}  null if it asks nothing
 */
export function readAsking(text) {
  const [first, ...rest] = (text ?? "").split(":");
  const kind = KINDS.find((each) => each === first);
  const wording = rest.join(":").trim();
  if (!kind || (kind === "without" && !wording)) return null;
  if (kind !== "own") return { kind, text: wording, options: [] };
  const [question, ...answers] = wording.split("|").map((each) => each.trim());
  const options = answers.filter(Boolean).slice(0, MOST_ANSWERS);
  return question && options.length > 1 ? { kind, text: question, options } : null;
}

/** What a link of a plan leads to: in Markdown, in HTML, or by itself. */
const ADDRESS = /(?:https?:\/\/[^\s?)"'<>]*)?\?(?:model|source|start|tour|exercise)=[^\s)"'<>`]+/g;

/**
 * The addresses of a plan, each under the last heading before it. An address that stands there twice, as
 * a link and as its text, is one.
 *
 * @param {string} text  Markdown, or a list of addresses
 * @returns {Planned[]}
 */
export function readPlan(text) {
  /** @type {Planned[]} */
  const stops = [];
  let title = "";
  let last = "";
  for (const line of text.split(/\r?\n/)) {
    const heading = /^#+\s+(.*)/.exec(line)?.[1];
    if (heading !== undefined) title = heading;
    for (const [link] of line.matchAll(ADDRESS)) {
      const query = link.slice(link.indexOf("?"));
      const address = new URLSearchParams(query);
      const ask = readAsking(address.get("ask"));
      if (String(address) === last) continue;
      last = String(address);
      address.delete("ask");
      stops.push({ title: title || query, address: `?${address}`, ask });
    }
  }
  return stops;
}
