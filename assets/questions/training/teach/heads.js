/** Every head now, by how much it has moved; and one of them before, now, and the difference. */

import { h } from "../../../kit/dom.js";
import { briefText } from "../../../kit/numbers.js";
import { compareMatrices } from "../../../parts/matrices.js";
import { sectionView } from "../../../parts/section.js";
import { momentAt } from "../../../trace/history.js";
import { movedWeight } from "../../../trace/run.js";
import { openingHead } from "../../../trace/trace.js";
import { filmHeads } from "../film_heads.js";

/** @import { Run } from "../../../trace/run.js" */

/** The share of the weight from which on a head has moved. */
const MOVED = 0.25;

/** @param {import("../settings.js").Context} context */
export function headsView(context) {
  const { store, t } = context;
  const heads = filmHeads(
    context,
    /** @type {Parameters<typeof filmHeads<Run["film"]>>[1]} */
    (film, moment, kind, { layer, head }) => {
      const [before, now] = [film.at(0)[kind], film.at(moment)[kind]];
      const share = before && now ? movedWeight(before, now)[layer][head] : 0;
      const text = briefText(share);
      return { text, description: t("teach.moved", { share: text }), strong: share >= MOVED };
    },
  );
  const three = h("div", { class: "stack compare" });
  const element = sectionView(t, "teach.heads", heads.element, three);

  return {
    element,
    /** @type {(run: Run, moment: number) => void} */
    draw(run, moment) {
      const state = store.get();
      const { film, src, tgt_in, tgt_out } = run;
      // Attention that is no number any longer cannot be drawn.
      const drawn = Math.min(moment, run.losses.filter(Number.isFinite).length - 1);
      const frame = momentAt(film.steps, drawn);
      heads.paint(film, frame);
      const weights = film.at(frame);
      const kind = state.training.head?.kind ?? (weights.cross ? "cross" : "decoder_self");
      const choice = state.training.head ?? (state.trace && openingHead(state.trace, kind));
      /** @param {number} at */
      const read = (at) => ({ src, tgt_in, tgt_out, weights: film.at(at) });
      const then = { one: read(0), name: t("teach.then") };
      const now = { other: read(frame), now: t("teach.now", { step: film.steps[frame] }) };
      const shown = { ...state, kind, heads: { [kind]: choice ?? undefined } };
      three.replaceChildren(
        ...compareMatrices(context, { ...then, ...now }, shown, t("teach.matrices")),
      );
    },
  };
}
