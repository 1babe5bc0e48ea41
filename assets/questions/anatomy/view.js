/** The whole model in one picture; every block of it opens on the numbers of the trace. */

import { measureIn } from "../../draw/axes.js";
import { layoutDiagram } from "../../draw/diagram/layout.js";
import { arrowTip, drawDiagram } from "../../draw/diagram/picture.js";
import { h, s } from "../../kit/dom.js";
import { probabilityText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { towerBlocks } from "../../trace/blocks.js";
import { detailsView } from "./details.js";
import { blockName, sizesText, spokenBlock } from "./names.js";
import { drawLayer, openBlock } from "./opening.js";
import { lightPaths } from "./paths.js";
import { shapesOf } from "./shapes.js";
import { drawTokens, tokenAt } from "./tokens.js";
import { walkBlocks } from "./walking.js";

/** Of tokens and of the marks beside their arrows, in CSS pixels. */
const TOKEN_FONT = 13;

/** @param {import("./settings.js").Context} context */
export function modelView(context) {
  const { store, actions, about, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { clear });
  const sizes = h("p", { class: "quiet" });
  const caption = h("p", { role: "status", class: "quiet", "aria-label": t("model.path") });
  const picker = h("select", {
    ...{ id: "model-layer", class: "small" },
    change: () => drawLayer(context, picker.value === "all" ? "all" : Number(picker.value)),
  });
  const drawing = s("svg", { class: "diagram", role: "group", "aria-label": t("tab.model") });
  const room = h("div", {}, drawing);
  /** @type {import("../../trace/blocks.js").Anatomy | null} */
  let anatomy = null;
  const details = detailsView(context, () => anatomy);

  watch(["trace"], ({ trace }) => {
    if (!trace) return;
    show(
      about(trace).inside("anatomy"),
      (found) => {
        anatomy = found;
        offer();
        draw();
        details.show();
      },
      anatomy ? "" : t("analysis.waiting"),
    );
  });

  function clear() {
    anatomy = null;
    light = undefined;
    for (const part of [sizes, caption, picker, drawing]) part.replaceChildren();
    for (const side of ["width", "height"]) drawing.setAttribute(side, "0");
    details.show();
  }

  function offer() {
    if (!anatomy) return;
    const { num_encoder_layers: encoder, num_decoder_layers: decoder } = anatomy.config;
    const layers = Array.from({ length: Math.max(encoder, decoder) }, (_, layer) =>
      h("option", { value: layer }, t("head.layer", { n: layer + 1 })),
    );
    picker.replaceChildren(...layers, h("option", { value: "all" }, t("model.all_layers")));
    picker.value = String(store.get().diagram.layer);
    sizes.textContent = sizesText(t, anatomy);
  }

  /** @type {import("../../trace/blocks.js").Block[]} */
  let blocks = [];
  /** @type {ReturnType<typeof lightPaths> | undefined} */
  let light;

  function draw() {
    const { trace, diagram } = store.get();
    const width = room.clientWidth;
    if (!anatomy || !trace || !width) return;
    const { config } = anatomy;
    const measure = measureIn(room);
    const towers = {
      encoder: towerBlocks(config, "encoder", diagram.layer),
      decoder: towerBlocks(config, "decoder", diagram.layer),
    };
    blocks = [...towers.encoder, ...towers.decoder];
    const widths = (/** @type {string[]} */ tokens) => tokens.map((x) => measure(x, TOKEN_FONT));
    const plan = layoutDiagram(width, towers, {
      encoder: widths(trace.src),
      decoder: widths(trace.tgt_in),
    });
    const counts = { encoder: config.num_encoder_layers, decoder: config.num_decoder_layers };
    const drawn = drawDiagram(plan, {
      name: (block) => blockName(t, config, block),
      spoken: (block) => spokenBlock(t, config, block),
      shape: (edge) => shapesOf(edge, config, trace, t("model.memory_short")),
      frame: (layer, tower) => t("model.frame", { n: layer + 1, count: counts[tower] }),
      measure,
    });
    const tokens = drawTokens(plan, trace);
    drawing.setAttribute("width", String(plan.width));
    drawing.setAttribute("height", String(plan.height));
    drawing.replaceChildren(
      arrowTip(),
      ...drawn.frames,
      ...drawn.edges,
      ...drawn.blocks,
      ...tokens,
    );
    light = lightPaths({ t, plan, drawn, tokens, blocks, caption });
    keys.refresh(store.get().diagram.open);
    mark();
  }

  /** What follows the step and the pointer: nothing is laid out anew. */
  function mark() {
    const { trace, step } = store.get();
    if (!trace || !light) return;
    const next = drawing.querySelector(".block.next text");
    const chosen = trace.candidates[step]?.find(({ id }) => id === trace.tgt_ids[step]);
    const number = chosen ? ` ${probabilityText(chosen.probability)}` : "";
    if (next) next.textContent = `${trace.tgt_out[step]}${number}`;
    light(store.get());
  }

  const keys = walkBlocks(drawing, (name) => {
    const { open } = store.get().diagram;
    if (blocks.some((block) => block.name === name && block.part === "rest")) {
      drawLayer(context, "all");
    } else if (open === name) actions.adjust("diagram", { open: null });
    else openBlock(context, name);
  });

  drawing.addEventListener("pointerover", ({ target }) => {
    const token = tokenAt(target);
    if (token || store.get().token) actions.pointToken(token);
  });
  drawing.addEventListener("pointerleave", () => actions.pointToken(null));
  drawing.addEventListener("click", ({ target }) => {
    const token = tokenAt(target);
    if (token?.side === "source") actions.adjust("diagram", { token: token.index });
    else if (token) actions.goTo(token.index);
  });

  let layer = store.get().diagram.layer;
  watch(["diagram"], ({ diagram }) => {
    if (layer !== diagram.layer) draw();
    layer = diagram.layer;
    picker.value = String(layer);
    keys.refresh(diagram.open);
    if (light) mark();
  });
  watch(["step", "token", "hover", "heads", "hiding"], mark);
  new ResizeObserver(draw).observe(room);

  return h(
    "div",
    { class: "model-picture" },
    waiting,
    problem,
    h(
      "div",
      { class: "fields" },
      h("label", { for: "model-layer", class: "quiet" }, t("model.layers")),
      picker,
      sizes,
    ),
    h(
      "div",
      { class: "model-board" },
      h("div", { class: "drawn" }, caption, room),
      details.element,
    ),
  );
}
