/** The pair as training sees it: what the decoder reads, the labels one off, and what each one costs. */

import { tokenNode } from "../../../draw/token.js";
import { region } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { briefText, probabilityText } from "../../../kit/numbers.js";
import { tableOf, tableRow } from "../../../kit/table.js";
import { labelsAt, mostSurprising, SURE } from "../../../trace/course.js";

/** @import { Label } from "../../../trace/course.js" */

/** What a batch is filled up with. */
const PAD = "<pad>";

/** @param {import("../settings.js").Context} context */
export function labelsView({ t }) {
  const reads = h("p", { class: "lesson-tokens" });
  const told = h("p", { class: "prose" });
  const place = region("labels", t("teach.pair"));
  const element = h(
    "section",
    {},
    h("h3", {}, t("teach.pair")),
    h("p", { class: "prose" }, t("teach.pair_about")),
    reads,
    place,
    told,
  );

  /** @type {(now: number, before: number, most: number) => HTMLTableCellElement} */
  function bar(now, before, most) {
    /** @param {number} loss */
    const share = (loss) => (Number.isFinite(loss) ? Math.min(1, loss / most) : 1);
    return h(
      "td",
      {},
      h(
        "span",
        { class: "loss", style: `--now: ${share(now)}; --was: ${share(before)}` },
        h("span", { class: "number" }, Number.isNaN(now) ? "NaN" : briefText(now)),
      ),
    );
  }

  /** @type {(label: Label, most: number) => HTMLTableRowElement} */
  function row(label, most) {
    const { counts, before, now, loss, lossBefore, says } = label;
    const tokens = [tokenNode(label.reads), tokenNode(label.label)];
    if (!counts) return ignored(tokens, t("teach.given"));
    return tableRow(
      tokens,
      [
        h("td", { class: "was" }, probabilityText(before)),
        h("td", {}, Number.isFinite(now) ? probabilityText(now) : "NaN"),
        bar(loss, lossBefore, most),
        h("td", { class: "says" }, says === undefined ? "✓" : tokenNode(says)),
      ],
      { class: now >= SURE ? "sure" : null },
    );
  }

  /** @type {(tokens: (Node | string)[], why: string) => HTMLTableRowElement} */
  function ignored(tokens, why) {
    return tableRow(tokens, [h("td", { colspan: 4, class: "hatched" }, h("span", {}, why))], {
      class: "ignored",
    });
  }

  return {
    element,
    /** @type {(course: import("../../../trace/course.js").Course, moment: number) => void} */
    draw(course, moment) {
      const { src, losses } = course;
      const labels = labelsAt(course, moment);
      const counted = labels.filter(({ counts }) => counts);
      const each = labels.flatMap(({ lossBefore, counts }) =>
        counts && Number.isFinite(lossBefore) ? [lossBefore] : [],
      );
      const most = Math.max(1, ...each);
      reads.hidden = src.length === 0;
      reads.replaceChildren(
        h("span", { class: "quiet" }, t("teach.encoder_reads")),
        ...src.flatMap((token) => [" ", h("span", { class: "chip" }, tokenNode(token))]),
      );
      place.replaceChildren(
        tableOf({
          columns: [
            t("teach.reads"),
            t("teach.label"),
            h("th", { scope: "col", class: "was" }, t("teach.p_before")),
            t("teach.p_now"),
            t("teach.minus_ln_p"),
            h("th", { scope: "col", class: "says" }, t("teach.would_say")),
          ],
          rows: [
            ...labels.map((label) => row(label, most)),
            ignored([tokenNode(PAD), tokenNode(PAD)], t("teach.padding")),
          ],
          foot: [
            h(
              "tr",
              {},
              h("th", { scope: "row", colspan: 2 }, t("teach.mean")),
              h("td", { class: "was" }),
              h("td"),
              bar(losses[moment], losses[0], most),
              h("td", { class: "says" }),
            ),
          ],
        }),
      );
      const worst = mostSurprising(labels);
      told.textContent = worst
        ? t("teach.sure", {
            sure: counted.filter(({ before }) => before >= SURE).length,
            now: counted.filter(({ now }) => now >= SURE).length,
            count: counted.length,
            token: worst.label,
            p: Number.isFinite(worst.now) ? probabilityText(worst.now) : "NaN",
          })
        : "";
      if (course.tgt_out.includes("<unk>")) told.append(` ${t("teach.unknown")}`);
    },
  };
}
