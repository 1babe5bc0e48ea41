/** What of a menu takes away: heads as a picture or as numbers, a whole trace as a file. */

import { download } from "../../kit/download.js";
import { problemOf, problemText } from "../../state/server/ask.js";
import { shownHeads } from "../../state/shown_heads.js";
import { headName } from "../../trace/choice.js";
import { payloadOf } from "../../trace/trace.js";
import { bytesOf } from "../../trace/unpack.js";
import { beamGroup } from "./beam.js";
import { headCsv } from "./csv.js";
import { fileName } from "./file_name.js";
import { png, print, svg } from "./picture.js";

const TYPES = { html: "text/html", npz: "application/zip" };

/** @typedef {keyof typeof TYPES} Format  what the server writes */

/** @typedef {import("../../state/actions.js").Context} Context */
/** @typedef {import("../../trace/choice.js").Choice} Choice */
/** @typedef {import("../../kit/menu.js").Group} Group */

/**
 * With several heads side by side, what is saved is all of them or one: the menu says which.
 *
 * @param {Context} context
 * @param {import("../../trace/kinds.js").Kind} kind
 * @returns {Group[]}
 */
export function headGroups({ store, t }, kind) {
  /** @typedef {import("./picture.js").Heads} Shown */
  /** @typedef {(shown: Shown, name: string) => Promise<Blob> | Blob | void} Make  a file, if it makes one */

  /** @type {(choices: Choice[], make: Make, suffix: string) => () => Promise<string | null>} */
  const saved = (choices, make, suffix) => async () => {
    const { trace, coloring } = store.get();
    if (!trace) return null;
    const name = fileName(trace, suffix, kind, choices.map(headName).join("-"));
    try {
      const content = await make({ trace, kind, choices, coloring, t }, name);
      if (content) download(name, content);
      return null;
    } catch {
      return problemText(t);
    }
  };
  /** @param {Choice[]} choices */
  const pictures = (choices) => [
    { label: t("save.png"), run: saved(choices, png, "png") },
    { label: t("save.svg"), run: saved(choices, svg, "svg") },
    { label: t("save.pdf"), run: saved(choices, print, "pdf") },
  ];
  const chosen = store.get().heads[kind];
  if (!chosen) return [];
  const shown = shownHeads(store.get(), kind);
  const table = { label: t("save.csv"), run: saved([chosen], csv, "csv") };
  const one = [...pictures([chosen]), table];
  const head = headName(chosen);
  if (shown.length < 2) return [{ title: t("save.head", { head }), items: one }];
  return [
    { title: t("save.several", { count: shown.length }), items: pictures(shown) },
    { title: t("save.one", { head }), items: one },
  ];
}

/**
 * @param {Context} context
 * @returns {Group[]}
 */
export function traceGroups(context) {
  const { store, served, about, t } = context;
  const json = async () => {
    const { trace } = store.get();
    if (!trace) return null;
    const content = JSON.stringify(payloadOf(trace));
    download(fileName(trace, "json"), new Blob([content], { type: "application/json" }));
    return null;
  };
  /** @param {Format} format */
  const written = (format) => async () => {
    const { trace } = store.get();
    if (!trace) return null;
    try {
      const file = await about(trace).file(format);
      download(fileName(trace, format), new Blob([bytesOf(file)], { type: TYPES[format] }));
      return null;
    } catch (error) {
      return problemText(t, problemOf(error));
    }
  };
  const items = [
    { label: t("save.html"), run: written("html") },
    { label: t("save.json"), run: json },
    { label: t("save.npz"), run: written("npz") },
  ];
  const trace = { title: t("save.trace"), items: served ? items : items.slice(1, 2) };
  return [trace, beamGroup(context)];
}

/** @param {import("./picture.js").Heads} shown */
function csv({ trace, kind, choices: [choice], t }) {
  return new Blob([headCsv(trace, kind, choice, t)], { type: "text/csv;charset=utf-8" });
}
