/** What of a menu takes away: heads as a picture or as numbers, a whole trace as a file. */

import { headsFigure } from "../../draw/figure.js";
import { download } from "../../kit/download.js";
import { problemOf, problemText } from "../../state/problem.js";
import { shownHeads, shownLayers } from "../../state/shown_heads.js";
import { headName } from "../../trace/choice.js";
import { payloadOf } from "../../trace/trace.js";
import { bytesOf, jsonOf } from "../../trace/unpack.js";
import { beamGroup } from "./beam.js";
import { headCsv } from "./csv.js";
import { fileName } from "./file_name.js";
import { pictures } from "./picture.js";

const TYPES = { html: "text/html", npz: "application/zip" };

/** @typedef {keyof typeof TYPES} Format  what the server writes */

/** @import { Context } from "../../state/actions.js" */
/** @import { Choice } from "../../trace/choice.js" */
/** @import { Group } from "../../kit/menu.js" */

/**
 * With several heads side by side, what is saved is all of them or one: the menu says which.
 *
 * @param {Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @returns {Group[]}
 */
export function headGroups({ store, t }, kind) {
  /** @type {(trace: import("../../trace/trace.js").Trace, suffix: string, choices: Choice[]) => string} */
  const nameOf = (trace, suffix, choices) =>
    fileName(trace, suffix, kind, choices.map(headName).join("-"));
  /** @param {Choice[]} choices */
  const drawn = (choices) =>
    pictures(t, "save", () => {
      const { trace, coloring } = store.get();
      if (!trace) return null;
      const figure = headsFigure(trace, kind, choices, coloring, t);
      return { figure, name: (suffix) => nameOf(trace, suffix, choices) };
    });
  const chosen = store.get().heads[kind];
  if (!chosen) return [];
  const shown = shownHeads(store.get(), kind);
  const csv = () => {
    const { trace } = store.get();
    if (!trace) return;
    const content = new Blob([headCsv(trace, kind, chosen, t)], { type: "text/csv;charset=utf-8" });
    download(nameOf(trace, "csv", [chosen]), content);
  };
  const one = [...drawn([chosen]), { label: t("save.csv"), run: csv }];
  const head = headName(chosen);
  if (shown.length < 2) return [{ title: t("save.head", { head }), items: one }];
  return [
    { title: t("save.several", { count: shown.length }), items: drawn(shown) },
    { title: t("save.one", { head }), items: one },
  ];
}

/** @type {(context: Context) => Group[]} */
export function traceGroups(context) {
  const { store, served, about, t } = context;
  // What was opened as a large file is there already.
  if (Object.values(store.get().trace?.weights ?? {}).some(({ arrived }) => arrived?.cell)) {
    return [beamGroup(context)];
  }
  const json = () => {
    const { trace } = store.get();
    if (!trace) return;
    const content = jsonOf(payloadOf(trace));
    download(fileName(trace, "json"), new Blob([content], { type: "application/json" }));
  };
  /** @param {Format} format */
  const written = (format) => async () => {
    const { trace } = store.get();
    if (!trace) return null;
    try {
      // Of a large trace, a page may hold some layers alone.
      const shown =
        trace.request && format === "html" ? shownLayers(trace, store.get()) : undefined;
      const { file, layers } = await about(trace).file(format, shown);
      download(fileName(trace, format), new Blob([bytesOf(file)], { type: TYPES[format] }));
      const named = layers?.map((layer) => `L${layer + 1}`).join(", ");
      return named ? t("save.layers", { layers: named }) : null;
    } catch (error) {
      return problemText(t, problemOf(error));
    }
  };
  const items = [
    { label: t("save.html"), run: written("html") },
    // The weights of a large trace are not here; as JSON they would be twice as large as NPZ.
    ...(store.get().trace?.request ? [] : [{ label: t("save.json"), run: json }]),
    store.get().lacking.includes("npz")
      ? { label: t("save.npz_elsewhere"), run() {}, disabled: true }
      : { label: t("save.npz"), run: written("npz") },
  ];
  const trace = { title: t("save.trace"), items: served ? items : items.slice(1, 2) };
  return [trace, beamGroup(context)];
}
