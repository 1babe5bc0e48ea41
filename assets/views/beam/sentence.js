/** Under the beam, in words: what the head does at this step, or for the word that is pointed at. */

import { hueOf } from "../../draw/beam/ribbons.js";
import { headColor } from "../../draw/strokes.js";
import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { weightText } from "../../kit/numbers.js";
import { BEAM_KEYS, shownBeam } from "../../state/beam.js";
import { headName } from "../../trace/choice.js";
import { glossesShown } from "../../trace/glosses.js";
import { decodes, queryTokens } from "../../trace/kinds.js";
import { looksOf, mostLooking } from "../../trace/sentence.js";
import { promptLength } from "../../trace/tree.js";

/** @import { Beam } from "../../state/beam.js" */
/** @import { State } from "../../state/state.js" */
/** @import { Trace } from "../../trace/trace.js" */

/** @param {import("../../state/actions.js").Context} context */
export function sentenceView({ actions, t, watch }) {
  const sentence = h("p", { class: "sentence" });
  watch([...BEAM_KEYS, "theme"], (state) => {
    const beam = shownBeam(state);
    const nodes = state.trace && beam ? saidOf(state.trace, state, beam) : [];
    sentence.replaceChildren(...(beam ? huesOf(beam.choices, state.theme) : []), ...nodes);
  });

  /** @type {(trace: Trace, state: State, beam: Beam) => (Node | string)[]} */
  function saidOf(trace, state, { kind, focus, among }) {
    const choice = state.heads[kind];
    if (!choice) return [];
    const glosses = glossesShown(trace, actions.modelOf(trace.model), state.language);
    const head = subject(t, choice, !state.pins[kind]?.length);
    /** @param {number} step */
    const written = (step) => word(trace.tgt_out[step] ?? "", glosses.tgt?.[step]);
    if (focus.query === null) {
      const weights = trace.weights[kind];
      if (!weights) return [];
      const { query, weight } = mostLooking(weights, choice, [focus.key], state.step);
      return fill(t("sentence.looked_at"), {
        ...{
          head,
          weight: number(weight),
          written: trace.tgt_out[query] ? written(query) : word(trace.tgt_in[query], null),
        },
        first: word(trace.src[focus.key], glosses.src?.[focus.key]),
      });
    }
    const { query } = focus;
    const looks = looksOf(trace, kind, choice, query, among);
    if (!looks) return [];
    const { form, words, count, relation, ahead } = looks;
    const own = kind === "decoder_self" ? glosses.tgt : glosses.src;
    const shift = kind === "decoder_self" ? 1 : 0;
    const [first, second] = words.map(({ label, pieces }) =>
      word(label, pieces.length === 1 ? own?.[pieces[0] - shift] : null),
    );
    const [weight = 0, other = 0] = words.map((one) => one.weight);
    if (form === "masked") {
      return fill(t("sentence.masked"), { written: word(queryTokens(trace, kind)[query], null) });
    }
    if (form === "none") return [t("pair.none")];
    const idle = form === "off" && trace.version === 2 && !trace.interventions?.length;
    // What was given to it the model does not write.
    const given = query < promptLength(state.tree);
    const reads = (decodes(kind) && (given || !trace.tgt_out[query])) || idle;
    return fill(t(`sentence.${reads ? "reads" : ahead ? "unmasked" : kind}.${form}`), {
      ...{ head, first: first ?? "", second: second ?? "", count: String(count) },
      ...{ weight: number(weight), other: number(other) },
      written: reads
        ? word(queryTokens(trace, kind)[query], null)
        : decodes(kind)
          ? written(query)
          : word(trace.src[query], glosses.src?.[query]),
      relation: relation ? t(`sentence.is.${relation}`) : "",
    });
  }

  return sentence;
}

/**
 * Colours of several heads.
 *
 * @param {import("../../trace/choice.js").Choice[]} choices
 * @param {import("../../draw/color.js").Theme} theme
 */
function huesOf(choices, theme) {
  if (choices.length < 2) return [];
  return choices.map((choice, slot) => {
    const color = headColor(hueOf(choices, slot), theme);
    return h("span", { class: "hue", style: `--hue: ${color}` }, headName(choice));
  });
}

/**
 * The sentence's subject: what looks.
 *
 * @param {import("../../kit/i18n.js").Translate} t
 * @param {import("../../trace/choice.js").Choice} choice
 * @param {boolean} alone  no other head is shown beside it
 */
export function subject(t, choice, alone) {
  return t(`sentence.${subjectOf(choice)}`, {
    head: alone ? t("sentence.this_head") : headName(choice),
    layer: Number(choice.layer) + 1,
    number: Number(choice.head) + 1,
  });
}

/** @param {import("../../trace/choice.js").Choice} choice */
function subjectOf({ layer, head }) {
  if (layer === "max" || head === "max") return "some_head";
  if (layer === "mean") return head === "mean" ? "all_heads" : "head_mean";
  return head === "mean" ? "layer_mean" : "one_head";
}

/** @param {number} weight */
function number(weight) {
  return h("strong", {}, weightText(weight, { digits: 2 }));
}

/** @type {(label: string, gloss: string | null | undefined) => HTMLElement} */
export function word(label, gloss) {
  const bare = label.length > 1 && label.startsWith("␣") ? label.slice(1) : label;
  const token = h("b", {}, tokenNode(bare));
  if (!gloss) return token;
  // Chinese has no italics, and brackets of its own.
  return /\p{Script=Han}/u.test(gloss)
    ? h("span", {}, token, `（${gloss}）`)
    : h("span", {}, token, " (", h("i", {}, gloss), ")");
}
