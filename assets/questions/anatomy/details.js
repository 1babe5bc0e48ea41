/** An open block of the model's picture: what it does, on the numbers of one token. */

import { tokenNode } from "../../draw/token.js";
import { iconButton } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { awaiting } from "../../parts/awaited.js";
import { EXPLAINED, parseBlock } from "../../trace/blocks.js";
import { unpackParts } from "../../trace/unpack.js";
import { causalText } from "./attention.js";
import { costsView } from "./costs.js";
import { spokenBlock } from "./names.js";
import { blockNumbers } from "./numbers.js";
import { parametersText } from "./parameters.js";
import { positionsView } from "./positions.js";
import { scaleView } from "./scale.js";
import { shapeAfter, shapeText } from "./shapes.js";

/** @import { Block } from "../../trace/blocks.js" */
/** @typedef {Record<string, Float32Array[]>} Parts */

/** What is made of the output projection's numbers; the others have none. */
const FROM_OUTPUT = ["output", "softmax", "next"];
const WITHOUT = ["tokens", "mask"];

/**
 * @param {import("./settings.js").Context} context
 * @param {() => import("../../trace/blocks.js").Anatomy | null} known  of the model that is shown
 * @returns {{element: HTMLElement, show: () => void}}
 */
export function detailsView(context, known) {
  const { store, actions, about, t, watch } = context;
  const title = h("h3", { tabindex: -1 });
  const shut = () => actions.adjust("diagram", { open: null });
  const close = iconButton("close", t("about.close"), shut, { kind: "bare small" });
  const content = h("div", { class: "arithmetic" });
  const asked = awaiting(t, { clear: () => content.replaceChildren() });
  const element = h(
    "section",
    { class: "block-details", "aria-label": t("model.details") },
    h("div", { class: "over" }, title, close),
    asked.waiting,
    asked.problem,
    content,
  );
  const explained = { scale: scaleView, costs: costsView, positions: positionsView };
  /** @type {Partial<Record<string, HTMLElement>>} */
  const made = {};

  /** @returns {Promise<void> | void}  once it is shown */
  function show() {
    const { trace, diagram } = store.get();
    const anatomy = known();
    asked.rest();
    const name = trace?.guest ? undefined : EXPLAINED.find((each) => each === diagram.open);
    element.hidden = diagram.open === null;
    element.classList.toggle("explained", name !== undefined);
    if (name) {
      title.textContent = t(`model.${name}`);
      made[name] ??= explained[name](context); // once: it follows the store from then on
      if (shown !== name) content.replaceChildren(made[name]);
      shown = name;
      return;
    }
    const block = diagram.open && parseBlock(diagram.open);
    if (!anatomy || !trace || !block || !isIn(anatomy, block)) {
      shown = null;
      title.textContent = t("model.details");
      content.replaceChildren(h("p", { class: "quiet" }, t("model.none")));
      return;
    }
    shown = block.name;
    title.textContent = spokenBlock(t, anatomy.config, block);
    if (WITHOUT.includes(block.part) || trace.guest) return draw(anatomy, block, {});
    const from = FROM_OUTPUT.includes(block.part) ? "decoder.output" : block.name;
    return asked.show(
      about(trace).inside("flow", { block: from }),
      // The step may have changed while the numbers were on their way.
      ({ parts }) => draw(anatomy, block, unpackParts(parts)),
      content.hasChildNodes() ? "" : t("analysis.waiting"),
    );
  }

  /** @type {string | null} */
  let shown = null;

  /** @type {(anatomy: import("../../trace/blocks.js").Anatomy, block: Block, parts: Parts) => void} */
  function draw(anatomy, block, parts) {
    const { trace, step, diagram } = store.get();
    if (!trace) return;
    const { config } = anatomy;
    const encoder = block.tower === "encoder";
    const row = encoder ? Math.min(diagram.token, trace.src.length - 1) : step;
    const shape = shapeText(shapeAfter(block, config, trace));
    const learnt = parametersText(t, anatomy, block);
    content.replaceChildren(
      h("p", {}, aboutText(t, config, block, trace.weights.decoder_self?.causal)),
      // Of a guest, what runs through its blocks is not asked.
      ...(trace.guest
        ? []
        : [
            encoder ? tokenPicker(trace.src, row) : stepLine(trace.tgt_in[row], row),
            ...blockNumbers(context, { config, block, parts, row, trace }),
          ]),
      h("p", { class: "quiet" }, `${t("model.leaves_shape", { shape })} ${learnt}`),
    );
  }

  /** @type {(src: string[], row: number) => HTMLElement} */
  function tokenPicker(src, row) {
    const picker = h(
      "select",
      {
        ...{ id: "model-token", class: "small" },
        change: () => actions.adjust("diagram", { token: picker.selectedIndex }),
      },
      ...src.map((token, i) => h("option", { value: i, selected: i === row }, token)),
    );
    const label = h("label", { for: "model-token" }, t("model.token"));
    return h("p", { class: "quiet field" }, label, picker);
  }

  /** @type {(token: string, row: number) => HTMLElement} */
  function stepLine(token, row) {
    return h("p", { class: "quiet" }, t("model.at_step", { n: row + 1 }), " ", tokenNode(token));
  }

  let { open, token } = store.get().diagram;
  watch(["diagram"], ({ diagram }) => {
    if (open === diagram.open && token === diagram.token) return;
    const opened = open !== diagram.open && diagram.open !== null;
    ({ open, token } = diagram);
    const focused = document.activeElement?.id;
    Promise.resolve(show()).then(() => {
      if (focused === "model-token") document.getElementById(focused)?.focus();
      if (opened) requestAnimationFrame(() => element.scrollIntoView({ block: "nearest" }));
    });
  });
  watch(["step"], show);
  return { element, show };
}

/** @type {(anatomy: import("../../trace/blocks.js").Anatomy, block: Block) => boolean} */
function isIn({ config, parameters }, { name, part, tower }) {
  if (tower === "encoder" && config.num_encoder_layers === 0) return false;
  if (part === "mask") return name.replace(/\.mask$/, "") in parameters;
  return name in parameters || ["tokens", "softmax", "next"].includes(part);
}

/**
 * What a block does.
 *
 * @type {(t: import("../../kit/i18n.js").Translate, config: import("../../trace/blocks.js").Config, block: Block, causal?: import("../../trace/kinds.js").Causal) => string}
 */
function aboutText(t, { norm, gated }, { part, tower }, causal = true) {
  const bare = norm === "rms";
  if (part === "self_attention" && tower === "decoder")
    return causalText(t, causal, t("model.about_masked"));
  if (part === "norm" || part === "embedding_norm") {
    return t(bare ? "model.about_norm_rms" : "model.about_norm");
  }
  if (part === "feed_forward" && gated) return t("model.about_gated");
  return t(`model.about_${part}`);
}
