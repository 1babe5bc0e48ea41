/** Where each head looks: one large, as a matrix or as lines, and beside it all that there are. */

import { h } from "../../kit/dom.js";
import { foldButton } from "../../kit/fold.js";
import { later, onceWanted } from "../../parts/later.js";
import { legendView } from "../../parts/legend.js";
import { whileSeen } from "../../parts/seen.js";
import { areManyHeads } from "../../trace/thumbnails.js";
import { candidatesView } from "../candidates.js";
import { coloringView } from "../coloring.js";
import { kindsView } from "../kinds.js";
import { panelsView } from "../panel/panel.js";

/** @import { Picture } from "../../state/state.js" */
/** @typedef {(context: import("../../state/actions.js").Context) => HTMLElement} View */

/** @type {View} */
const lines = (own) =>
  later(
    async () => (await import("./lines/lines.js")).linesView,
    (create) => create(own),
  );

const manyHeads = async () => (await import("../all_heads/many_heads.js")).MANY_HEADS;

const allHeads = onceWanted(
  ["trace"],
  ({ trace }) => Object.values(trace?.weights ?? {}).some((weights) => areManyHeads(weights)),
  async () => (await manyHeads()).all,
);

const apart = onceWanted(
  ["apart"],
  (state) => state.apart,
  async () => (await import("../apart.js")).apartView,
);

/**
 * @param {import("../../state/actions.js").Context} context
 * @param {import("../../parts/question.js").Question[]} questions  of this tab: other pictures, and what
 *   stands below them
 */
export function attentionView(context, questions) {
  const { t, watch } = context;
  const candidates = candidatesView(context);
  const list = /** @type {HTMLElement} */ (candidates.querySelector("ol"));
  const more = foldButton(list, { more: t("candidates.more"), less: t("less") });
  const coloring = coloringView(context);
  const board = h(
    "div",
    { class: "board" },
    kindsView(context),
    legendView(context),
    h("div", { class: "guesses" }, candidates, more),
    panelsView(context, coloring.open, (kind) =>
      later(manyHeads, ({ layer }) => layer(context, kind)),
    ),
    allHeads(context),
    ...questions.flatMap(({ picture, view }) =>
      picture ? [] : [later(view, (create) => create(context))],
    ),
    coloring.element,
    context.served ? apart(context) : null,
  );

  /** In the large matrix's place; made when they are first asked for. */
  const others = /** @type {[Picture, View][]} */ ([
    ["lines", lines],
    ...questions.flatMap(({ picture, view }) => {
      /** @type {View} */
      const brought = (own) => later(view, (create) => create(own));
      return picture ? [[picture, brought]] : [];
    }),
  ]);
  /** @type {Partial<Record<Picture, HTMLElement>>} */
  const create = {};
  watch(["picture"], ({ picture }) => {
    board.dataset.picture = picture;
    for (const [name, view] of others) {
      if (name === picture && !create[name]) {
        const place = h("div", { class: "instead" });
        create[name] = place;
        board.append(place);
        place.append(view(whileSeen(context, place)));
      }
      const there = create[name];
      if (there) there.hidden = name !== picture;
    }
  });
  return board;
}
