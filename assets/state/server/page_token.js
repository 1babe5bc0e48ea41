/** What a page calls itself, so that the server tells a class apart that comes from one address. */

const BYTES = 12;

/**
 * Another one each time; it is kept nowhere, and says nothing of anybody.
 *
 * @returns {string}
 */
export function pageToken() {
  // Not `randomUUID`, which only secure pages have.
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
