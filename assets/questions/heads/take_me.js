/** "Take me to the head that …": where to look first, and how sure that is. */

import { tokenNode } from "../../draw/token.js";
import { chip } from "../../kit/controls.js";
import { h } from "../../kit/dom.js";
import { fill } from "../../kit/i18n.js";
import { briefText } from "../../kit/numbers.js";
import { revealHead } from "../../parts/reveal.js";
import { headName } from "../../trace/choice.js";
import { clearest, measurable, mostHarmful } from "../../trace/statistics.js";
import { representativeHead } from "../../trace/trace.js";

/** @import { HeadRow } from "../../trace/statistics.js" */

/**
 * @param {import("../../state/actions.js").Context<import("./settings.js").Own>} context
 * @param {HeadRow[]} rows
 * @param {import("../../trace/answers.d.ts").Statistics} statistics
 * @param {ReturnType<typeof import("./sweep.js").sweeping>} sweep
 * @returns {Node[]}
 */
export function takeMeTo({ store, actions, t }, rows, statistics, sweep) {
  const { trace } = store.get();
  if (!trace) return [];

  /** @type {(goal: string, row: Pick<HeadRow, "kind" | "layer" | "head"> | null, how: string) => HTMLElement} */
  function goal(name, row, how) {
    const words = fill(t(`heads.to.${name}`), { eos: tokenNode("</s>") });
    if (!row) return h("p", { class: "quiet" }, ...words, t("colon"), how);
    const { kind, layer, head } = row;
    const where = `${t(`${kind}.short`)} ${headName({ layer, head })}`;
    return chip(
      () => revealHead(actions, kind, { layer, head }),
      h("span", {}, ...words, t("colon")),
      h("strong", {}, where),
      h("span", { class: "quiet" }, how),
    );
  }
  const goals = [h("span", { class: "heading" }, t("heads.take_me"))];
  const representative = representativeHead(trace, "cross");
  if (representative?.role === "aligns") {
    const { layer, head } = representative.choice;
    goals.push(goal("aligns", { kind: "cross", layer: Number(layer), head: Number(head) }, ""));
  }
  for (const role of /** @type {const} */ (["previous", "induction", "end"])) {
    if (role === "end" && !(trace.weights.cross && measurable(trace).includes(role))) continue;
    const candidate = clearest(rows, statistics, role);
    // Most models say nothing twice: no news where nobody looks it up.
    if (role === "induction" && !candidate) continue;
    const values = {
      share: briefText(candidate?.share ?? 0),
      chance: briefText(candidate?.chance ?? 0),
    };
    goals.push(
      goal(role, candidate?.row ?? null, t(candidate ? "heads.share" : "heads.nobody", values)),
    );
  }
  const worst = mostHarmful(rows);
  if (worst) {
    const nats = briefText(worst.numbers.harm ?? 0);
    goals.push(goal("harm", worst, t("heads.nats", { nats })));
  } else if (sweep.of(trace)) {
    goals.push(goal("harm", null, t("heads.harmless")));
  } else {
    goals.push(chip(sweep.run, t("heads.to.harm"), " …"));
  }
  return goals;
}
