/** How far a download is, as it is spoken. */

import { isRunning } from "../state/server/downloads.js";

/** @import { Download } from "../state/state.js" */

/** Parts of a download after which its progress is spoken. */
const SPOKEN = 4;

/**
 * How far a download is, as it is spoken: in quarters. Empty where none runs.
 *
 * @type {(t: import("../kit/i18n.js").Translate, download: Download | null) => string}
 */
export function progressText(t, download) {
  if (!download || !isRunning(download)) return "";
  const { stage, total, received, model } = download;
  if (stage !== "fetching" || !total) return t(`more.${download.stage}`);
  const percent = Math.floor((SPOKEN * received) / total) * (100 / SPOKEN);
  return t("more.percent", { model: model.slice(model.indexOf("/") + 1), percent });
}
