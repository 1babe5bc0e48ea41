/** Which words a translation rested on, by many readings, and how far each can be believed. */

import { plainToken } from "../../../draw/token.js";
import { h } from "../../../kit/dom.js";
import { numberText } from "../../../kit/numbers.js";
import { problemText } from "../../../state/server.js";
import { AGREES, agreement, alignWords, rowOf } from "../../../trace/words.js";
import { mapView } from "../../map/map.js";
import { besideRows } from "./beside.js";
import { aligningRow, wordControls } from "./controls.js";
import { goldView, linksOf } from "./gold.js";
import { linksView } from "./links.js";
import { ofUnits, readHead, readWords } from "./readings.js";
import { whyView } from "./why.js";

/** @typedef {import("./readings.js").Known} Known */
/** @typedef {import("../../../state/state.js").State} State */

/** @param {import("../../../state/actions.js").Context} context */
export function wordsView(context) {
  const { store, analyse, t, watch } = context;
  const waiting = h("p", { role: "status", class: "quiet", "aria-label": t("words.state") });
  const problem = h("p", { role: "alert" });
  const about = h("p", { class: "prose" });
  const map = mapView(context);
  const links = linksView(context);
  const gold = goldView(context);
  const verdict = h("div", { class: "verdict prose" });
  const result = h("div", { class: "words-picture" }, map.element, links.element);
  /** @type {{known: Known, state: State} | null} */
  let shown = null;
  /** @type {unknown[]} */
  let asked = [];
  let requests = 0;
  /** @type {import("./links.js").Links & {first: number[]} | null} */
  let linked = null;

  watch(["trace", "words", "heads"], async (state) => {
    const { trace } = state;
    if (!trace) return;
    const { reading, row } = state.words;
    // What else is in these, the candidate of the question below say, changes nothing here.
    const inputs = [trace, reading, row, readHead(trace, reading, state.heads)];
    if (inputs.every((input, i) => input === asked[i])) return;
    asked = inputs;
    const request = ++requests;
    problem.textContent = "";
    waiting.textContent = t("analysis.waiting");
    const found = await readWords(analyse, state);
    if (request !== requests) return; // something else is asked for meanwhile
    waiting.textContent = "";
    result.hidden = !("known" in found);
    if ("known" in found) {
      shown = { known: found.known, state };
      draw();
    } else {
      shown = null;
      asked = []; // it may be asked again
      gold.show(null);
      about.replaceChildren();
      verdict.replaceChildren();
      problem.textContent = problemText(t, found.error);
    }
  });
  watch(["hiding"], draw);
  watch(["step"], ({ hiding }) => hiding && showLinks());

  function draw() {
    if (!shown) return;
    const { known, state } = shown;
    const { reading } = state.words;
    const alone = !known.trace.weights.cross;
    about.textContent = t(`words.about.${reading}`);
    if (reading === "alignment" && !alone) drawAlignment(known, state);
    else drawReading(known, reading);
  }

  /** @type {(known: Known, reading: State["words"]["reading"]) => void} */
  function drawReading(known, reading) {
    linked = null;
    links.show(null);
    gold.show(null);
    const { trace, units, deltas, fromSource } = known;
    const numbers = ofUnits(known, reading);
    const left = reading === "leave_one_out";
    // What is no word has no absence to compare with.
    const agreements = left
      ? null
      : trace.tgt_out.map((_, row) => agreement(rowOf(numbers, row), rowOf(deltas, row)));
    map.show({
      name: t("words.map", { reading: t(`words.reading.${reading}`) }),
      unit: t(`words.unit.${reading}`),
      numbers,
      most: reading === "attention" || reading === "value_zeroing" ? 1 : undefined,
      rows: [
        [t("axis.reads"), trace.tgt_in],
        [t("axis.predicts"), trace.tgt_out],
      ],
      heading: t(trace.weights.cross ? "words.columns" : "words.columns_alone"),
      columns: units.map(({ label }) => label),
      text: (value) => numberText(value, 2),
      steps: trace.tgt_out.map((_, step) => [step]),
      beside: besideRows(t, { fromSource, agreements }),
    });
    judge(agreements, trace.tgt_out, fromSource);
  }

  /** @type {(known: Known, state: State) => void} */
  function drawAlignment({ trace, words, tgt, units, numbers, deltas, fromSource }, state) {
    const row = aligningRow({ trace, words: state.words });
    const aligned = alignWords(numbers, words, tgt, row);
    const own = aligned.words.map((word) => tgt.pieces[word]);
    const labels = aligned.words.map((word) => tgt.words[word]);
    // Of a word, the log-probabilities of its pieces add up; a share is its pieces' mean.
    const places = units.flatMap(({ word }, i) => (word === null ? [] : [i]));
    const agreements = own.map((pieces, j) =>
      agreement(
        rowOf(aligned.numbers, j),
        places.map((i) => pieces.reduce((sum, step) => sum + rowOf(deltas, step)[i], 0)),
      ),
    );
    const shares =
      fromSource &&
      own.map((pieces) => pieces.reduce((sum, step) => sum + fromSource[step], 0) / pieces.length);
    map.show({
      name: t("words.map", { reading: t("words.reading.alignment") }),
      unit: t("words.unit.alignment"),
      numbers: aligned.numbers,
      most: 1,
      rows: [[t("words.target"), labels]],
      heading: t("words.columns"),
      columns: words.words,
      text: (value) => numberText(value, 2),
      steps: own,
      beside: besideRows(t, { fromSource: shares, agreements }),
      marked: (j, i) => aligned.links[j] === i,
    });
    linked = {
      ...{ src: words.words, tgt: labels, links: aligned.links, numbers: aligned.numbers },
      first: own.map(([step]) => step),
    };
    showLinks();
    gold.show({ trace, src: words, tgt, links: linksOf(aligned) });
    judge(agreements, labels, shares);
  }

  function showLinks() {
    const { step, hiding } = store.get();
    links.show(linked, (word) => !hiding || (linked?.first[word] ?? 0) <= step);
  }

  /** @type {(agreements: (number | null)[] | null, tokens: string[], shares: number[] | null) => void} */
  function judge(agreements, tokens, shares) {
    const said = agreements?.filter((value) => value !== null) ?? [];
    const apart = tokens.filter((_, i) => (agreements?.[i] ?? AGREES) < AGREES);
    const little = tokens.filter((_, i) => (shares?.[i] ?? 1) < 0.5);
    const list = (/** @type {string[]} */ labels) =>
      labels.map((label) => `“${plainToken(label)}”`).join(t("words.comma"));
    const values = { count: apart.length, total: said.length };
    verdict.replaceChildren(
      ...(agreements
        ? [
            h(
              "p",
              { class: apart.length ? "apart" : null },
              said.length === 0
                ? t("words.verdict_none")
                : t(apart.length ? "words.verdict_apart" : "words.verdict_alike", {
                    ...values,
                    tokens: store.get().hiding ? "…" : list(apart),
                  }),
            ),
          ]
        : []),
      ...(little.length && !store.get().hiding
        ? [h("p", {}, t("words.little", { tokens: list(little) }))]
        : []),
      ...(apart.length ? [notExplained(t)] : []),
    );
  }

  return h(
    "div",
    { class: "inside" },
    wordControls(context),
    about,
    waiting,
    problem,
    result,
    gold.element,
    verdict,
    whyView(context),
  );
}

/** @param {import("../../../kit/i18n.js").Translate} t */
function notExplained(t) {
  return h(
    "section",
    { class: "not-explained", "aria-labelledby": "attention-is-not" },
    h("h3", { id: "attention-is-not" }, t("words.not.title")),
    ...["weights", "other", "sinks", "values", "words"].map((part) =>
      h("p", {}, t(`words.not.${part}`)),
    ),
    h("p", { class: "quiet" }, t("words.not.sources")),
  );
}
