/** What can be done with a word: look there at this row, by hand, menu or key; or leave it out. */

import { askingRow } from "../../state/beam.js";
import { isGuessing } from "../../state/touring.js";
import { headName } from "../../trace/choice.js";
import { isMasked, keyTokens, SIDES } from "../../trace/kinds.js";
import { piecesAt, wordsAt } from "../../trace/steering.js";
import { wordsOf } from "../../trace/whole_words.js";
import { crossOut } from "./crossing_out.js";
import { dragLight } from "./dragging.js";
import { hidingWords } from "./hiding.js";
import { wordMenu } from "./menu.js";
import { pressWords } from "./pressing.js";

/** @import { Context } from "../../state/actions.js" */
/** @import { Kind } from "../../trace/kinds.js" */
/** @typedef {ReturnType<typeof import("./light.js").beamLight>} Light */
/** @typedef {"all" | "layer" | "head"} Scope */

/** @param {Context} context */
function canSteer({ store, served }) {
  const { trace, question, patient, lesson } = store.get();
  return (
    served && trace !== null && question !== null && patient === null && !isGuessing({ lesson })
  );
}

/**
 * Which heads look elsewhere.
 *
 * @param {Context} context
 * @param {Kind} kind
 * @param {Scope} scope
 * @returns {{kind: Kind, layer: number | null, head: number | null} | null}  null if no such ones are chosen
 */
export function headsOf({ store }, kind, scope) {
  const { layer, head } = store.get().heads[kind] ?? {};
  if (scope === "all") return { kind, layer: null, head: null };
  if (typeof layer !== "number") return null;
  if (scope === "layer") return { kind, layer, head: null };
  return typeof head === "number" ? { kind, layer, head } : null;
}

/**
 * @param {Context} context
 * @param {ReturnType<typeof import("./rows.js").wordRows>} rows
 * @param {Light} light
 * @param {(index: number) => void} leaveOut
 * @returns {HTMLElement}  the words' menu
 */
export function wordActs(context, { source, offered, above }, light, leaveOut) {
  const { store, actions, t } = context;
  const { gap, scroller } = light;
  const hiding = hidingWords(context);

  /**
   * The tokens of a word that the row may look at.
   *
   * @param {number} index  of one of them
   */
  function keysAt(index) {
    const { trace, kind } = store.get();
    const row = askingRow(store.get());
    const tokens = trace ? keyTokens(trace, kind) : [];
    if (!canSteer(context) || index < 0 || index >= tokens.length) return [];
    const causal = trace?.weights[kind]?.causal;
    const words = trace?.words?.[SIDES[kind].keys === "source" ? "src" : "tgt"];
    return piecesAt(tokens, index, words).filter((key) => !isMasked(kind, row, key, causal));
  }

  /** @type {(index: number, scope: Scope) => Promise<void> | undefined} */
  function look(index, scope) {
    const heads = headsOf(context, store.get().kind, scope);
    const keys = keysAt(index);
    if (!heads || !keys.length) return undefined;
    return actions.steer({ ...heads, row: askingRow(store.get()), keys });
  }

  const menu = wordMenu(t, (index) => {
    const { trace, kind, heads } = store.get();
    if (!trace) return [];
    const layer = Number(heads[kind]?.layer ?? 0) + 1;
    const named = heads[kind] ? headName(heads[kind]) : "";
    const asking = wordsAt(trace.src, [askingRow(store.get())], trace.words?.src);
    const scopes = /** @type {const} */ (["all", "layer", "head"]);
    const items = scopes
      .filter((scope) => keysAt(index).length && headsOf(context, kind, scope))
      .map((scope) => ({
        label:
          kind === "encoder_self" && scope === "all"
            ? t("steer.look.encoder", { word: asking })
            : t(`steer.look.${scope}`, { layer, head: named }),
        run: () => look(index, scope),
      }));
    const word = wordsAt(trace.src, [index], trace.words?.src);
    const leave = { label: t("leave.word", { word }), run: () => leaveOut(index) };
    if (hiding.can(index)) return [hiding.item(index), ...items];
    return kind !== "decoder_self" && canLeaveOut(index) ? [...items, leave] : items;
  });

  /** What marks the end is no word. @param {number} index */
  function canLeaveOut(index) {
    const { trace, question } = store.get();
    if (!context.served || !question || trace?.guest || isGuessing(store.get())) return false;
    return wordsOf(trace?.src ?? []).pieces.some((own) => own.includes(index));
  }

  for (const list of offered) {
    pressWords(list, {
      press(index) {
        if (!context.served) return;
        if (isGuessing(store.get())) actions.guess(index);
        else menu.open(index, list.children[index]);
      },
      remove(index) {
        if (list !== source) return;
        if (hiding.can(index)) hiding.toggle(index);
        else if (canLeaveOut(index)) leaveOut(index);
      },
    });
  }
  crossOut(context, { source, scroller, canLeaveOut, leaveOut });
  dragLight(actions, light, {
    above,
    offered: () => canSteer(context),
    keysAt,
    look: (index) => look(index, "all"),
  });

  context.watch(["trace", "kind", "lesson"], () => {
    gap.classList.toggle("leads", canSteer(context));
    gap.title = canSteer(context) ? t("steer.drag") : "";
  });
  return menu.element;
}
