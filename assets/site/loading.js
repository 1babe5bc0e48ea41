/** The word on a model that is on its way: how far it is, what it is for, and what went wrong. */

import { h } from "../kit/dom.js";
import { loadTexts, nearestLanguage, textsIn } from "../kit/i18n.js";

/** @import { Progress } from "./models.js" */

const MB = 1_000_000;

/**
 * @param {HTMLElement} element  the page's
 * @param {(progress: Progress) => void} retry  what a problem has ended
 * @returns {(progress: Progress) => void}
 */
export function loadingView(element, retry) {
  const bar = h("progress", {});
  const text = h("span", {});
  const again = h("button", {});
  const view = h(
    "div",
    { class: "headlight arriving", role: "status", hidden: true },
    text,
    bar,
    again,
  );
  document.body.append(view); // beside the page, which is drawn anew in another language
  /** @type {Progress | null} */
  let shown = null;
  again.onclick = () => shown && retry(shown);

  async function draw() {
    const language = nearestLanguage(document.documentElement.lang);
    await loadTexts(language);
    if (!shown) return;
    const { model, received, total, here, problem } = shown;
    const t = textsIn(language);
    view.dataset.theme = element.dataset.theme;
    view.hidden = here && !problem;
    const isOld = problem?.code === "new_version";
    again.textContent = t(isOld ? "site.newest" : "site.again");
    again.hidden = !problem;
    bar.hidden = problem !== undefined;
    Object.assign(bar, { max: total, value: received });
    bar.ariaLabel = t("site.progress", { model });
    const sizes = { received: Math.floor(received / MB), total: Math.ceil(total / MB) };
    const { code, details } = problem ?? { code: "", details: {} };
    text.textContent = code ? t(`error.${code}`, details) : t("site.arriving", { model, ...sizes });
  }

  return (progress) => {
    shown = progress;
    draw();
  };
}
