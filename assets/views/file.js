/** A file of one's own: that the picture is from it, what of it cannot be asked, and what was refused. */

import { chip } from "../kit/controls.js";
import { h } from "../kit/dom.js";
import { chooseFile } from "../kit/files.js";
import { problemText } from "../state/problem.js";

/** @import { Context } from "../state/actions.js" */

/** Endings of files that can be opened (state/server/dropped.js). */
const SUFFIXES = [".json", ".npz", ".html"];

/** @param {Context} context */
export function fileView({ actions, t, watch }) {
  const says = h("span");
  const close = chip(actions.closeFile, t("file.close"));
  const note = h("p", { role: "note", "aria-label": t("file") }, says, " ", close);
  const problem = h("p", { role: "alert", hidden: true });
  watch(["file", "trace", "report"], ({ file, trace, report }) => {
    note.hidden = !file || !trace || report !== null;
    if (!file || !trace) return;
    const { name, reason } = file;
    const { model } = trace;
    says.replaceChildren(
      h("bdi", {}, t("file.shown", { name })),
      ` ${reason ? `${problemText(t, reason)} ${t("file.alone")}` : t("file.same", { model })}`,
    );
  });
  watch(["refused"], ({ refused }) => {
    problem.hidden = refused === null;
    problem.textContent = refused ? problemText(t, refused) : "";
  });
  return h(
    "section",
    { class: "file" },
    problem,
    note,
    h("p", { class: "drop-hint", "aria-hidden": "true" }, t("file.drop")),
  );
}

/**
 * The same for those who cannot drag.
 *
 * @param {Context["actions"]} actions
 */
export function openFile(actions) {
  chooseFile(SUFFIXES, actions.openFile);
}
