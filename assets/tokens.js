/** The source, shaded by what the current step reads of it, and the target so far. */

import { branchesView } from "./branches.js";
import { inkOn, weightColor } from "./color.js";
import { linkTokens } from "./crosshair.js";
import { h, tokenNode } from "./dom.js";
import { headTitle } from "./head.js";
import { shades } from "./rank.js";
import { headWeights } from "./trace.js";
import { keepInView } from "./track.js";
import { isGiven } from "./tree.js";

/** @typedef {"head" | "layer" | "all"} Shading  the chosen head, or a mean over its layer, or all */

/** @type {Shading[]} */
const SHADINGS = ["head", "layer", "all"];

/** @param {import("./page.js").Context} context */
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
      change: () => actions.shade(SHADINGS[picker.selectedIndex]),
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
    target.replaceChildren(
      ...tgt.map((token, step) => {
        const given = trace && step > 0 && isGiven(tree, trace, step - 1);
        return h(
          "li",
          {}, // Out of the Tab key's way: the slider and the arrow keys reach every step.
          h(
            "button",
            {
              type: "button",
              tabindex: -1,
              class: given ? "forced" : null,
              title: given ? t("tokens.given") : null,
              click: () => actions.goTo(step),
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

  watch(["trace", "step", "heads", "theme", "look", "shading"], (state) => {
    const { trace, step, heads, theme, look, shading } = state;
    const cross = trace?.weights.cross;
    if (!cross || !heads.cross) return;
    const { layer, head } = choiceOf(shading, heads.cross);
    const start = step * cross.keys;
    const weights = headWeights(cross, layer, head).subarray(start, start + cross.keys);
    const row = shades(weights, { queries: 1, keys: cross.keys, kind: "cross", look });
    for (const [key, item] of [...source.children].entries()) {
      const { style } = /** @type {HTMLElement} */ (item);
      style.backgroundColor = weightColor(row[key], theme, look);
      style.color = inkOn(row[key], theme, look);
    }
  });

  watch(["trace", "step"], ({ step }) => {
    for (const [i, { firstElementChild: token }] of [...target.children].entries()) {
      if (!token) continue;
      token.ariaCurrent = i === step ? "step" : null;
      token.classList.toggle("predicted", i === step + 1);
      token.classList.toggle("later", i > step + 1);
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
 * @param {import("./head.js").Choice} chosen
 * @returns {import("./head.js").Choice}
 */
function choiceOf(shading, { layer, head }) {
  if (shading === "head") return { layer, head };
  return { layer: shading === "layer" ? layer : "mean", head: "mean" };
}
