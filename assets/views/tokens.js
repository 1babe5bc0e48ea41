/** The source, shaded by what the current step reads of it, and the target so far. */

import { inkOn, weightColor } from "../draw/color.js";
import { shades } from "../draw/shades.js";
import { headTitle } from "../draw/titles.js";
import { tokenNode } from "../draw/token.js";
import { h } from "../kit/dom.js";
import { keepInView } from "../kit/scroll.js";
import { explained, reachFirst } from "../kit/terms.js";
import { SHADINGS } from "../state/state.js";
import { isGiven } from "../trace/tree.js";
import { headWeights } from "../trace/weights.js";
import { branchesView } from "./branches.js";
import { linkTokens } from "./linked_tokens.js";

/** @typedef {import("../state/state.js").Shading} Shading */

/** @param {import("../state/actions.js").Context} context */
export function tokensView(context) {
  const { actions, t, watch } = context;
  const source = h("ol", { class: "track", "aria-label": t("tokens.source") });
  const target = h("ol", { class: "track" });
  const track = keepInView(target);
  const sourceTrack = keepInView(source);
  const heading = h("h2", { class: "heading" });
  const options = SHADINGS.map((shading) => h("option", { value: shading }));
  const picker = h(
    "select",
    {
      id: "shading",
      class: "small",
      change: () => actions.chooseShading(SHADINGS[picker.selectedIndex]),
    },
    ...options,
  );
  watch(["shading"], ({ shading }) => (picker.value = shading));
  watch(["heads"], ({ heads }) => {
    if (!heads.cross) return;
    for (const [i, shading] of SHADINGS.entries()) {
      const title = headTitle(t, choiceOf(shading, heads.cross));
      if (options[i].textContent !== title) options[i].textContent = title;
    }
  });

  const sourceRow = h(
    "div",
    {},
    h(
      "div",
      { class: "over-track" },
      h("h2", { class: "heading" }, t("tokens.source")),
      h("label", { for: "shading", class: "quiet" }, t("tokens.shaded_by")),
      h("div", { class: "shading" }, picker),
    ),
    source,
  );
  watch(["trace"], ({ trace, tree }) => {
    const src = trace?.src ?? [];
    const tgt = trace ? [trace.tgt_in[0], ...trace.tgt_out] : [];
    source.replaceChildren(...src.map((token) => h("li", {}, tokenNode(token))));
    reachFirst(source);
    target.replaceChildren(
      ...tgt.map((token, step) => {
        const given = trace && step > 0 && isGiven(tree, trace, step - 1);
        return h(
          "li",
          {}, // Out of the Tab key's way: the slider and the arrow keys reach every step.
          h(
            "button",
            {
              ...(step ? { tabindex: -1 } : explained("bos")),
              class: given ? "forced" : null,
              title: given ? t("tokens.given") : step ? t("tokens.wrote", { step }) : null,
              click: () => actions.goTo(Math.max(0, step - 1)), // which wrote it
            },
            tokenNode(token),
          ),
        );
      }),
    );
    sourceRow.hidden = src.length === 0;
    heading.textContent = target.ariaLabel = t(src.length ? "tokens.target" : "tokens.text");
    track.measure();
    sourceTrack.measure();
  });

  watch(["trace", "step", "heads", "theme", "coloring", "shading"], (state) => {
    const { trace, step, heads, theme, coloring, shading } = state;
    const cross = trace?.weights.cross;
    if (!cross || !heads.cross) return;
    const start = step * cross.keys;
    const weights = headWeights(cross, choiceOf(shading, heads.cross)).subarray(
      start,
      start + cross.keys,
    );
    const row = shades(weights, { queries: 1, keys: cross.keys, kind: "cross", coloring });
    const most = row.indexOf(Math.max(...row));
    sourceTrack.show(most, most);
    for (const [key, item] of [...source.children].entries()) {
      const { style } = /** @type {HTMLElement} */ (item);
      style.backgroundColor = weightColor(row[key], theme, coloring);
      style.color = inkOn(row[key], theme, coloring);
    }
  });

  watch(["trace", "step"], ({ step }) => {
    for (const [i, { firstElementChild: token }] of [...target.children].entries()) {
      if (!token) continue;
      token.ariaCurrent = i === step ? "step" : null;
      token.classList.toggle("predicted", i === step + 1);
      const later = i > step + 1;
      if (later === token.classList.contains("later")) continue;
      token.classList.toggle("later", later);
      token.ariaLabel = later ? t("tip.ahead") : null;
    }
    // The token that is read, and the one that is predicted.
    track.show(step, step + 1);
  });

  linkTokens(context, source, "source");
  linkTokens(context, target, "target");
  return h(
    "section",
    { class: "tokens" },
    sourceRow,
    h("div", {}, heading, target),
    branchesView(context),
  );
}

/**
 * @param {Shading} shading
 * @param {import("../trace/choice.js").Choice} chosen
 * @returns {import("../trace/choice.js").Choice}
 */
function choiceOf(shading, { layer, head }) {
  if (shading === "head") return { layer, head };
  return { layer: shading === "layer" ? layer : "mean", head: "mean" };
}
