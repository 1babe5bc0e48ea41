/** What is asked: which token against which, by which reading, of which head, and which row an aligner takes. */

import { shownName } from "../../draw/titles.js";
import { plainToken, tokenNode } from "../../draw/token.js";
import { field, switchView } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { probabilityText } from "../../kit/numbers.js";
import { AGGREGATES, headName, parseHead } from "../../trace/choice.js";
import { otherCandidate, readingKind } from "../../trace/trace.js";
import { isOfHead, mayAskAgainst, readingOf } from "./readings.js";
import { ALIGNING_ROWS, aligningRow, READINGS } from "./settings.js";

/** @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context */
export function wordControls(context) {
  const { store, actions, t, watch } = context;
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
    for (const [i, option] of readings.entries()) {
      const silent = readingOf(trace, READINGS[i]) !== READINGS[i];
      option.hidden = silent || READINGS[i] in (trace.guest?.lacks ?? {});
    }
    const shown = readingOf(trace, words.reading);
    reading.value = shown;
    const byLayer = shown === "value_zeroing";
    ofHead.hidden = !byLayer && !isOfHead(shown);
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
    const listed = names.some((choice) => headName(choice) === own);
    head.replaceChildren(
      ...[...names, ...(listed ? [] : [chosen])].map((choice) =>
        h(
          "option",
          { value: headName(choice) },
          byLayer ? layerName(choice) : shownName(t, choice),
        ),
      ),
    );
    head.value = own;
    rows.element.hidden = shown !== "alignment";
    rows.press(aligningRow(trace, chosen, words));
  });

  /** @param {import("../../trace/choice.js").Choice} choice */
  function layerName({ layer }) {
    return typeof layer === "string"
      ? t(`head.layers_${layer}`)
      : t("head.layer", { n: layer + 1 });
  }

  return h(
    "div",
    { class: "fields" },
    ...[field(t("words.reading"), reading), ofHead, rows.element, otherControl(context)],
  );
}

/**
 * The token of the step, and the candidate that it is asked against.
 *
 * @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context
 */
function otherControl({ actions, t, watch }) {
  const question = h("span");
  const other = h("select", {
    id: "words-not",
    change: () => actions.adjust("words", { other: other.value ? Number(other.value) : null }),
  });
  const against = field(h("span", {}, question, t("why.not")), other);
  watch(["trace", "step", "words", "lacking"], (state) => {
    const { trace, step, words } = state;
    if (!trace) return;
    const written = trace.tgt_in.length > 0;
    const rest = (trace.candidates[step] ?? []).filter(({ id }) => id !== trace.tgt_ids[step]);
    against.hidden = !written || !mayAskAgainst(state);
    if (!written) return;
    question.replaceChildren(t("why.why"), " ", tokenNode(trace.tgt_out[step]), " ");
    other.replaceChildren(
      h("option", { value: "" }, t("why.choose")),
      ...rest.map(({ token, id, probability }) =>
        h("option", { value: id }, `${plainToken(token)} (${probabilityText(probability)})`),
      ),
    );
    // A token of another step is none of this one's candidates.
    other.value = String(otherCandidate(trace, step, words.other)?.id ?? "");
  });
  return against;
}
