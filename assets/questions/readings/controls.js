/** Which reading is shown, of which head, and which row an aligner takes. */

import { shownName } from "../../draw/titles.js";
import { field, switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { AGGREGATES, headName, parseHead } from "../../trace/choice.js";
import { readingKind } from "../../trace/trace.js";
import { isOfHead } from "./readings.js";
import { ALIGNING_ROWS, aligningRow, READINGS } from "./settings.js";

/** @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context */
export function wordControls({ store, actions, t, watch }) {
  const readings = READINGS.map((reading) =>
    h("option", { value: reading }, t(`words.reading.${reading}`)),
  );
  const reading = h(
    "select",
    {
      id: "words-reading",
      change: () => actions.adjust("words", { reading: READINGS[reading.selectedIndex] }),
    },
    ...readings,
  );
  const head = h("select", { id: "words-head", change: chooseHead });
  const ofHead = field("", head);
  const rows = switchView(
    t("words.row"),
    ALIGNING_ROWS,
    (row) => t(`words.row.${row}`),
    (row) => actions.adjust("words", { row }),
  );
  for (const [i, row] of ALIGNING_ROWS.entries()) rows.buttons[i].title = t(`words.row.${row}_why`);

  function chooseHead() {
    const { trace } = store.get();
    const choice = parseHead(head.value);
    if (trace && choice) actions.chooseHead(readingKind(trace), choice);
  }

  watch(["trace", "words", "heads"], ({ trace, words, heads }) => {
    if (!trace) return;
    const kind = readingKind(trace);
    const weights = trace.weights[kind];
    const chosen = heads[kind];
    if (!weights || !chosen) return;
    // A decoder alone has no second text to align its own with.
    for (const [i, option] of readings.entries()) {
      const unaligned = READINGS[i] === "alignment" && kind !== "cross";
      option.hidden = unaligned || READINGS[i] in (trace.guest?.lacks ?? {});
    }
    reading.value = words.reading;
    const byLayer = words.reading === "value_zeroing";
    ofHead.hidden = !byLayer && !isOfHead(words.reading);
    if (ofHead.firstChild)
      ofHead.firstChild.textContent = t(byLayer ? "words.layer" : "words.head");
    const layers = [...Array(weights.layers).keys()];
    const names = byLayer
      ? [...layers, ...AGGREGATES].map((layer) => ({ layer, head: chosen.head }))
      : [
          ...layers.flatMap((layer) =>
            [...Array(weights.heads).keys(), AGGREGATES[0]].map((head) => ({ layer, head })),
          ),
          { layer: AGGREGATES[0], head: AGGREGATES[0] },
        ];
    const own = headName(chosen);
    const known = names.some((choice) => headName(choice) === own);
    head.replaceChildren(
      ...[...names, ...(known ? [] : [chosen])].map((choice) =>
        h(
          "option",
          { value: headName(choice) },
          byLayer ? layerName(choice) : shownName(t, choice),
        ),
      ),
    );
    head.value = own;
    rows.element.hidden = words.reading !== "alignment";
    rows.press(aligningRow(trace, chosen, words));
  });

  /** @param {import("../../trace/choice.js").Choice} choice */
  function layerName({ layer }) {
    return typeof layer === "string"
      ? t(`head.layers_${layer}`)
      : t("head.layer", { n: layer + 1 });
  }

  return h("div", { class: "fields" }, field(t("words.reading"), reading), ofHead, rows.element);
}
