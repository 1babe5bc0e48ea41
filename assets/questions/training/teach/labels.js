/** The pair as training sees it: what the decoder reads, the labels one off, and what each one costs. */

import { tokenNode } from "../../../draw/token.js";
import { region } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { briefText, probabilityText } from "../../../kit/numbers.js";
import { tableOf, tableRow } from "../../../kit/table.js";
import { labelsAt, mostSurprising, SURE } from "../../../trace/run.js";

/** @import { Translate } from "../../../kit/i18n.js" */
/** @import { Run, Label } from "../../../trace/run.js" */

/** What a batch is filled up with. */
const PAD = "<pad>";

/** @param {import("../settings.js").Context} context */
export function labelsView({ t }) {
  const reads = h("p", { class: "teach-tokens" });
  const summary = h("p", { class: "prose" });
  const place = region("labels", t("teach.pair"));
  const title = h("h3", {}, t("teach.pair"));
  const about = h("p", { class: "prose" }, t("teach.pair_about"));
  return {
    element: h("section", {}, title, about, reads, place, summary),
    /** @type {(run: Run, moment: number) => void} */
    draw(run, moment) {
      const { src, tgt_out } = run;
      const labels = labelsAt(run, moment);
      reads.hidden = src.length === 0;
      reads.replaceChildren(
        h("span", { class: "quiet" }, t("teach.encoder_reads")),
        ...src.flatMap((token) => [" ", h("span", { class: "chip" }, tokenNode(token))]),
      );
      place.replaceChildren(labelsTable(t, run, moment, labels));
      summary.textContent = sureText(t, labels);
      if (tgt_out.includes("<unk>")) summary.append(` ${t("teach.unknown")}`);
    },
  };
}

/** @type {(t: Translate, run: Run, moment: number, labels: Label[]) => HTMLElement} */
function labelsTable(t, { losses }, moment, labels) {
  const counted = labels.filter(({ counts }) => counts);
  const most = Math.max(1, ...counted.map(({ lossBefore }) => lossBefore).filter(Number.isFinite));
  const rows = labels.map((label) =>
    label.counts
      ? labelRow(label, most)
      : ignoredRow([tokenNode(label.reads), tokenNode(label.label)], t("teach.given")),
  );
  const mean = [
    h("th", { scope: "row", colspan: 2 }, t("teach.mean")),
    h("td", { class: "was" }),
    h("td"),
    lossCell(losses[moment], losses[0], most),
    h("td", { class: "says" }),
  ];
  return tableOf({
    columns: [
      t("teach.reads"),
      t("teach.label"),
      h("th", { scope: "col", class: "was" }, t("teach.p_before")),
      t("teach.p_now"),
      t("teach.minus_ln_p"),
      h("th", { scope: "col", class: "says" }, t("teach.would_say")),
    ],
    rows: [...rows, ignoredRow([tokenNode(PAD), tokenNode(PAD)], t("teach.padding"))],
    foot: [h("tr", {}, ...mean)],
  });
}

/** @type {(label: Label, most: number) => HTMLTableRowElement} */
function labelRow({ reads, label, before, now, loss, lossBefore, says }, most) {
  return tableRow(
    [tokenNode(reads), tokenNode(label)],
    [
      h("td", { class: "was" }, probabilityText(before)),
      h("td", {}, probabilityOrNaN(now)),
      lossCell(loss, lossBefore, most),
      h("td", { class: "says" }, says === undefined ? "✓" : tokenNode(says)),
    ],
    { class: now >= SURE ? "sure" : null },
  );
}

/** @type {(tokens: (Node | string)[], why: string) => HTMLTableRowElement} */
function ignoredRow(tokens, why) {
  return tableRow(tokens, [h("td", { colspan: 4, class: "hatched" }, h("span", {}, why))], {
    class: "ignored",
  });
}

/** @type {(now: number, before: number, most: number) => HTMLTableCellElement} */
function lossCell(now, before, most) {
  /** @param {number} loss */
  const share = (loss) => (Number.isFinite(loss) ? Math.min(1, loss / most) : 1);
  const style = `--now: ${share(now)}; --was: ${share(before)}`;
  const number = h("span", { class: "number" }, Number.isNaN(now) ? "NaN" : briefText(now));
  return h("td", {}, h("span", { class: "abreast loss", style }, number));
}

/** @type {(t: Translate, labels: Label[]) => string}  how many labels are sure, and which is least */
function sureText(t, labels) {
  const counted = labels.filter(({ counts }) => counts);
  const worst = mostSurprising(labels);
  if (!worst) return "";
  return t("teach.sure", {
    sure: counted.filter(({ before }) => before >= SURE).length,
    now: counted.filter(({ now }) => now >= SURE).length,
    ...{ count: counted.length, token: worst.label, p: probabilityOrNaN(worst.now) },
  });
}

/** @param {number} probability */
function probabilityOrNaN(probability) {
  return Number.isFinite(probability) ? probabilityText(probability) : "NaN";
}
