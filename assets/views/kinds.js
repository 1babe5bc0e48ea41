/** Which kind of attention is the large one, and how it is drawn; the other kinds stand below it. */

import { switchView } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { term } from "../kit/terms.js";
import { inARow } from "../kit/typeset.js";
import { hasPair, PAIR_FILTERS } from "../state/pair.js";
import { PICTURES } from "../state/state.js";
import { SHOWN } from "../trace/kinds.js";

/**
 * What a kind of attention is, as this model has it: without its mask a decoder does not only look back.
 *
 * @param {import("../kit/i18n.js").Translate} t
 * @param {import("../trace/kinds.js").Kind} kind
 * @param {import("../trace/trace.js").Trace | null} trace
 */
export function captionOf(t, kind, trace) {
  const causal = trace?.weights[kind]?.causal ?? true;
  if (kind === "encoder_self" && trace?.tgt_in.length === 0) return t("encoder_self.caption_alone");
  if (kind !== "decoder_self") return t(`${kind}.caption`);
  if (causal === "inverted") return t("decoder_self.caption_inverted");
  return t(causal ? "decoder_self.caption" : "decoder_self.caption_off");
}

/** @param {import("../state/actions.js").Context} context */
export function kindsView({ actions, served, t, watch }) {
  const kinds = switchView(
    t("presenter.panels"),
    SHOWN,
    (kind) => t(`${kind}.short`),
    actions.chooseKind,
  );
  for (const [i, kind] of SHOWN.entries()) {
    kinds.buttons[i].ariaLabel = t(`${kind}.title`);
  }
  const caption = h("p", { class: "quiet" });
  watch(["trace", "kind"], ({ trace, kind }) => {
    kinds.press(kind);
    for (const [i, button] of kinds.buttons.entries()) {
      button.hidden = !trace?.weights[SHOWN[i]];
      button.title = `${captionOf(t, SHOWN[i], trace)} (${i + 1})`;
    }
    const words = inARow([
      captionOf(t, kind, trace),
      served && !trace?.guest ? t("worked_out.hint") : "",
    ]);
    caption.replaceChildren(
      h("strong", {}, term(kind.replace("_self", ""), t(`${kind}.title`))),
      ` ${words}`,
    );
  });
  // The third is a link beside the lines.
  const pictures = switchView(
    t("picture"),
    PICTURES.slice(0, 2),
    (picture) => t(`picture.${picture}`),
    actions.drawAs,
  );
  watch(["picture"], ({ picture }) => pictures.press(picture === "bertviz" ? "lines" : picture));
  const pairs = switchView(
    t("pair"),
    PAIR_FILTERS,
    (pair) => t(`pair.${pair}`),
    actions.choosePair,
  );
  watch(["trace", "kind", "pair"], (state) => {
    pairs.element.hidden = !hasPair(state, state.kind);
    pairs.press(state.pair);
  });
  return h(
    "div",
    { class: "cluster kinds" },
    kinds.element,
    caption,
    pairs.element,
    pictures.element,
  );
}
