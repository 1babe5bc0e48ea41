/** What reading a stranger's file is made of: no value is believed before it has been looked at. */

/** @typedef {Record<string, unknown>} Values  of JSON */

/** Characters of a text, as many as a guest may be asked. */
const LONGEST = 20_000;

/** Why a file cannot be shown, for a sentence to tell. */
export class Unreadable extends Error {
  /**
   * @param {string} code
   * @param {Record<string, string | number>} [details]
   */
  constructor(code, details = {}) {
    super(code);
    this.problem = { code, details };
  }
}

/**
 * Refuses values of another version.
 *
 * @param {Values} values
 * @param {number} expected  the version that the page reads
 * @throws {Unreadable} if it is of another
 */
export function checkVersion({ version }, expected) {
  if (version === expected) return;
  throw new Unreadable("file_version", { version: String(version).slice(0, 20), known: expected });
}

/**
 * Reads fields one after the other.
 *
 * @param {Values} values
 * @returns {<Value>(name: string, is: (value: unknown) => value is Value, usual?: unknown) => Value}
 *   which throws `Unreadable` if a field is not what it is to be
 */
export function fieldsOf(values) {
  return (name, is, usual) => {
    const value = name in values ? values[name] : usual;
    if (!is(value)) throw new Unreadable("file_field", { field: name });
    return value;
  };
}

/** Whether a value is a text. @type {(value: unknown) => value is string} */
export function isText(value) {
  return typeof value === "string" && value.length <= LONGEST;
}

/** Whether a value is a whole number from 0. @type {(value: unknown) => value is number}  such as an id */
export function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether a value is an object, and no list. @type {(value: unknown) => value is Values} */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Makes a test for lists of such items.
 *
 * @template Item
 * @param {(value: unknown) => value is Item} is
 * @param {number} [most]  items
 * @returns {(value: unknown) => value is Item[]}
 */
export function listOf(is, most = Number.POSITIVE_INFINITY) {
  return /** @type {(value: unknown) => value is Item[]} */ (
    (value) => Array.isArray(value) && value.length <= most && value.every(is)
  );
}
