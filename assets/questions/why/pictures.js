/** A reading of all steps as a map: its rows and columns, what stands beside it, and the links of an alignment. */

import { plainToken } from "../../draw/token.js";
import { briefText } from "../../kit/numbers.js";
import { linkedKeys } from "../../trace/source_links.js";
import { agreement, alignWords, lostWithout, MATTERS, rowOf } from "../../trace/words.js";
import { besideRows } from "./beside.js";
import { linksOf } from "./gold.js";
import { ofUnits } from "./readings.js";
import { aligningRow } from "./settings.js";

/** @import { Facts, Reading } from "./readings.js" */
/** @import { WordSettings } from "./settings.js" */
/** @import { Translate } from "../../kit/i18n.js" */

/**
 * @typedef {object} Picture
 * @property {import("../../parts/map/drawn.js").Drawn} map
 * @property {(step: number) => string} [sentence]  the answer at a step, in a sentence
 * @property {import("./verdict.js").Judged} [judged]
 * @property {import("./gold.js").Shown} [aligned]  what a person's own links are held against
 * @property {string} [complete]  what all of it adds up to
 */

/** @type {(t: Translate, facts: Facts, reading: Exclude<Reading, "gradients">, words: WordSettings) => Picture} */
export function pictureOf(t, facts, reading, words) {
  const { trace, units, deltas, fromSource } = facts;
  if (reading === "alignment") return alignmentOf(t, facts, words);
  const read = ofUnits(facts, reading);
  // What speaks for a token is above 0, in every reading.
  const numbers = reading === "leave_one_out" ? lostWithout(read) : read;
  // What is no word has no absence to compare with.
  const agreements =
    deltas && reading !== "leave_one_out"
      ? trace.tgt_out.map((_, row) => agreement(rowOf(numbers, row), rowOf(deltas, row)))
      : null;
  return {
    map: {
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
      text: briefText,
      steps: trace.tgt_out.map((_, step) => [step]),
      beside: besideRows(t, { fromSource, agreements }),
    },
    ...(reading === "leave_one_out" && { sentence: (step) => leftOut(t, facts, numbers, step) }),
    judged: { agreements, labels: trace.tgt_out, shares: fromSource },
  };
}

/** @type {(t: Translate, facts: Facts, lost: import("../../trace/words.js").Numbers, step: number) => string} */
function leftOut(t, { trace, units }, lost, step) {
  const tokens = { emitted: plainToken(trace.tgt_out[step] ?? ""), other: "" };
  const labels = units.map(({ label }) => label);
  return mostOf(t, labels, rowOf(lost, step), tokens, "_alone");
}

/**
 * The word that decides most, in a sentence.
 *
 * @type {(t: Translate, words: string[], lost: Float32Array, tokens: {emitted: string, other: string}, alone: "" | "_alone") => string}
 */
export function mostOf(t, words, lost, tokens, alone) {
  const most = [...lost.entries()]
    .filter(([, nats]) => Math.abs(nats) >= MATTERS)
    .sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  if (!most.length) return t(alone ? "why.nothing_alone" : "why.nothing", tokens);
  const [[word, delta]] = most;
  const values = {
    ...{ ...tokens, delta: briefText(Math.abs(delta)) },
    word: t("words.quoted", { word: words[word] }),
  };
  return t(`why.${delta > 0 ? "for" : "against"}${alone}`, values);
}

/** @type {(t: Translate, facts: Facts, settings: WordSettings) => Picture} */
function alignmentOf(t, facts, settings) {
  const { trace, choice, words, tgt, units, numbers, deltas, fromSource } = facts;
  const aligned = alignWords(numbers, words, tgt, aligningRow(trace, choice, settings));
  const own = aligned.words.map((word) => tgt.pieces[word]);
  const labels = aligned.words.map((word) => tgt.words[word]);
  // Of a word, the log-probabilities of its pieces add up; a share is its pieces' mean.
  const places = units.flatMap(({ word }, i) => (word === null ? [] : [i]));
  const agreements =
    deltas &&
    own.map((pieces, j) =>
      agreement(
        rowOf(aligned.numbers, j),
        places.map((i) => pieces.reduce((sum, step) => sum + rowOf(deltas, step)[i], 0)),
      ),
    );
  const shares =
    fromSource &&
    own.map((pieces) => pieces.reduce((sum, step) => sum + fromSource[step], 0) / pieces.length);
  return {
    map: {
      name: t("words.map", { reading: t("words.reading.alignment") }),
      unit: t("words.unit.alignment"),
      numbers: aligned.numbers,
      most: 1,
      rows: [[t("words.target"), labels]],
      heading: t("words.columns"),
      columns: words.words,
      text: briefText,
      steps: own,
      beside: besideRows(t, {
        ...{ fromSource: shares, agreements },
        links: own.map((pieces, j) => knownLink(trace, pieces, words.pieces[aligned.links[j]])),
      }),
      marked: (j, i) => aligned.links[j] === i,
    },
    judged: { agreements, labels, shares },
    aligned: { trace, src: words, tgt, links: linksOf(aligned) },
  };
}

/**
 * Whether the model's lexicon has a link, too; null where it knows no source of the word.
 *
 * @type {(trace: Facts["trace"], steps: number[], keys: number[] | undefined) => boolean | null}
 */
function knownLink(trace, steps, keys = []) {
  const linked = linkedKeys(trace);
  const targets = steps.flatMap((step) => [...(linked?.[step] ?? [])]);
  return targets.length ? keys.some((key) => targets.includes(key)) : null;
}
