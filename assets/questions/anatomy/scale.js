/** Why ÷√d_head: a row's softmax with the division and without, had the head more numbers or fewer. */

import { tokenNode } from "../../draw/token.js";
import { field } from "../../kit/controls.js";
import { h, setSlider } from "../../kit/dom.js";
import { briefText, smallText } from "../../kit/numbers.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { awaiting } from "../../parts/awaited.js";
import { headName, isOneHead } from "../../trace/choice.js";
import { decodes, keyTokens, queryTokens } from "../../trace/kinds.js";
import { entropy, gradient, scaledRow } from "../../trace/scaling.js";
import { shownBy } from "../../trace/trace.js";

/** Powers of two, from 4 to 512. */
const EXPONENTS = { least: 2, most: 9 };

/** @param {import("./settings.js").Context} context */
export function scaleView({ store, about, t, watch }) {
  const { problem, show } = awaiting(t, { clear });
  const sentence = h("p", { class: "sentence" });
  const note = h("p", { class: "quiet" });
  const slider = h("input", {
    type: "range",
    id: "scale-size",
    ...{ min: EXPONENTS.least, max: EXPONENTS.most, step: 1 },
    input: draw,
  });
  const size = h("output", { for: "scale-size" });
  const place = h("div");
  const columns = [t("axis.keys"), "q·k", t("scale.without"), t("scale.with")];
  /** @type {{numbers: import("../../trace/arithmetic.js").HeadNumbers, of: ReturnType<typeof headAtHand>, trace: import("../../trace/trace.js").Trace} | null} */
  let shown = null;

  function load() {
    const { trace } = store.get();
    const of = headAtHand(store.get());
    if (!trace?.weights[of.kind]) return;
    show(
      about(trace).head(of),
      (numbers) => {
        if (!shown) setSlider(slider, Math.log2(numbers.query[0].length));
        shown = { numbers, of, trace };
        draw();
      },
      "",
    );
  }

  /** @type {(rows: HTMLTableRowElement[], foot: HTMLTableRowElement[]) => void} */
  function fill(rows, foot) {
    place.replaceChildren(tableOf({ kind: "bars", columns, rows, foot }));
  }

  function clear() {
    shown = null;
    for (const part of [sentence, note]) part.replaceChildren();
    fill([], []);
  }

  function draw() {
    const { trace, step, diagram } = store.get();
    if (!shown || shown.trace !== trace) return; // others are on their way
    const { numbers, of } = shown;
    const { kind } = of;
    setSlider(slider, slider.valueAsNumber);
    const d = 2 ** slider.valueAsNumber;
    const row = Math.min(decodes(kind) ? step : diagram.token, numbers.query.length - 1);
    if (row < 0) return;
    const { causal } = trace?.weights[kind] ?? {};
    const { first, scores, without, scaled } = scaledRow(numbers, { kind, row, causal, size: d });
    size.textContent = String(d);
    sentence.replaceChildren(
      `${t(`${kind}.title`)} ${headName(of)}${t("colon")}`,
      tokenNode(queryTokens(trace, kind)[row]),
    );
    const own = numbers.query[row].length;
    note.textContent = t(d === own ? "scale.own" : "scale.drawn", { own, size: d });
    const rows = scores.map((score, key) =>
      tableRow(
        [tokenNode(keyTokens(trace, kind)[first + key])],
        [briefText(score), bar(without[key]), bar(scaled[key])],
      ),
    );
    const measures = Object.entries({ entropy, gradient });
    const foot = measures.map(([name, measure]) =>
      tableRow([t(`scale.${name}`)], ["", briefText(measure(without)), briefText(measure(scaled))]),
    );
    fill(rows, foot);
  }

  fill([], []);
  watch(["trace", "kind", "heads"], load);
  watch(["step", "diagram"], draw);
  return h(
    "div",
    { class: "explained" },
    h("p", {}, t("scale.why")),
    sentence,
    problem,
    field("d_head", slider, size),
    note,
    place,
    h("p", { class: "quiet" }, t("scale.measures")),
  );
}

/**
 * The head that is looked at, or the one that is shown first: of a mean or a maximum there is no query.
 *
 * @param {Pick<import("../../state/state.js").State, "trace" | "kind" | "heads">} state
 */
function headAtHand({ trace, kind, heads }) {
  for (const choice of [heads[kind], trace && shownBy(trace, kind)]) {
    if (isOneHead(choice)) return { kind, layer: choice.layer, head: choice.head };
  }
  return { kind, layer: 0, head: 0 };
}

/** @param {number} weight */
function bar(weight) {
  const cell = h("td", { class: "bar" }, smallText(weight));
  cell.style.setProperty("--share", String(weight));
  return cell;
}
