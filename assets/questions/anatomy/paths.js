/** Which part of the model's picture a token runs through, and how much of it is read where. */

import { tokenNode } from "../../draw/token.js";
import { h, s } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { weightText } from "../../kit/numbers.js";
import { pointedTokens } from "../../state/pointing.js";
import { kindOf, pathOf } from "../../trace/blocks.js";
import { headName } from "../../trace/choice.js";
import { isMasked, SIDES } from "../../trace/kinds.js";
import { strongestHead } from "../../trace/weights.js";

/** @import { State } from "../../state/state.js" */
/** @import { Side } from "../../trace/kinds.js" */

/**
 * @param {object} picture
 * @param {import("../../kit/i18n.js").Translate} picture.t
 * @param {import("../../draw/diagram/plan.js").Diagram} picture.plan
 * @param {ReturnType<typeof import("../../draw/diagram/picture.js").drawDiagram>} picture.drawn
 * @param {SVGElement[]} picture.tokens
 * @param {import("../../trace/blocks.js").Block[]} picture.blocks
 * @param {HTMLElement} picture.caption  where it is said in words
 * @returns {(state: State & import("./settings.js").Own) => void}
 */
export function lightPaths({ t, plan, drawn, tokens, blocks, caption }) {
  /** @type {SVGElement[]} */
  let badges = [];
  return (state) => {
    const { trace, step, hiding, diagram } = state;
    if (!trace) return;
    const { source, target, written } = pointedTokens(state);
    const pointed = { source, target: [...target, ...written] };
    /** @type {Side | null} */
    const side = pointed.target.length ? "target" : pointed.source.length ? "source" : null;
    const index = side && pointed[side][0];
    const path =
      side && index !== null
        ? pathOf(blocks, side, index, step)
        : /** @type {Set<string>} */ (new Set());
    for (const [i, { block }] of plan.boxes.entries()) {
      const { classList } = drawn.blocks[i];
      classList.toggle("lit", path.has(block.name));
      classList.toggle("open", diagram.open === block.name);
    }
    for (const [i, { from, to, sort }] of plan.edges.entries()) {
      const lit = path.has(from) && path.has(to) && sort !== "mask" && sort !== "loop";
      drawn.edges[i].classList.toggle("lit", lit);
    }
    for (const chip of tokens) {
      const own = chip.getAttribute("data-side") === "source" ? "source" : "target";
      const at = Number(chip.getAttribute("data-token"));
      chip.classList.toggle("lit", pointed[own].includes(at));
      chip.classList.toggle("now", own === "target" && at === step);
      chip.classList.toggle("later", own === "target" && at > step);
      chip.classList.toggle("veiled", own === "target" && at > step && hiding);
      chip.classList.toggle("followed", own === "source" && at === diagram.token);
    }
    for (const badge of badges) badge.remove();
    badges = [];
    if (side === null || index === null) {
      // Of a guest, what runs through its blocks is not asked.
      caption.textContent = t(trace.guest ? "model.caption_guest" : "model.caption");
      return;
    }
    badges = readers(side, index, state);
    drawn.blocks.at(-1)?.after(...badges);
    caption.replaceChildren(...sentenceOf(side, index, state));
  };

  /** @type {(side: Side, index: number, state: State) => SVGElement[]} */
  function readers(side, index, { trace, step }) {
    return plan.boxes.flatMap(({ block, x, y }) => {
      if (block.part !== block.sublayer || block.part === "feed_forward" || !trace) return [];
      const kind = kindOf(block);
      const weights = trace.weights[kind];
      if (!weights || kind === "encoder_self" || SIDES[kind].keys !== side) return [];
      if (side === "target" && isMasked(kind, step, index, weights.causal)) return [];
      const strongest = strongestHead(weights, step, index, block.layer);
      if (!strongest) return [];
      const text = weightText(strongest.weight, { digits: 2 });
      const end = x + 42;
      return [
        s(
          "g",
          { class: "badge" },
          s("rect", { x: end - 46, y: y - 9, width: 46, height: 18, rx: 9 }),
          s("text", { x: end - 23, y: y + 4, "text-anchor": "middle" }, text),
        ),
      ];
    });
  }

  /** @type {(side: Side, index: number, state: State) => (Node | string)[]} */
  function sentenceOf(side, index, { trace, step }) {
    if (!trace) return [];
    const token = tokenNode((side === "source" ? trace.src : trace.tgt_in)[index]);
    const kind = side === "source" ? "cross" : "decoder_self";
    const weights = trace.weights[kind];
    if (!weights) return [];
    if (side === "target" && isMasked(kind, step, index, weights.causal)) {
      return index > step
        ? fill(t("model.path_later"), { token })
        : [token, t("colon"), t("tip.masked")];
    }
    const strongest = strongestHead(weights, step, index, null);
    if (!strongest) return [];
    return fill(t(`model.path_${side}`), {
      token,
      step: String(step + 1),
      weight: h("strong", {}, weightText(strongest.weight, { digits: 2 })),
      head: headName(strongest),
    });
  }
}
