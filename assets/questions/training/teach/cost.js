/** What a correction cost: sentences that it was not about, before and after. */

import { region } from "../../../kit/controls.js";
import { h } from "../../../kit/dom.js";
import { tableOf, tableRow } from "../../../kit/table.js";
import { costOf } from "../../../trace/run.js";

/** @param {import("../settings.js").Context} context */
export function costView({ t }) {
  const note = h("p", { class: "cost-note" });
  const changed = h("div");
  const all = region("table", t("teach.cost_all"));
  const same = h("details", { class: "in-numbers" }, h("summary", {}, t("teach.cost_all")), all);
  const element = h(
    "section",
    {},
    h("h3", {}, t("teach.cost")),
    note,
    changed,
    same,
    h("p", { class: "quiet" }, t("teach.cost_about")),
  );

  /** @param {import("../../../trace/run.js").OtherSentence[]} sentences */
  function table(sentences) {
    return tableOf({
      kind: "retold",
      columns: [t("teach.sentence"), t("teach.then"), t("teach.cost_now")],
      rows: sentences.map(({ source, before, after }) =>
        tableRow(
          [h("bdi", {}, source)],
          [
            h("bdi", {}, before),
            before === after ? h("span", { class: "quiet" }, "=") : h("b", {}, h("bdi", {}, after)),
          ],
        ),
      ),
    });
  }

  return {
    element,
    /** @param {import("../../../trace/run.js").Run} run */
    draw(run) {
      const { sentences, changed: others, examples } = costOf(run);
      element.hidden = !sentences.length;
      note.textContent = t("teach.cost_told", {
        ...{ count: others.length, all: sentences.length },
        ...{ examples, lines: sentences.length - examples },
      });
      changed.replaceChildren(...(others.length ? [table(others)] : []));
      all.replaceChildren(table(sentences));
    },
  };
}
