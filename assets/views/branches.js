/** The tree of prefixes: the trunk and its branches, one below the other, token under token. */

import { branchName } from "../draw/titles.js";
import { tokenNode } from "../draw/token.js";
import { h } from "../kit/dom.js";
import { icon } from "../kit/icons.js";
import { differences, forkStep, inOrder } from "../trace/tree.js";

/** @import { Context } from "../state/actions.js" */
/** @import { Branch } from "../trace/tree.js" */

/** @param {import("../state/actions.js").Context} context */
export function branchesView(context) {
  const { t, watch } = context;
  const key = h("p", { class: "quiet" }, h("mark", {}, t("branches.marked")), t("branches.key"));
  const list = h("ol", { class: "branches", "aria-label": t("branches") });
  const view = h(
    "section",
    { class: "tree" },
    h("h2", { class: "heading" }, t("branches.heading")),
    list,
    key,
  );

  watch(["tree", "trace", "compared"], ({ tree, trace, compared }) => {
    view.hidden = tree.length < 2;
    key.hidden = compared === null || compared.trace === trace;
    const shown = tree.find((branch) => branch.trace === trace);
    if (!shown || view.hidden) {
      list.replaceChildren();
      return;
    }
    /** @type {Map<Branch, Set<number>>} */
    const marked = new Map();
    if (compared && compared !== shown) {
      const [mine, its] = differences(shown.trace.tgt_ids, compared.trace.tgt_ids);
      marked.set(shown, mine).set(compared, its);
    }
    const steps = Math.max(...tree.map((branch) => branch.trace.tgt_out.length));
    list.style.setProperty("--steps", String(steps));
    // The rows are made anew: what has the focus must keep it, or give it to the shown branch.
    const focused = list.contains(document.activeElement) ? document.activeElement?.id : null;
    list.replaceChildren(
      ...inOrder(tree).map((branch) => branchRow(context, branch, shown, marked.get(branch))),
    );
    if (typeof focused === "string") {
      const heir = document.getElementById(`branch-${shown.number}`);
      (document.getElementById(focused) ?? heir)?.focus();
    }
    showFork();
  });
  new ResizeObserver(showFork).observe(list);

  /** Where the shown branch forks is what one looks for. */
  function showFork() {
    const fork = /** @type {HTMLElement | null} */ (list.querySelector(".shown .fork"));
    if (fork) list.scrollLeft = fork.offsetLeft - list.clientWidth / 2;
  }

  return view;
}

/**
 * @param {Context} context
 * @param {Branch} branch
 * @param {Branch} shown
 * @param {Set<number>} [marked]  the steps at which it says what the other does not
 */
function branchRow({ actions, t }, branch, shown, marked) {
  const name = branchName(t, branch);
  const fork = forkStep(branch);
  // What a branch shares with the one it forked from stands in that one's row, unless the two are compared.
  const tokens = branch.trace.tgt_out.map((token, step) =>
    step < fork && !marked
      ? null
      : h(
          "button",
          {
            tabindex: -1,
            class: [step < fork && "shared", step === fork && branch.forkedFrom && "fork"]
              .filter(Boolean)
              .join(" "),
            style: `grid-column: ${step + 2}`,
            click: () => actions.visit(branch, step),
          },
          h(marked?.has(step) ? "mark" : "span", {}, tokenNode(token)),
        ),
  );
  const isShown = branch === shown;
  return h(
    "li",
    { class: isShown ? "shown" : null },
    h(
      "span",
      { class: "handles" },
      h(
        "button",
        {
          id: `branch-${branch.number}`,
          "aria-current": isShown ? "true" : null,
          click: () => actions.visit(branch),
        },
        name,
      ),
      isShown
        ? null
        : handle(t, "compare", branch, {
            "aria-pressed": String(marked !== undefined),
            click: () => actions.compare(branch),
          }),
      branch.forkedFrom ? handle(t, "close", branch, { click: () => actions.close(branch) }) : null,
    ),
    ...tokens,
  );
}

/** @type {(t: Context["t"], what: "compare" | "close", branch: Branch, attributes: Record<string, unknown>) => HTMLElement} */
function handle(t, what, branch, attributes) {
  const name = t(`branches.${what}`, { line: branchName(t, branch) });
  return h(
    "button",
    {
      class: what === "compare" ? "chip" : "bare",
      id: `${what}-${branch.number}`,
      "aria-label": name,
      title: name,
      ...attributes,
    },
    icon(what),
    ...(what === "compare" ? [t("branches.compare_short")] : []),
  );
}
