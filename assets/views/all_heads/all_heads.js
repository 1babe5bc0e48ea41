/**
 * All heads of a kind where there are many: as wide as the page, in the order of what they do if one
 * likes, and any layer's at reading size.
 */

import { h } from "../../kit/dom.js";
import { ALL_HEADS, revealHead } from "../../parts/reveal.js";
import { whileSeen } from "../../parts/seen.js";
import { everyHead } from "../../trace/choice.js";
import { ROLES_OF } from "../../trace/roles.js";
import { areManyHeads } from "../../trace/thumbnails.js";
import { layerCount } from "../../trace/weights.js";
import { layerRead } from "./arranged.js";
import { layerHeads, layerTools } from "./layer.js";
import { headNumbers } from "./numbers.js";
import { telling } from "./telling.js";
import { headTools } from "./tools.js";
import { wholeView } from "./whole.js";

/** Pixels from the end within which there is nothing more to scroll to. */
const EDGE = 6;

/** @import { Head } from "./arranged.js" */
/** @typedef {(head: Head) => boolean} IsLit */

/**
 * @typedef {object} Shown
 * @property {(isLit: IsLit) => void} name  says what is known of each
 * @property {(chosen: import("../../trace/choice.js").Choice | undefined) => void} mark
 * @property {(isLit: IsLit) => void} paint
 */

/** @param {import("../../state/actions.js").Context} outer */
export function allHeadsView(outer) {
  const { store, t } = outer;
  const heading = h("h3", { class: "heading", id: "overview-title" });
  const caption = h("p", { class: "quiet overview-note" });
  const body = h("div", { class: "head-groups", scroll: fade });
  const element = h("section", {
    ...{ class: "overview", id: ALL_HEADS, hidden: true, "aria-labelledby": "overview-title" },
  });
  outer.watch(["trace", "kind"], ({ trace, kind }) => {
    const weights = trace?.weights[kind];
    element.hidden = !weights || !areManyHeads(weights);
  });
  const context = whileSeen(outer, element);
  const numbers = headNumbers(context, () => arrange());
  const tools = headTools(context, () => ROLES_OF[store.get().kind]);
  const layers = h("nav", { class: "cluster layer-tools" });
  element.append(
    h("div", { class: "cluster overview-head" }, heading, layers, tools.element),
    caption,
    body,
  );

  /** @type {Shown[]} */
  let groups = [];
  let teller = telling(t, null, []);

  /** @param {Head} head */
  const choose = (head) => revealHead(context.actions, store.get().kind, head);

  /** @param {Head | null} head */
  function point(head) {
    const hint = t(tools.element.hidden ? "overview.hint.layer" : "overview.hint");
    caption.textContent = head ? teller.named(head) : hint;
  }

  /** Fades the right edge where more lies beyond it. */
  function fade() {
    const { scrollLeft, clientWidth, scrollWidth } = body;
    body.classList.toggle("goes-on", scrollLeft + clientWidth < scrollWidth - EDGE);
  }

  /** Makes what stands in the body. */
  function arrange() {
    const { trace, kind, heads, overview } = store.get();
    const weights = trace?.weights[kind];
    if (!weights || element.hidden) return;
    const rows = numbers();
    teller = telling(t, rows, overview.roles);
    tools.follow(rows);
    const layer = layerRead(overview.layer, weights);
    tools.element.hidden = layer !== null;
    const hadFocus = element.contains(document.activeElement);
    const how = { named: teller.named, choose, point };
    if (layer === null) {
      heading.textContent = t("overview", { count: everyHead(weights).length });
      const whole = wholeView(context, weights, rows, element.clientWidth, how);
      groups = whole.groups;
      body.replaceChildren(...whole.views);
    } else {
      heading.textContent = t("overview.layer", { layer: layer + 1 });
      const shown = layerHeads(context, layer, teller.does, choose);
      groups = [shown];
      body.replaceChildren(shown.element);
    }
    layers.replaceChildren(...layerTools(context, layer, layerCount(weights)));
    point(null);
    // Who goes on by key goes on from here, rather than from the page's top.
    if (hadFocus && !element.contains(document.activeElement)) {
      /** @type {HTMLElement | null} */ (layers.querySelector("button"))?.focus();
    }
    for (const group of groups) {
      group.name(teller.isLit);
      group.mark(heads[kind]);
      group.paint(teller.isLit);
    }
    fade();
  }

  context.watch(["trace", "kind", "overview"], arrange);
  context.watch(["heads"], ({ heads, kind }) => {
    for (const group of groups) group.mark(heads[kind]);
  });
  context.watch(["theme", "coloring", "arrivals"], () => {
    for (const group of groups) group.paint(teller.isLit);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (Math.abs(element.clientWidth - width) < 2) return;
    width = element.clientWidth;
    arrange();
  }).observe(element);
  return element;
}
