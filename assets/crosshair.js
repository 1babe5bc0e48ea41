/** Pointing at a token or a cell lights its row and its column wherever the token is on an axis. */

/** @typedef {import("./actions.js").State} State */
/** @typedef {"source" | "target"} Side */

/** @type {Record<import("./trace.js").Kind, {rows: Side, columns: Side}>} */
const AXES = {
  encoder_self: { rows: "source", columns: "source" },
  decoder_self: { rows: "target", columns: "target" },
  cross: { rows: "target", columns: "source" },
};

/**
 * The tokens pointed at: the source's, and those that the decoder reads.
 *
 * @param {Pick<State, "hover" | "token">} state
 * @returns {Record<Side, number[]>}
 */
export function pointedTokens({ hover, token }) {
  /** @type {Record<Side, number[]>} */
  const tokens = { source: [], target: [] };
  if (token) tokens[token.side].push(token.index);
  if (hover) {
    const { rows, columns } = AXES[hover.kind];
    tokens[rows].push(hover.query);
    if (rows !== columns || hover.key !== hover.query) tokens[columns].push(hover.key);
  }
  return tokens;
}

/**
 * The lines to light in a matrix: one cell's own in the matrix pointed at, else its tokens'.
 *
 * @param {import("./trace.js").Kind} kind
 * @param {Pick<State, "hover" | "token">} state
 * @returns {{rows: number[], columns: number[]}}
 */
export function crosshair(kind, state) {
  const { hover } = state;
  if (hover?.kind === kind) return { rows: [hover.query], columns: [hover.key] };
  const tokens = pointedTokens(state);
  return { rows: tokens[AXES[kind].rows], columns: tokens[AXES[kind].columns] };
}

/**
 * Makes the items of a list of tokens light the matrices, and be lit by them.
 *
 * @param {import("./page.js").Context} context
 * @param {HTMLElement} list  its children are the tokens
 * @param {Side} side
 */
export function linkTokens({ store, actions, watch }, list, side) {
  list.addEventListener("pointerover", ({ target }) => {
    const index = [...list.children].findIndex((item) =>
      item.contains(/** @type {Node} */ (target)),
    );
    const length = store.get().trace?.[side === "source" ? "src" : "tgt_in"].length ?? 0;
    actions.pointToken(index >= 0 && index < length ? { side, index } : null);
  });
  list.addEventListener("pointerleave", () => actions.pointToken(null));
  /** @type {Element[]} */
  let lit = [];
  watch(["hover", "token"], (state) => {
    for (const item of lit) item.classList.remove("lit");
    lit = pointedTokens(state)[side].flatMap((index) => list.children[index] ?? []);
    for (const item of lit) item.classList.add("lit");
  });
}
