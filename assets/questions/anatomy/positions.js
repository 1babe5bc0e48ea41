/** Positions: the sinusoids, how alike two positions are, and the waves' lengths. */

import { paintSigned } from "../../draw/signed.js";
import { field } from "../../kit/controls.js";
import { h, setSlider } from "../../kit/dom.js";
import { briefText, countText } from "../../kit/numbers.js";
import { tableOf, tableRow } from "../../kit/table.js";
import { sinusoids, wavelength } from "../../trace/positions.js";
import { cosine } from "../../trace/vectors.js";

/** How many positions are drawn. */
const POSITIONS = 48;

/** @param {import("./settings.js").Context} context */
export function positionsView({ store, t, watch }) {
  const waves = h("canvas", { role: "img", "aria-label": t("positions.waves") });
  const alike = h("canvas", { role: "img", "aria-label": t("positions.alike") });
  const distance = h("output", { class: "quiet" });
  const size = h("output", { for: "positions-size" });
  const lengths = tableOf({ columns: [t("positions.pair"), t("positions.length")], rows: [] });
  const slider = h("input", {
    type: "range",
    id: "positions-size",
    ...{ min: 2, max: 9, step: 1 },
    input: draw,
  });
  /** @type {Float64Array[]} */
  let rows = [];
  /** @type {number[][]} */
  let similar = [];

  function draw() {
    setSlider(slider, slider.valueAsNumber);
    const d = 2 ** slider.valueAsNumber;
    size.textContent = String(d);
    rows = sinusoids(POSITIONS, d);
    similar = rows.map((one) => rows.map((other) => cosine(one, other)));
    const { theme } = store.get();
    paintSigned(waves, rows, theme);
    paintSigned(alike, similar, theme);
    const pairs = [...new Set([0, 0.25, 0.5, 0.75, 1].map((x) => Math.round(x * (d / 2 - 1))))];
    lengths.tBodies[0].replaceChildren(
      ...pairs.map((pair) =>
        tableRow([`${2 * pair + 1}, ${2 * pair + 2}`], [countText(wavelength(pair, d), 1)]),
      ),
    );
    say(1, 2);
  }

  /** @type {(one: number, other: number) => void}  positions, from 0 */
  function say(one, other) {
    const value = briefText(similar[one][other]);
    distance.textContent = t("positions.similarity", { one: one + 1, other: other + 1, value });
  }

  /** @type {(canvas: HTMLCanvasElement, event: PointerEvent) => [number, number]} */
  const cellAt = (canvas, { offsetX, offsetY }) => {
    const column = Math.floor((offsetX / canvas.clientWidth) * canvas.width);
    const row = Math.floor((offsetY / canvas.clientHeight) * canvas.height);
    return [clamp(row, canvas.height), clamp(column, canvas.width)];
  };
  alike.addEventListener("pointermove", (event) => say(...cellAt(alike, event)));
  waves.addEventListener("pointermove", (event) => {
    const [row, column] = cellAt(waves, event);
    const value = briefText(rows[row][column]);
    distance.textContent = t("positions.number", { position: row + 1, n: column + 1, value });
  });

  slider.value = "6";
  watch(["theme"], draw);
  return h(
    "div",
    { class: "explained" },
    h("p", {}, t("positions.why")),
    h("p", { class: "formula" }, `sin(pos / 10000^(2i/d_model)), cos(…), ${t("model.pos")}`),
    field("d_model", slider, size),
    h(
      "div",
      { class: "position-maps" },
      h("figure", {}, h("figcaption", { class: "quiet" }, t("positions.waves")), waves),
      h("figure", {}, h("figcaption", { class: "quiet" }, t("positions.alike")), alike),
    ),
    distance,
    lengths,
    h("p", { class: "quiet" }, t("positions.notes")),
  );
}

/** @type {(value: number, count: number) => number} */
function clamp(value, count) {
  return Math.max(0, Math.min(count - 1, value));
}
