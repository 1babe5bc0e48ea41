/** A trace as a page of its own, as `trace.save("x.html")` writes it in Python. */

import { jsonOf } from "../trace/unpack.js";

/** What stands for them in the page that comes along. */
const [TITLE, VALUES] = ["HEADLIGHT-TITLE", '"HEADLIGHT-VALUES"'];

/**
 * @param {string} template
 * @param {import("../trace/trace.js").TracePayload} trace
 * @returns {string}  HTML; no text of the trace is markup in it
 */
export function replayPage(template, trace) {
  const title = trace.source.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const values = jsonOf(trace).replaceAll("<", "\\u003c");
  // Not as patterns: a "$&" of a source stays what it is.
  return template.replace(TITLE, () => title).replace(VALUES, () => values);
}
