/** How far each head, layer and position of another sentence moves an answer: small maps of shares. */

import { turnOf } from "../../draw/axis_label.js";
import { numberTable } from "../../draw/number_table.js";
import { headTitle } from "../../draw/titles.js";
import { plainToken, tokenNode } from "../../draw/token.js";
import { h } from "../../kit/dom.js";
import { briefText } from "../../kit/numbers.js";
import { everyHead, headName, sameHead } from "../../trace/choice.js";
import { SHOWN } from "../../trace/kinds.js";
import { unpackMatrix } from "../../trace/unpack.js";

/** @import { Answers } from "../../trace/answers.d.ts" */
/** @import { Context } from "../../state/actions.js" */
/** @import { State } from "../../state/state.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @import { Numbers } from "../../trace/words.js" */

const TOWERS = /** @type {const} */ (["encoder", "decoder"]);

/** In the order in which a layer computes them; an encoder, or a decoder alone, lacks the second. */
const SUBLAYERS = /** @type {const} */ (["self_attention", "cross_attention", "feed_forward"]);

/** @param {Numbers} numbers */
const largest = ({ values }) => Math.max(...values.map(Math.abs));

/**
 * The head that moves the answer furthest.
 *
 * @param {Answers["patching"]} patched
 * @returns {{kind: Kind, layer: number, head: number, share: number}}
 */
export function furthest({ heads }) {
  const all = SHOWN.flatMap((kind) => {
    if (!heads[kind]) return [];
    const { rows, columns, values } = unpackMatrix(heads[kind]);
    const places = everyHead({ layers: rows, heads: columns });
    return places.map((place, i) => ({ kind, share: values[i], ...place }));
  });
  return all.reduce((best, each) => (each.share > best.share ? each : best));
}

/** @type {(context: Context, patched: Answers["patching"], shown: State["heads"]) => Node[]} */
export function patchedMaps({ actions, t }, patched, shown) {
  const kinds = SHOWN.filter((kind) => patched.heads[kind]);
  const towers = TOWERS.filter((tower) => patched.positions[tower]);
  // Which modules a guest's are, differs by family.
  const parted = TOWERS.filter((tower) => patched.sublayers[tower]);
  const most = Math.max(...kinds.map((kind) => largest(unpackMatrix(patched.heads[kind]))));

  /** @param {Kind} kind */
  function ofHeads(kind) {
    const numbers = unpackMatrix(patched.heads[kind]);
    return mapOf({
      caption: t(`${kind}.title`),
      corner: `${t("heads.layer")} ╲ ${t("heads.head")}`,
      ...{ numbers, most },
      columns: Array.from({ length: numbers.columns }, (_, head) => String(head + 1)),
      name: (layer, head) => `${headName({ layer, head })} · ${headTitle(t, { layer, head })}`,
      choose: (layer, head) => ({
        chosen: sameHead(shown[kind], { layer, head }),
        choose: () => actions.enlarge(kind, { layer, head }),
      }),
    });
  }

  /** @param {typeof TOWERS[number]} tower */
  function ofSublayers(tower) {
    const numbers = unpackMatrix(patched.sublayers[tower]);
    const names = SUBLAYERS.filter(
      (name) => numbers.columns === SUBLAYERS.length || name !== "cross_attention",
    ).map((name) => t(`layers.sublayer.${name}`));
    return mapOf({
      ...{ caption: t(`layers.tower.${tower}`), corner: t("heads.layer"), numbers, most: 1 },
      columns: names,
      name: (layer, column) => `${t("head.layer", { n: layer + 1 })} · ${names[column]}`,
    });
  }

  /** @param {typeof TOWERS[number]} tower */
  function ofPositions(tower) {
    const numbers = unpackMatrix(patched.positions[tower]);
    const own = tower === "encoder" ? patched.src : patched.tgt_in;
    // Of a decoder alone, the other text stands in what it reads.
    const read = patched.positions.encoder && tower === "decoder" ? [] : patched.donor_src;
    const labels = own.map((token, i) => [token, read[i] ?? token]);
    return mapOf({
      ...{ caption: t(`layers.tower.${tower}`), corner: t("heads.layer"), numbers, most: 1 },
      columns: labels.map(([a, b]) =>
        a === b ? tokenNode(a) : h("strong", {}, tokenNode(a), " → ", tokenNode(b)),
      ),
      name: (layer, i) =>
        `${t("head.layer", { n: layer + 1 })} · ${[...new Set(labels[i])].map(plainToken).join(" → ")}`,
      across: true,
    });
  }

  /** @type {(title: string, tables: HTMLElement[]) => Node[]} */
  const group = (title, tables) => [
    h("h4", {}, title),
    h("div", { class: "three" }, ...tables.map((table) => h("div", { class: "scrolling" }, table))),
  ];
  return [
    ...group(t("patching.heads"), kinds.map(ofHeads)),
    ...(parted.length ? group(t("patching.layers"), parted.map(ofSublayers)) : []),
    ...group(t("patching.positions"), towers.map(ofPositions)),
  ];

  /**
   * @param {object} map
   * @param {string} map.caption
   * @param {string} map.corner
   * @param {Numbers} map.numbers
   * @param {number} map.most  what the fullest colour stands for, unless a number is larger
   * @param {(Node | string)[]} map.columns
   * @param {(row: number, column: number) => string} map.name  of what was exchanged
   * @param {(row: number, column: number) => {chosen: boolean, choose: () => void}} [map.choose]
   * @param {boolean} [map.across]  the columns are tokens
   */
  function mapOf({ numbers, most, name, choose, across = false, ...map }) {
    const full = Math.max(most, largest(numbers));
    const table = numberTable({
      ...map,
      rows: Array.from({ length: numbers.rows }, (_, layer) => [String(layer + 1)]),
      cell: (row, column) => {
        const share = numbers.values[row * numbers.columns + column];
        const text = briefText(share);
        return {
          text: `${name(row, column)}${t("colon")}${text}`,
          ...{ shown: text, signed: share / full },
          ...choose?.(row, column),
        };
      },
    });
    if (across) table.classList.add("tokens-across", turnOf(table.tHead?.textContent ?? ""));
    return table;
  }
}
