/** The whole model in one picture; every block of it opens on the numbers of the trace. */

import { measureIn } from "../../draw/axes.js";
import { arrowTip, drawDiagram } from "../../draw/diagram/picture.js";
import { h, isCalm, s } from "../../kit/dom.js";
import { awaiting } from "../../parts/awaited.js";
import { paceOf } from "../../state/stepping.js";
import { detailsView } from "./details.js";
import { sizesText } from "./names.js";
import { drawLayer, openBlock } from "./opening.js";
import { lightPaths } from "./paths.js";
import { labels, sketch, writtenText } from "./sketch.js";
import { drawTokens, tokenAt } from "./tokens.js";
import { travelling } from "./travelling.js";
import { walkBlocks } from "./walking.js";

/** @import { Context } from "./settings.js" */
/** @import { Anatomy } from "../../trace/blocks.js" */

/** Times that a step plays longer here. */
const LINGER = 4;

/** @param {Context} context */
export function modelView(context) {
  const { store, about, t, watch } = context;
  const { waiting, problem, show } = awaiting(t, { clear });
  const sizes = h("p", { class: "quiet" });
  const picker = layerPicker(context);
  /** @type {Anatomy | null} */
  let anatomy = null;
  const details = detailsView(context, () => anatomy);
  const picture = modelPicture(context, details.element);

  watch(["trace"], ({ trace }) => {
    if (!trace) return;
    show(
      about(trace).inside("anatomy"),
      (answer) => {
        anatomy = answer;
        picker.offer(answer);
        sizes.textContent = sizesText(t, answer);
        picture.draw(answer);
        details.show();
      },
      anatomy ? "" : t("analysis.waiting"),
    );
  });

  function clear() {
    anatomy = null;
    for (const part of [sizes, picker.element]) part.replaceChildren();
    picture.clear();
    details.show();
  }

  let { layer, open } = store.get().diagram;
  watch(["diagram"], ({ diagram }) => {
    if (anatomy && (layer !== diagram.layer || open !== diagram.open)) picture.draw(anatomy);
    ({ layer, open } = diagram);
    picker.show(layer);
    picture.refresh();
  });
  const seen = new ResizeObserver(() => {
    if (anatomy) picture.draw(anatomy);
  });
  seen.observe(picture.room);
  seen.observe(details.element);

  return h(
    "div",
    { class: "model-picture" },
    waiting,
    problem,
    h(
      "div",
      { class: "fields" },
      h("label", { for: "model-layer", class: "quiet" }, t("model.layers")),
      picker.element,
      picture.caption,
    ),
    picture.room,
    sizes,
  );
}

/**
 * The blocks and the tokens that run through them, with what is open among them.
 *
 * @param {Context} context
 * @param {HTMLElement} details  of the open block
 */
function modelPicture(context, details) {
  const { store, actions, t, watch } = context;
  const caption = h("p", { role: "status", class: "quiet", "aria-label": t("model.path") });
  const drawing = s("svg", { class: "diagram", role: "group", "aria-label": t("tab.model") });
  const room = h("div", { class: "drawn" }, drawing, details);
  const travel = travelling(drawing);
  /** @type {import("../../trace/blocks.js").Block[]} */
  let blocks = [];
  /** @type {ReturnType<typeof lightPaths> | undefined} */
  let light;
  /** The open block, and the height that it has had so far: its picture stays as steps go by. */
  let opened = { name: /** @type {string | null} */ (null), height: 0 };
  /** @type {(() => void) | null} */
  let send = null;

  /** @param {Anatomy} anatomy */
  function draw({ config }) {
    const { trace, diagram } = store.get();
    const width = room.clientWidth;
    if (!trace || !width) return;
    const measure = measureIn(room);
    const { open } = diagram;
    if (opened.name !== open) opened = { name: open, height: 0 };
    opened.height = Math.max(opened.height, details.offsetHeight);
    const sketched = sketch(config, trace, diagram, { width, opened: opened.height, measure });
    const { plan } = sketched;
    blocks = sketched.blocks;
    place(details, plan);
    travel.stop();
    const drawn = drawDiagram(plan, labels(t, config, trace, measure));
    const tokens = drawTokens(plan, trace);
    drawing.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
    drawing.setAttribute("width", String(plan.width * plan.scale));
    drawing.setAttribute("height", String(plan.height * plan.scale));
    const focused = document.activeElement?.getAttribute("data-block");
    const { frames, edges } = drawn;
    drawing.replaceChildren(arrowTip(), ...frames, ...edges, ...drawn.blocks, ...tokens);
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

  /** What follows the step and the pointer: nothing is laid out anew. */
  function mark() {
    const { trace, step } = store.get();
    if (!trace || !light) return;
    const next = drawing.querySelector(".block.next text");
    if (next) next.textContent = writtenText(trace, step);
    light(store.get());
  }

  /** What follows which block is open. */
  function refresh() {
    keys.refresh(store.get().diagram.open);
    mark();
  }

  function clear() {
    light = undefined;
    for (const part of [caption, drawing]) part.replaceChildren();
    for (const side of ["width", "height"]) drawing.setAttribute(side, "0");
  }

  const keys = walkBlocks(drawing, (name) => {
    const { open } = store.get().diagram;
    if (blocks.some((block) => block.name === name && block.part === "rest")) {
      drawLayer(context, "all");
    } else if (open === name) actions.adjust("diagram", { open: null });
    else openBlock(context, name);
  });

  pointAtTokens(context, drawing);
  watch(["step", "token", "hover", "heads", "hiding"], mark);
  // A token that plays through the whole picture is to be followed.
  watch(["tab"], ({ tab }) => actions.lingerFor(tab === "model" ? LINGER : 1));
  watch(["playing", "step"], ({ playing, tab }) => {
    if (playing && tab === "model" && !isCalm()) send?.();
    else travel.stop();
  });
  return { room, caption, draw, refresh, clear };
}

/** The layers of which one is drawn, or all. @param {Context} context */
function layerPicker(context) {
  const { store, t } = context;
  const element = h("select", {
    ...{ id: "model-layer", class: "small" },
    change: () => drawLayer(context, element.value === "all" ? "all" : Number(element.value)),
  });
  return {
    element,
    /** @param {Anatomy} anatomy */
    offer({ config: { num_encoder_layers: encoder, num_decoder_layers: decoder } }) {
      const layers = Array.from({ length: Math.max(encoder, decoder) }, (_, layer) =>
        h("option", { value: layer }, t("head.layer", { n: layer + 1 })),
      );
      element.replaceChildren(...layers, h("option", { value: "all" }, t("model.all_layers")));
      element.value = String(store.get().diagram.layer);
    },
    /** @param {number | "all"} layer */
    show(layer) {
      element.value = String(layer);
    },
  };
}

/** @type {(element: HTMLElement, plan: import("../../draw/diagram/plan.js").Diagram) => void} */
function place(element, { hole, scale }) {
  const { top } = element.style;
  element.classList.toggle("in-place", hole !== null);
  element.style.left = hole ? `${hole.x * scale}px` : "";
  element.style.top = hole ? `${hole.y * scale}px` : "";
  element.style.width = hole ? `${hole.width * scale}px` : "";
  // Where a stop of the tour went to see it, it was not yet.
  if (top !== element.style.top && element.matches(".toured"))
    requestAnimationFrame(() => element.scrollIntoView({ block: "nearest" }));
}

/** @type {(context: Context, drawing: SVGElement) => void} */
function pointAtTokens({ store, actions }, drawing) {
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
}
