/**
 * A report of `transformer.check` that a person's own Python wrote, in place of the picture: findings
 * in its own language, and what was measured.
 */

import { chip, field } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { languageTag } from "../kit/i18n.js";
import { smallText } from "../kit/numbers.js";
import { mapView } from "../parts/map/map.js";
import { byReason } from "../trace/reasons.js";

/** @import { Context } from "../state/actions.js" */
/** @import { RecordedHead, Report, Seen } from "../trace/report.js" */
/** @import { Drawn } from "../parts/map/drawn.js" */

/**
 * @param {Context} context
 * @param {boolean} isAsked  by a person, who has just dropped it, say
 */
export function reportView(context, isAsked = false) {
  const { actions, t, watch } = context;
  const says = h("bdi");
  const close = chip(actions.closeReport, t("file.close"));
  const note = h("p", { role: "note", "aria-label": t("file") }, says, " ", close);
  const heading = h("h2", { tabindex: -1 });
  const view = h("main", { class: "report", "aria-label": t("report") });
  /** @type {Report | null} */
  let shown = null;
  let drawn = false;
  let showHead = (/** @type {number} */ _) => {};
  watch(["report"], ({ report: opened }) => {
    view.hidden = opened === null;
    const { name = "", report = null, head = 0 } = opened ?? {};
    if (report && report !== shown) {
      note.hidden = !name; // a report that is a page of its own was opened from nowhere
      says.textContent = t("file.shown", { name });
      heading.replaceChildren(h("bdi", {}, t("report.title", { model: report.model })));
      const attention = attentionView(context, report.heads);
      showHead = attention.show;
      const findings = h("div", {}, ...findingNodes(context, report));
      view.replaceChildren(
        note,
        heading,
        findings,
        seenView(context, report.seen),
        attention.element,
      );
      // Else who cannot see would not hear of it. Not in another language: then it is only drawn anew.
      if (drawn || isAsked) queueMicrotask(() => heading.focus()); // once it is part of the page
    }
    if (report) showHead(head);
    shown = report;
  });
  drawn = true;
  return view;
}

/** @type {(context: Context, report: Report) => Node[]} */
function findingNodes(context, report) {
  const { t } = context;
  const { language, findings, problems, reasons, notes } = report;
  const unknown = report.examined ? report.unknown : [];
  const lang = languageTag(language);
  const text = (/** @type {string} */ words) => h("p", { lang, dir: "auto" }, words);
  const count = findings.length;
  const headline = count === 0 ? "nothing_found" : "found";
  const list = findings.map((finding) => {
    const { code, severity, sentence, evidence, hint, cost } = finding;
    const line = h(
      "div",
      {},
      h(
        "p",
        { class: "quiet" },
        h("span", { class: "severity" }, t(`report.${severity}`)),
        " ",
        h("code", {}, code),
      ),
      h("p", { class: "wrong", lang, dir: "auto" }, sentence),
      text(evidence),
      h("p", { lang, dir: "auto" }, h("span", { "aria-hidden": "true" }, "→ "), hint),
      cost ? h("p", { class: "quiet", lang, dir: "auto" }, cost) : null,
    );
    return h("li", { class: `finding ${severity}` }, line, evidenceView(context, report, finding));
  });
  return [
    report.headline
      ? h("p", { class: "headline", lang, dir: "auto" }, report.headline)
      : h("p", { class: "headline" }, t(`report.${headline}`, { count })),
    h("ol", { class: "findings" }, ...list),
    ...section(t("report.notes"), notes.map(text)),
    ...section(t("report.unknown"), [
      ...(unknown.length ? [h("p", { class: "quiet" }, t("report.unknown_note"))] : []),
      ...byReason(unknown, reasons).map(([reason, codes]) =>
        h(
          "div",
          { class: "unknown" },
          h("p", {}, ...codes.map((code) => h("code", {}, code))),
          reason ? text(reason) : null,
        ),
      ),
    ]),
    ...section(t("report.problems"), (report.examined ? problems : []).map(text)),
  ];
}

