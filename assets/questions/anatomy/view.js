/** The whole model in one picture; every block of it opens on the numbers of the trace. */

import { measureIn } from "../../draw/axes.js";
import { layoutDiagram } from "../../draw/diagram/layout.js";
import { arrowTip, drawDiagram } from "../../draw/diagram/picture.js";
import { h, isCalm, s } from "../../kit/dom.js";
import { probabilityText } from "../../kit/numbers.js";
import { awaiting } from "../../parts/awaited.js";
import { paceOf } from "../../state/stepping.js";
import { towerBlocks } from "../../trace/blocks.js";
import { detailsView } from "./details.js";
import { blockName, sizesText, spokenBlock } from "./names.js";
import { drawLayer, openBlock } from "./opening.js";
import { lightPaths } from "./paths.js";
import { shapesOf } from "./shapes.js";
import { drawTokens, tokenAt } from "./tokens.js";
import { travelling } from "./travelling.js";
import { walkBlocks } from "./walking.js";

/** Of tokens and of the marks beside their arrows, in CSS pixels. */
const TOKEN_FONT = 13;

/** So many times longer a step plays here. */
const LINGER = 4;

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
  /** @type {import("../../trace/blocks.js").Anatomy | null} */
  let anatomy = null;
  const details = detailsView(context, () => anatomy);
  const room = h("div", { class: "drawn" }, drawing, details.element);
  const travel = travelling(drawing);

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
  /** What is told of the open block, and the room that it has had so far: its picture stays as steps go by. */
  let told = { name: /** @type {string | null} */ (null), height: 0 };
  /** @type {(() => void) | null} */
  let send = null;

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
    const { open } = diagram;
    if (told.name !== open) told = { name: open, height: 0 };
    told.height = Math.max(told.height, details.element.offsetHeight);
    const plan = layoutDiagram(
      width,
      towers,
      { encoder: widths(trace.src), decoder: widths(trace.tgt_in) },
      open === null ? null : { name: open, height: told.height },
    );
    place(plan.hole);
    travel.stop();
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
    const focused = document.activeElement?.getAttribute("data-block");
    drawing.replaceChildren(
      arrowTip(),
      ...drawn.frames,
      ...drawn.edges,
      ...drawn.blocks,
      ...tokens,
    );
    light = lightPaths({ t, plan, drawn, tokens, blocks, caption });
    keys.refresh(open);
    const again = focused && drawing.querySelector(`[data-block="${CSS.escape(focused)}"]`);
    if (again) /** @type {SVGElement} */ (again).focus();
    send = () => {
      const { step, trace: read } = store.get();
      const token = { reads: read?.tgt_in[step] ?? "", writes: read?.tgt_out[step] ?? "" };
      travel.start(plan, drawn.blocks, { ...token, time: paceOf(store.get()) });
    };
    mark();
  }

  /** @param {import("../../draw/diagram/plan.js").Hole | null} hole */
  function place(hole) {
    const { element } = details;
    const moves = element.style.top !== (hole ? `${hole.y}px` : "");
    element.classList.toggle("in-place", hole !== null);
    element.style.left = hole ? `${hole.x}px` : "";
    element.style.top = hole ? `${hole.y}px` : "";
    element.style.width = hole ? `${hole.width}px` : "";
    // Where a stop of the tour went to see it, it was not yet.
    if (moves && element.matches(".toured"))
      requestAnimationFrame(() => element.scrollIntoView({ block: "nearest" }));
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
    if (layer !== diagram.layer || told.name !== diagram.open) draw();
    layer = diagram.layer;
    picker.value = String(layer);
    keys.refresh(diagram.open);
    if (light) mark();
  });
  watch(["step", "token", "hover", "heads", "hiding"], mark);
  const seen = new ResizeObserver(draw);
  seen.observe(room);
  seen.observe(details.element);
  // A token that plays through the whole picture is to be followed.
  watch(["tab"], ({ tab }) => actions.lingerFor(tab === "model" ? LINGER : 1));
  watch(["playing", "step"], ({ playing, tab }) => {
    if (playing && tab === "model" && !isCalm()) send?.();
    else travel.stop();
  });

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
      caption,
    ),
    room,
    sizes,
  );
}
