/** The tree of prefixes: the trunk and its branches, one below the other, token under token. */

import { h, icon, tokenNode } from "./dom.js";
import { differences, forkOf, inOrder } from "./tree.js";

/** @typedef {import("./tree.js").Line} Line */

/** @param {import("./page.js").Context} context */
export function branchesView({ actions, t, watch }) {
  const list = h("ol", { class: "branches", "aria-label": t("branches") });
  const view = h(
    "section",
    { class: "tree" },
    h("h2", { class: "heading" }, t("branches.heading")),
    list,
  );

  watch(["tree", "trace", "compared"], ({ tree, trace, compared }) => {
    view.hidden = tree.length < 2;
    const shown = tree.find((line) => line.trace === trace);
    if (!shown || view.hidden) {
      list.replaceChildren();
      return;
    }
    /** @type {Map<Line, Set<number>>} */
    const marked = new Map();
    if (compared && compared !== shown) {
      const [mine, its] = differences(shown.trace.tgt_ids, compared.trace.tgt_ids);
      marked.set(shown, mine).set(compared, its);
    }
    const steps = Math.max(...tree.map((line) => line.trace.tgt_out.length));
    list.style.setProperty("--steps", String(steps));
    // The rows are made anew: what has the focus must keep it, or give it to the shown line.
    const focused = list.contains(document.activeElement) ? document.activeElement?.id : null;
    list.replaceChildren(...inOrder(tree).map((line) => row(line, shown, marked.get(line))));
    if (typeof focused === "string") {
      const heir = document.getElementById(`line-${shown.number}`);
      (document.getElementById(focused) ?? heir)?.focus();
    }
    showFork();
  });
  new ResizeObserver(showFork).observe(list);

  /** Where the shown line parts from its parent is what one looks for. */
  function showFork() {
    const fork = /** @type {HTMLElement | null} */ (list.querySelector(".shown .fork"));
    if (fork) list.scrollLeft = fork.offsetLeft - list.clientWidth / 2;
  }

  /**
   * @param {Line} line
   * @param {Line} shown
   * @param {Set<number>} [marked]  the steps at which it says what the other does not
   */
  function row(line, shown, marked) {
    const name = nameOf(line);
    const fork = forkOf(line);
    // What a line shares with its parent stands in the parent's row, unless the two are compared.
    const tokens = line.trace.tgt_out.map((token, step) =>
      step < fork && !marked
        ? null
        : h(
            "button",
            {
              type: "button",
              tabindex: -1,
              class: [step < fork && "shared", step === fork && line.parent && "fork"]
                .filter(Boolean)
                .join(" "),
              style: `grid-column: ${step + 2}`,
              click: () => actions.visit(line, step),
            },
            h(marked?.has(step) ? "mark" : "span", {}, tokenNode(token)),
          ),
    );
    const isShown = line === shown;
    return h(
      "li",
      { class: isShown ? "shown" : null },
      h(
        "span",
        { class: "handles" },
        h(
          "button",
          {
            type: "button",
            id: `line-${line.number}`,
            "aria-current": isShown ? "true" : null,
            click: () => actions.visit(line),
          },
          name,
        ),
        isShown
          ? null
          : handle("compare", line, {
              "aria-pressed": String(marked !== undefined),
              click: () => actions.compare(line),
            }),
        line.parent ? handle("close", line, { click: () => actions.close(line) }) : null,
      ),
      ...tokens,
    );
  }

  /** @type {(what: "compare" | "close", line: Line, attributes: Record<string, unknown>) => HTMLElement} */
  function handle(what, line, attributes) {
    const name = t(`branches.${what}`, { line: nameOf(line) });
    return h(
      "button",
      {
        type: "button",
        class: "bare",
        id: `${what}-${line.number}`,
        "aria-label": name,
        title: name,
        ...attributes,
      },
      icon(what),
    );
  }

  /** @param {Line} line */
  function nameOf({ number, parent }) {
    return parent ? t("branches.branch", { number }) : t("branches.trunk");
  }

  return view;
}
