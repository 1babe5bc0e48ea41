/** What is left of a class: its questions and counts, as a table for spreadsheets and as a page to print. */

import { h } from "../kit/dom.js";
import { download } from "../kit/download.js";
import { menuView } from "../kit/menu.js";
import { csvText } from "../views/export/csv.js";
import { barsView } from "./bars.js";
import { labelText, questionText } from "./texts.js";

/** @import { Past } from "../state/classroom/classroom.js" */
/** @import { Translate } from "../kit/i18n.js" */

/** @param {import("../state/in_class/class_actions.js").ClassContext} context */
export function pastMenu({ store, classroom, t }) {
  /** @param {(past: Past[]) => void} make @returns {() => Promise<string | null>} */
  const from = (make) => async () => {
    if (!store.get().classroom.end) await classroom.askPast();
    const { past } = store.get().classroom;
    if (!past.length) return t("class.nothing_asked");
    make(past);
    return null;
  };
  const save = from((past) =>
    download("headlight-class.csv", new Blob([pastCsv(past, t)], { type: "text/csv" })),
  );
  const items = [
    { label: t("class.csv"), run: save },
    { label: t("class.print"), run: from((past) => print(past, t)) },
  ];
  return menuView(t("class.afterwards"), () => [{ items }], t("class.afterwards"));
}

/**
 * One row an answer.
 *
 * @type {(past: Past[], t: Translate) => string}
 */
function pastCsv(past, t) {
  const heading = ["question", "sentence", "step", "answer", "the_class", "the_model", "right"];
  const counts = ["answered_all", "sure_all", "sure_wrong"];
  const rows = past.flatMap((each, number) => {
    const { kind, labels, shares, right } = each;
    const first = [String(number + 1), questionText(t, each), each.source, String(each.step)];
    const last = [each.answered, each.sure, each.sure_wrong].map(String);
    const all = [...labels.map((label) => labelText(t, kind, label)), t("class.something_else")];
    return all.map((label, i) => [
      ...first,
      label,
      String(i < labels.length ? each.counts[i] : each.else),
      shares && i < labels.length ? String(Math.round(1e4 * shares[i]) / 1e4) : "",
      i === right ? "✓" : "",
      ...last,
    ]);
  });
  return csvText([
    ["number", ...heading, ...counts].map((name) => t(`class.csv.${name}`)),
    ...rows,
  ]);
}

/** @type {(past: Past[], t: Translate) => void} */
function print(past, t) {
  const page = h(
    "div",
    { class: "printed headlight class-past" },
    h("h1", {}, t("class.past")),
    ...past.map((each, i) =>
      h(
        "section",
        {},
        h("h2", {}, `${i + 1}. ${questionText(t, each)}`),
        h("p", { class: "quiet" }, t("class.asked_at", { source: each.source, step: each.step })),
        ...barsView(t, each.kind, each),
      ),
    ),
  );
  document.body.append(page);
  addEventListener("afterprint", () => page.remove(), { once: true });
  window.print();
}
