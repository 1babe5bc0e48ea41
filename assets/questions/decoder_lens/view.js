/** The translation from each encoder layer: how it grows. */

import { tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { analysisView } from "../../parts/awaited.js";
import { sectionView } from "../../parts/section.js";

/** @param {import("../../state/actions.js").Context} context */
export function decoderLensView(context) {
  const { t, watch } = context;
  const view = analysisView(context, {
    name: "decoder_lens",
    draw({ tokens, stop_reasons }) {
      const last = tokens[tokens.length - 1];
      return [
        h(
          "ol",
          { class: "grown" },
          ...tokens.map((line, layer) =>
            h(
              "li",
              {},
              h("span", { class: "quiet" }, t("layers.encoder_layer", { n: layer + 1 })),
              h(
                "span",
                { class: "line" },
                ...line.map((token, i) =>
                  h("span", { class: token === last[i] ? "kept" : "other" }, tokenNode(token)),
                ),
                stop_reasons[layer] === "eos" ? "" : " …",
              ),
            ),
          ),
        ),
      ];
    },
  });
  const hidden = h("p", { class: "quiet" }, t("layers.hidden"));
  watch(["hiding"], ({ hiding }) => {
    view.hidden = hiding;
    hidden.hidden = !hiding;
  });
  return sectionView(t, "layers.decoder_lens", h("div", {}, hidden, view));
}
