/** One model of the hub: what it is, and getting it, watching that, or removing it. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { languagesOf } from "../kit/languages.js";
import { bytesText, countText } from "../kit/numbers.js";
import { problemText } from "../state/problem.js";
import { isRunning } from "../state/server/downloads.js";

/** @import { Downloads } from "../state/state.js" */

/**
 * @param {import("../state/actions.js").Context} context
 * @param {string} model  its name on the hub
 * @returns {{element: HTMLLIElement, update: (downloads: Downloads) => void}}
 */
export function offerView({ store, actions, t }, model) {
  const { language } = store.get();
  const short = model.slice(model.indexOf("/") + 1);
  const pair = languagesOf(model, language)?.map((name) =>
    name === "ROMANCE" ? t("more.romance") : name,
  );
  const details = h("span", { class: "quiet" });
  const problem = h("p", { role: "alert" });
  /** @type {(name: string, label: string, run: () => void) => HTMLButtonElement} */
  const button = (name, label, run) =>
    h("button", { class: "chip", "aria-label": label, click: run }, name);
  const named = { model: short };
  const download = button(t("more.download"), t("more.download_of", named), start);
  const remove = button(t("more.remove"), t("more.remove_of", named), () => confirm(true));
  const cancel = button(t("more.cancel"), t("more.cancel_of", named), actions.cancelDownload);
  const bar = h("progress", { max: 1, "aria-label": t("more.progress", named) });
  const far = h("span", { class: "quiet" });
  const question = h("span", { id: `sure-${model}` });
  const keep = chip(() => confirm(false), t("more.sure_no"));
  const yes = chip(removeIt, t("more.sure_yes"));
  const sure = h(
    "div",
    { class: "sure", role: "group", "aria-labelledby": question.id, hidden: true },
    question,
    yes,
    keep,
  );
  const way = h("div", { class: "way" }, bar, far, cancel);

  const element = h(
    "li",
    {},
    h(
      "div",
      { class: "what" },
      h("span", {}, pair ? t("more.pair", { source: pair[0], target: pair[1] }) : short),
      details,
    ),
    download,
    remove,
    way,
    sure,
    problem,
  );

  async function start() {
    say(await actions.startDownload(model));
  }

  /** @param {boolean} asking */
  function confirm(asking) {
    sure.hidden = !asking;
    remove.hidden = asking;
    (asking ? keep : remove).focus();
  }

  async function removeIt() {
    const name = installed(store.get().downloads)?.name ?? "";
    yes.ariaBusy = "true";
    const refused = await actions.removeModel(name);
    yes.ariaBusy = "false";
    sure.hidden = true;
    say(refused);
    (refused ? remove : download).focus();
  }

  /** @param {import("../state/problem.js").Problem | null | undefined} now */
  function say(now) {
    const text = now ? problemText(t, now) : "";
    if (problem.textContent !== text) problem.textContent = text;
    problem.classList.toggle("quiet", now?.code === "download_cancelled");
  }

  /** @param {Downloads | null} downloads */
  const installed = (downloads) => downloads?.here.find(({ origin }) => origin === model);

  /** @type {string | undefined} */
  let stage;

  /** @param {Downloads} downloads */
  function update(downloads) {
    const here = installed(downloads);
    const running = isRunning(downloads.download);
    const mine = downloads.download?.model === model ? downloads.download : null;
    const focused = element.contains(document.activeElement);
    details.textContent = detailsOf(downloads, here);
    if (here) question.textContent = t("more.sure", { ...named, size: bytesText(here.size) });
    remove.hidden = !here || !sure.hidden;
    download.hidden = Boolean(here) || (running && mine !== null);
    download.disabled = running || downloads.away === true;
    way.hidden = !(running && mine);
    if (mine && running) {
      const { received, total } = mine;
      const counted = mine.stage === "fetching" && total > 0;
      if (counted) bar.value = received / total;
      else bar.removeAttribute("value");
      const amounts = { received: bytesText(received), total: bytesText(total) };
      far.textContent = t(`more.${mine.stage}`, amounts);
      cancel.hidden = mine.stage === "installing" || mine.stage === "measuring";
    }
    if (mine && stage !== mine.stage) {
      say(mine.error);
      if (focused) (cancel.checkVisibility() ? cancel : here ? remove : download).focus();
    }
    stage = mine?.stage;
  }

  /**
   * @param {Downloads} downloads
   * @param {import("../state/state.js").Here | undefined} here
   */
  function detailsOf({ listings }, here) {
    const told = here ?? listings[model];
    // That the hub is out of reach stands above the list, once.
    if (!told || ("code" in told && told.code === "hub_unreachable")) return model;
    if ("code" in told) return `${model} · ${problemText(t, told)}`;
    const license = told.license || t("more.no_license");
    const { family, form, parameters = 0 } = "form" in told ? told : {};
    const seems = [
      family,
      form && t(`guest.form.${form}`),
      parameters && t("guest.millions", { count: countText(parameters / 1e6) }),
    ];
    const size = bytesText(told.size);
    const parts = [model, ...seems, size, license, here ? t("more.here") : ""];
    return parts.filter(Boolean).join(" · ");
  }

  return { element, update };
}
