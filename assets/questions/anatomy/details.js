/** An open block of the model's picture: what it does, on the numbers of one token. */

import { tokenNode } from "../../draw/token.js";
import { iconButton } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { awaiting } from "../../parts/awaited.js";
import { unpackParts } from "../../trace/unpack.js";
import { costsView } from "./costs.js";
import { spokenBlock } from "./names.js";
import { blockNumbers } from "./numbers.js";
import { aboutText, explainedIn, openedBlock } from "./opened.js";
import { parametersText } from "./parameters.js";
import { positionsView } from "./positions.js";
import { scaleView } from "./scale.js";
import { shapeAfter, shapeText } from "./shapes.js";

/** @import { Block } from "../../trace/blocks.js" */
/** @typedef {Record<string, Float32Array[]>} Parts */

/**
 * @param {import("./settings.js").Context} context
 * @param {() => import("../../trace/blocks.js").Anatomy | null} anatomyOf  of the model that is shown
 * @returns {{element: HTMLElement, show: () => void}}
 */
export function detailsView(context, anatomyOf) {
  const { store, actions, about, t, watch } = context;
  const title = h("h3", { tabindex: -1 });
  const shut = () => actions.adjust("diagram", { open: null });
  const close = iconButton("close", t("about.close"), shut, { kind: "bare small" });
  const content = h("div", { class: "stack arithmetic" });
  const answer = awaiting(t, { clear: () => content.replaceChildren() });
  const element = h(
    "section",
    { class: "block-details", "aria-label": t("model.details") },
    h("div", { class: "over" }, title, close),
    answer.waiting,
    answer.problem,
    content,
  );
  const explained = { scale: scaleView, costs: costsView, positions: positionsView };
  /** @type {Partial<Record<string, HTMLElement>>} */
  const views = {};

  /** @returns {Promise<void> | void}  once it is shown */
  function show() {
    const { trace, diagram } = store.get();
    const anatomy = anatomyOf();
    answer.rest();
    const name = explainedIn(trace, diagram.open);
    element.hidden = diagram.open === null;
    element.classList.toggle("explained", name !== undefined);
    if (name) {
      title.textContent = t(`model.${name}`);
      views[name] ??= explained[name](context); // once: it follows the store from then on
      if (shown !== name) content.replaceChildren(views[name]);
      shown = name;
      return;
    }
    const opened = openedBlock(trace, diagram.open, anatomy);
    shown = opened?.block.name ?? null;
    if (!anatomy || !trace || !opened) {
      title.textContent = t("model.details");
      content.replaceChildren(h("p", { class: "quiet" }, t("model.none")));
      return;
    }
    const { block, from } = opened;
    title.textContent = spokenBlock(t, anatomy.config, block);
    if (from === null) return draw(anatomy, block, {});
    return answer.show(
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
            encoder ? tokenPicker(context, trace.src, row) : stepLine(t, trace.tgt_in[row], row),
            ...blockNumbers(context, { config, block, parts, row, trace }),
          ]),
      h("p", { class: "quiet" }, `${t("model.leaves_shape", { shape })} ${learnt}`),
    );
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

/** @type {(context: import("./settings.js").Context, src: string[], row: number) => HTMLElement} */
function tokenPicker({ actions, t }, src, row) {
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

/** @type {(t: import("../../kit/i18n.js").Translate, token: string, row: number) => HTMLElement} */
function stepLine(t, token, row) {
  return h("p", { class: "quiet" }, t("model.at_step", { n: row + 1 }), " ", tokenNode(token));
}