/** @type {(title: string, nodes: Node[]) => Node[]} */
function section(title, nodes) {
  if (!nodes.length) return [];
  return [h("section", { class: "listed" }, h("h3", { class: "heading" }, title), ...nodes)];
}

/**
 * What shows a finding best, beside it.
 *
 * @param {Context} context
 * @param {Report} report
 * @param {import("../trace/report.js").Finding} finding
 */
function evidenceView(context, { seen, heads }, { seen: side, head }) {
  const { t } = context;
  if (side === null && head === null) return null;
  const drawn = side === null ? headMap(t, heads[Number(head)]) : seenMap(t, seen[side]);
  const caption = h("figcaption", {}, drawn.name);
  return h("figure", { class: "evidence" }, mapOf(context, drawn), caption);
}

/** @type {(t: Context["t"], of: Seen) => Drawn} */
function seenMap(t, { side, tokens, positions, change }) {
  return {
    name: t(`report.seen_${side}`),
    unit: t("report.change"),
    ...hatched(change),
    rows: [
      [t("report.position"), numbered(positions.length)],
      [t("report.reads"), positions.map(String)],
    ],
    heading: t("report.changed"),
    columns: numbered(tokens.length),
    text: smallText,
  };
}

/** @type {(t: Context["t"], recorded: RecordedHead) => Drawn} */
function headMap(t, recorded) {
  const { weights } = recorded;
  return {
    name: nameOf(t, recorded),
    unit: t("report.weight"),
    ...hatched(weights),
    most: weights.values.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1),
    rows: [[t("report.query"), numbered(weights.rows)]],
    heading: t("report.key"),
    columns: numbered(weights.columns),
    text: smallText,
  };
}

/** @type {(t: Context["t"], recorded: RecordedHead) => string} */
function nameOf(t, { place, kind, layer, head }) {
  const title = kind === "reversed" ? t("report.reversed") : t(`${kind}.title`);
  const of = place || t("report.whole_model");
  return t("report.attention_of", { place: of, kind: title, layer, head });
}

/** @type {(context: Context, measured: Seen[]) => HTMLElement} */
function seenView(context, measured) {
  const { t } = context;
  const pictures = ["tgt", "src"].flatMap((side) => {
    const of = measured.find((each) => each.side === side);
    if (!of) return [];
    const drawn = seenMap(t, of);
    return h("div", {}, h("h4", { class: "quiet" }, drawn.name), mapOf(context, drawn));
  });
  return h(
    "section",
    { hidden: !pictures.length },
    h("h3", { class: "heading" }, t("report.seen")),
    h("p", { class: "quiet" }, t("report.hidden")),
    h("div", { class: "pictures" }, ...pictures),
  );
}

/**
 * @param {Context} context
 * @param {RecordedHead[]} heads  to choose from
 */
function attentionView(context, heads) {
  const { actions, t } = context;
  const picker = h(
    "select",
    { id: "report-head", change: () => actions.chooseRecorded(picker.selectedIndex) },
    ...heads.map((head, i) => h("option", { value: i }, nameOf(t, head))),
  );
  const map = mapView(context);
  const element = h(
    "section",
    { hidden: !heads.length },
    h("h3", { class: "heading" }, t("report.attention")),
    field(t("report.choose"), picker),
    h("p", { class: "quiet" }, t("report.masked")),
    h("div", { class: "pictures" }, map.element),
  );
  return {
    element,
    /** @param {number} head */
    show(head) {
      if (!heads[head]) return;
      picker.selectedIndex = head;
      map.show(headMap(t, heads[head]));
    },
  };
}

/** @type {(context: Context, drawn: Drawn) => HTMLElement} */
function mapOf(context, drawn) {
  const { element, show } = mapView(context);
  show(drawn);
  return element;
}

/** @param {number} count */
function numbered(count) {
  return Array.from({ length: count }, (_, i) => String(i + 1));
}

/**
 * A map hatches where there is no number; here that is where there is nothing but 0.
 *
 * @param {import("../trace/words.js").Numbers} numbers
 */
function hatched(numbers) {
  const values = numbers.values.map((value) => value || Number.NaN);
  return { numbers: { ...numbers, values }, none: "0" };
}
