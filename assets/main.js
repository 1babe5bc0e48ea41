/** The viewer's door: whoever has a place for the page, a first answer and its styles, mounts it. */

import { loadTexts } from "./kit/i18n.js";
import { openPage } from "./page.js";
import { startingLanguage } from "./state/preferences.js";
import { inflated } from "./trace/inflate.js";

/** Asked for at once. */
const texts = loadTexts(startingLanguage());

/**
 * @param {HTMLElement} element  where the page goes
 * @param {import("./page.js").FirstPage | Promise<import("./page.js").FirstPage>} page
 * @param {import("./page.js").Server | null} server  null without one, in a saved trace
 * @returns {Promise<import("./state/actions.js").Actions>}  what a person can do there
 */
export async function mount(element, page, server) {
  await texts;
  // In another page's frame, which has a head of its own.
  element.classList.toggle("embedded", new URLSearchParams(location.search).has("embed"));
  return openPage(element, await page, server);
}

/**
 * A trace that a page carries, which has no server.
 *
 * @param {HTMLElement} element  where the page goes
 * @param {Record<string, any>} values  the trace, as `transformer/show/replay.py` wrote it
 */
export function mountSaved(element, values) {
  const page = inflated(values).then((trace) => ({ models: [], model: trace.model, trace }));
  return mount(element, /** @type {Promise<any>} */ (page), null);
}
